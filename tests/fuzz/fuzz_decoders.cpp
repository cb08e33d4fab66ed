// Every decoder over a line cut at arbitrary places into captures.
// SPDX-License-Identifier: Apache-2.0
#include "parse/decoder.h"

#include "support/fuzz.h"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto& knowledge = gpuwright::fuzz::knowledge();
  const std::string line = gpuwright::fuzz::own_copy(data, size);
  for (const auto& signature : knowledge.signatures()) {
    const auto* decoder =
        signature.decode.empty() ? nullptr : gpuwright::parse::find_decoder(signature.decode);
    if (decoder == nullptr) continue;
    gpuwright::parse::Match match;
    match.signature = &signature;
    match.line = line;
    match.line_number = 1;
    const std::size_t step = size / (signature.captures.size() + 1) + 1;
    for (std::size_t i = 0; i < signature.captures.size() && i < gpuwright::parse::kMaxCaptures; ++i) {
      if (i * step < size) match.captures[i] = match.line.substr(i * step, (i % 3) * step / 2 + 1);
    }
    (void)decoder->key(match);
    (void)decoder->decode(match, knowledge);
  }
  return 0;
}
