// SPDX-License-Identifier: Apache-2.0
#include "parse/cuda_numbers.h"
#include "parse/decode_dcgm.h"
#include "parse/decode_sxid.h"
#include "parse/decode_xid.h"
#include "parse/decoder.h"
#include "parse/memory_report.h"

#include <array>

namespace gpuwright::parse {

std::span<const Decoder> all_decoders() {
  static const std::array kDecoders = {kCudaNumberDecoder,   kDcgmCodeDecoder, kDcgmFieldDecoder,
                                       kMemoryReportDecoder, kSxidDecoder,     kXidDecoder};
  return kDecoders;
}

const Decoder* find_decoder(std::string_view name) {
  for (const Decoder& decoder : all_decoders()) {
    if (name == decoder.name) return &decoder;
  }
  return nullptr;
}

}  // namespace gpuwright::parse
