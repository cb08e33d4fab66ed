// Small notations of the kernel: lists of numbers "0-3,8,10-11", choices "always [madvise] never". Source:
// Documentation/admin-guide/cputopology, Documentation/ABI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::facts {

/// The numbers, at most 65,536. Nothing when the text is no such list; empty text is the empty list.
std::optional<std::vector<std::int64_t>> numbers_of_ranges(const std::string& text);
/// How many there are.
std::optional<std::int64_t> count_of_ranges(const std::string& text);

/// The choice that is in force: "madvise" of "always [madvise] never".
std::optional<std::string> chosen_of(const std::string& text);

}  // namespace gpuwright::facts
