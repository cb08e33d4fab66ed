// What stands before a message: time stamps, hosts, JSON records.
// SPDX-License-Identifier: Apache-2.0
#include "parse/line_prefix.h"

#include "support/fuzz.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line = gpuwright::fuzz::own_copy(data, size);
  (void)gpuwright::parse::read_line_prefix(line);
  std::string message;
  gpuwright::parse::LinePrefix prefix;
  (void)gpuwright::parse::read_json_line(line, message, prefix);
  return 0;
}
