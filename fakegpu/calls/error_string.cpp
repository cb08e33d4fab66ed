// What each return code means.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "host/nvml_words.h"

namespace gpuwright::host::nvml {

extern "C" const char* nvmlErrorString(Return result) {
  return words_of(result);
}

}  // namespace gpuwright::host::nvml
