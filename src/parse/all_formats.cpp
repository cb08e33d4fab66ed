// SPDX-License-Identifier: Apache-2.0
#include "parse/format.h"

namespace gpuwright::parse {

std::span<const Format> all_formats() {
  return {};
}

}  // namespace gpuwright::parse
