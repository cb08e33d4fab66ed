// One block parser, named at compile time, over arbitrary bytes: it must end, touch nothing outside, and take
// no foreign text for its own state.
// SPDX-License-Identifier: Apache-2.0
#include "parse/format.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuwright::parse::Format& format = []() -> const gpuwright::parse::Format& {
    for (const auto& one : gpuwright::parse::all_formats()) {
      if (std::string_view(one.id) == GPUWRIGHT_FORMAT) return one;
    }
    std::abort();  // data/formats.yaml names a format without a parser
  }();
  const std::string block = gpuwright::fuzz::own_copy(data, size);
  gpuwright::model::Observations out;
  format.parse(block, {"fuzz", 1}, gpuwright::fuzz::knowledge(), out);
  gpuwright::fuzz::check_bounds(out);
  return 0;
}
