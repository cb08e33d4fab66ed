// JSON text to a tree, by nlohmann-json's event parser. Bounded depth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"

#include <string>
#include <string_view>

namespace gpuwright::kit {

/// Parses one document; numbers and booleans become scalars as written. Malformed with the byte position, or
/// for a depth beyond 64.
base::Result<Node> parse_json(std::string_view text, const std::string& name);

}  // namespace gpuwright::kit
