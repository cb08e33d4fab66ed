// YAML text to a tree, by yaml-cpp. Bounded: no aliases that blow up, no depth beyond 64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"

#include <string>
#include <string_view>

namespace gpuwright::kit {

/// Parses the first document. `name` is used in errors ("name:line"). Malformed for a syntax error, an alias,
/// or too much depth.
base::Result<Node> parse_yaml(std::string_view text, const std::string& name);

}  // namespace gpuwright::kit
