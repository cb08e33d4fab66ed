// nvidia-bug-report.log split into its sections: each lies inside the text.
// SPDX-License-Identifier: Apache-2.0
#include "host/bug_report.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  (void)gpuwright::host::looks_like_bug_report(text);
  for (const auto& section : gpuwright::host::split_bug_report(text)) {
    if (section.path.empty() && section.command.empty()) std::abort();
  }
  return 0;
}
