// Frames between the daemon and its history, and packed values of the file. What is taken is bounded, and is
// the same once it went through again.
// SPDX-License-Identifier: Apache-2.0
#include "watch/history_chunks.h"
#include "watch/history_frames.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace gpuwright;  // NOLINT(google-build-using-namespace): a program of one file

template <class Decoded, class Again>
void same_again(const Decoded& decoded, const Again& again) {
  if (!decoded) return;
  const std::string bytes = watch::encode(*decoded);
  const auto back = again(bytes);
  if (!back || watch::encode(*back) != bytes) std::abort();
}

void try_content(const std::string& text) {
  same_again(watch::decode_name(text), watch::decode_name);
  same_again(watch::decode_tick(text), watch::decode_tick);
  same_again(watch::decode_query(text), watch::decode_query);
  same_again(watch::decode_answer(text), watch::decode_answer);
  same_again(watch::decode_state(text), watch::decode_state);
}

void try_values(const std::string& text) {
  const auto chunk = watch::unpack_chunk(text, 0, 1000);
  if (chunk && chunk->size() > watch::kMostSteps + 1) std::abort();
  (void)watch::unpack_values(text, [](const watch::NumberedValue&) {});
  (void)watch::unpack_ranges(text, [](const watch::NumberedRange&) {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  watch::FrameCutter cutter;
  cutter.feed(text);
  while (true) {
    const auto frame = cutter.next();
    if (!frame || !*frame) break;
    try_content((*frame)->content);
  }
  try_content(text);
  try_values(text);
  return 0;
}
