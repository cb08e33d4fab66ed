// Compressed files and archives that somebody hands us, read to their end within small limits.
// SPDX-License-Identifier: Apache-2.0
#include "base/stream.h"
#include "kit/archive.h"
#include "kit/compress.h"

#include "support/fuzz.h"

#include <array>
#include <cstdint>
#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace kit = gpuwright::kit;
  kit::DecompressLimits unpack;
  unpack.max_output = 1 << 22;
  auto bytes = std::make_unique<gpuwright::base::MemoryStream>(gpuwright::fuzz::own_copy(data, size));
  auto plain = kit::decompressed(std::move(bytes), unpack);
  if (!plain.ok()) return 0;
  kit::ArchiveLimits limits;
  limits.max_entries = 100;
  limits.max_total_bytes = 1 << 22;
  auto archive = kit::ArchiveReader::open(std::move(plain).value(), limits);
  if (!archive.ok()) return 0;
  std::array<char, 4096> buffer;
  for (;;) {
    auto entry = (*archive)->next();
    if (!entry.ok() || !entry->has_value()) return 0;
    if ((*entry)->path.find("..") == 0 || (*entry)->path.front() == '/') std::abort();
    for (auto count = (*archive)->read(buffer); count.ok() && *count > 0; count = (*archive)->read(buffer)) {
    }
  }
}
