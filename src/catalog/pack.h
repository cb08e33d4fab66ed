// The catalog as one flat text, made by the build tool and embedded: reading it back costs no parsing and no
// checking, only copying (YAML would cost 60 ms for 300 KB at each start).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"

#include <string>
#include <string_view>

namespace gpuwright::catalog {

/// Rules and tables, one after the other.
std::string pack_catalog(const Catalog& catalog);

/// The catalog; its tables are unpacked when one is first asked for, so `packed` must outlive it. Malformed
/// if the bytes are no pack of this version; tables damaged behind sound rules read as empty.
base::Result<Catalog> unpack_catalog(std::string_view packed);

}  // namespace gpuwright::catalog
