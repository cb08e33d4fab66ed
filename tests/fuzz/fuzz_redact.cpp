// Redaction keeps the number of lines, is stable when applied to the same text twice, and ends.
// SPDX-License-Identifier: Apache-2.0
#include "host/redact.h"

#include "support/fuzz.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  gpuwright::host::Redactor redactor("0123456789abcdef0123456789abcdef");
  redactor.learn(text);
  const std::string once = redactor.redact(text);
  if (once != redactor.redact(text)) std::abort();
  if (std::count(once.begin(), once.end(), '\n') != std::count(text.begin(), text.end(), '\n')) std::abort();
  return 0;
}
