// Parser of lspci listings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/format.h"

#include <string_view>

namespace gpuwright::parse {

/// Adds one PciDevice per function to `out.pci_devices`. A piece without a device line gives a device without
/// address.
bool parse_lspci(std::string_view block, const BlockContext& context, const catalog::Catalog& catalog,
                 model::Observations& out);

}  // namespace gpuwright::parse
