// Compressed evidence: rotated logs and bug reports come as gz, xz, zst or bz2, and are recognised by their
// first bytes, never by name. They are read as streams in bounded memory. A cut file gives what it still
// holds, then Malformed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stream.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gpuwright::kit {

enum class Compression { None, Gzip, Xz, Zstd, Bzip2 };

/// By magic bytes; six are enough. Source: RFC 1952, the .xz file format 1.1, RFC 8878, bzip2's format.
Compression detect_compression(std::string_view first_bytes);
/// "gzip", "xz", "zstd", "bzip2"; "" for None.
const char* compression_name(Compression compression);

/// A small text may stand for terabytes. Output is refused (Malformed) beyond `max_output` bytes, and beyond
/// `free_output` bytes as soon as it exceeds `max_ratio` times the input. Logs that repeat one line reach
/// ratios of several hundred: they are no bombs.
struct DecompressLimits {
  std::uint64_t max_output = std::uint64_t{64} << 30;
  std::uint64_t free_output = std::uint64_t{512} << 20;
  std::uint64_t max_ratio = 1000;
};

/// The stream's content: decompressed if its first bytes say so, else as it is. Several compressed pieces in
/// a row read as one. An empty stream is empty content. Errors: those of the stream.
base::Result<std::unique_ptr<base::ByteStream>> decompressed(std::unique_ptr<base::ByteStream> stream,
                                                             DecompressLimits limits = {});

/// The stream with its first bytes (up to `count`) read ahead: `head` tells them, `stream` still begins with
/// them.
struct Peeked {
  std::string head;
  std::unique_ptr<base::ByteStream> stream;
};
base::Result<Peeked> peek(std::unique_ptr<base::ByteStream> stream, std::size_t count);

/// Compresses to gzip piece by piece, without time or name: equal input gives equal bytes.
class GzipWriter {
 public:
  /// Takes compressed bytes as they come.
  using Sink = std::function<base::Status(std::string_view bytes)>;

  explicit GzipWriter(Sink sink);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  base::Status write(std::string_view bytes);
  /// Ends the stream. Nothing may be written afterwards.
  base::Status finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same in one call.
std::string gzip(std::string_view bytes);

}  // namespace gpuwright::kit
