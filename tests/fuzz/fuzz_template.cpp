// The template compiler over arbitrary text.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/signature.h"

#include "support/fuzz.h"

#include <cstdint>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> captures;
  (void)gpuwright::catalog::compile_template(gpuwright::fuzz::own_copy(data, size), captures).ok();
  return 0;
}
