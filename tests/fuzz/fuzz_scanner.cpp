// The scanner over arbitrary text: the same matches whether the text comes whole or line by line, and every
// capture inside its line.
// SPDX-License-Identifier: Apache-2.0
#include "parse/scanner.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct Collector final : gpuwright::parse::Scanner::Sink {
  std::vector<std::string> seen;
  void on_match(const gpuwright::parse::Match& match, std::size_t /*offset*/) override {
    std::string text = match.signature->id + " " + std::to_string(match.line_number);
    for (const auto& capture : match.captures) {
      const bool inside =
          capture.empty() || (capture.data() >= match.line.data() &&
                              capture.data() + capture.size() <= match.line.data() + match.line.size());
      if (!inside) std::abort();
      text += "|" + std::string(capture);
    }
    seen.push_back(text);
  }
  void on_block_start(std::size_t format, std::size_t /*offset*/, std::int64_t line_number) override {
    seen.push_back("block " + std::to_string(format) + " " + std::to_string(line_number));
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto* const scanner = new gpuwright::parse::Scanner(gpuwright::fuzz::knowledge());
  std::string text = gpuwright::fuzz::own_copy(data, size);
  text += '\n';
  Collector whole;
  scanner->scan(text, 1, whole);
  Collector by_line;
  std::int64_t number = 1;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from) + 1;
    number += scanner->scan(text.substr(from, end - from), number, by_line);
    from = end;
  }
  if (whole.seen != by_line.seen) std::abort();
  return 0;
}
