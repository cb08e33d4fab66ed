// The few things that are asked of TOML files of container engines. Source: TOML 1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::facts {

/// `key = value`, the value without quotes; only keys that stand alone on a line, in whatever section.
std::optional<std::string> toml_value(std::string_view text, std::string_view key);

/// "a", "b" of `key = ["a", "b"]`, also over several lines; empty where the key is missing.
std::vector<std::string> toml_strings(std::string_view text, std::string_view key);

/// Heads of sections, without their brackets, at most 500.
std::vector<std::string> toml_sections(std::string_view text);

}  // namespace gpuwright::facts
