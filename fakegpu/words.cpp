// Numbers, times and sizes of scenario lines.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/words.h"

namespace gpuwright::fakegpu {
namespace {

struct Unit {
  const char* name;
  double factor;
};

constexpr Unit kTimes[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}};
constexpr Unit kSizes[] = {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};

template <std::size_t Size>
base::Result<double> read_with_unit(std::string_view word, const Unit (&units)[Size], const char* example) {
  const auto read = base::parse_number_and_unit(word);
  if (read && read->number >= 0 && read->number < 1e15) {
    for (const auto& unit : units) {
      if (read->unit == unit.name) return read->number * unit.factor;
    }
  }
  return wrong(quoted(word) + " is none; write it like " + example);
}

}  // namespace

base::Result<double> read_number(std::string_view word) {
  const auto number = base::parse_double(word);
  if (!number || !(*number >= -1e15 && *number <= 1e15)) return wrong(quoted(word) + " is not a number");
  return *number;
}

base::Result<std::uint32_t> read_count(std::string_view word, std::uint32_t most) {
  const auto number = base::parse_int(word);
  if (!number || *number < 0 || *number > most) {
    return wrong(quoted(word) + " is not a whole number from 0 to " + std::to_string(most));
  }
  return static_cast<std::uint32_t>(*number);
}

base::Result<double> read_seconds(std::string_view word) {
  auto read = read_with_unit(word, kTimes, "5s, 250ms or 2min");
  if (!read.ok()) return wrong("time " + read.error().message);
  return read;
}

base::Result<std::uint64_t> read_bytes(std::string_view word) {
  auto read = read_with_unit(word, kSizes, "40GiB or 512MiB");
  if (!read.ok()) return wrong("size " + read.error().message);
  if (*read > 1e18) return wrong(quoted(word) + " is more memory than there is");
  return static_cast<std::uint64_t>(*read);
}

}  // namespace gpuwright::fakegpu
