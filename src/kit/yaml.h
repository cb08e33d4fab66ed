// YAML text to a tree, by yaml-cpp. Bounded: no aliases that blow up, no depth beyond 64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::kit {

/// Why a text is no YAML, or none that we take.
struct YamlFault {
  std::int32_t line = 0;    ///< 1-based
  std::int32_t column = 0;  ///< 1-based
  std::string message;
};

/// The documents of a text up to the first fault, and the fault.
struct YamlText {
  std::vector<Node> documents;  ///< at most 1024; what follows them is not read
  std::optional<YamlFault> fault;
};

/// Reads all documents. A fault is a syntax error, an alias, or too much depth.
YamlText read_yaml(std::string_view text);

/// Parses the first document. `name` is used in errors ("name:line"). Malformed for a syntax error, an alias,
/// or too much depth.
base::Result<Node> parse_yaml(std::string_view text, const std::string& name);

/// The text as a scalar that reads back as itself, also within [] and {}: plain where that is safe, else in
/// double quotes. `as_text`: quote it too where it would be taken for a number, a boolean or null.
std::string yaml_scalar(std::string_view text, bool as_text);

}  // namespace gpuwright::kit
