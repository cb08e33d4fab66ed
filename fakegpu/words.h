// The words of a scenario line: numbers, times, sizes, GPU numbers, each with a message that says what to
// write instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::fakegpu {

using Words = std::vector<std::string_view>;

inline base::Error wrong(std::string message) {
  return base::make_error(base::ErrorKind::Malformed, std::move(message));
}

/// A word in quotes, fit to be printed.
inline std::string quoted(std::string_view word) {
  return "'" + base::printable(word, 60) + "'";
}

base::Result<double> read_number(std::string_view word);
/// A whole number from 0 to `most`.
base::Result<std::uint32_t> read_count(std::string_view word, std::uint32_t most = 0xFFFFFFFE);
/// Seconds: "5s", "250ms", "2min", or a bare number of seconds.
base::Result<double> read_seconds(std::string_view word);
/// Bytes: "40GiB", "512MiB", "1000".
base::Result<std::uint64_t> read_bytes(std::string_view word);

}  // namespace gpuwright::fakegpu
