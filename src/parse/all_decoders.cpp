// SPDX-License-Identifier: Apache-2.0
#include "parse/decoder.h"

namespace gpuwright::parse {

std::span<const Decoder> all_decoders() {
  return {};
}

const Decoder* find_decoder(std::string_view name) {
  for (const Decoder& decoder : all_decoders()) {
    if (name == decoder.name) return &decoder;
  }
  return nullptr;
}

}  // namespace gpuwright::parse
