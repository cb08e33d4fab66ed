// A bounded pull of bytes: file, pipe, decompressor or memory. Everything that reads evidence reads through
// this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gpuwright::base {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills up to buffer.size() bytes; 0 means the end. Errors: Io, Malformed (a broken compressed file),
  /// TimedOut.
  virtual Result<std::size_t> read(std::span<char> buffer) = 0;
  /// How many bytes in all, where known without reading (for progress).
  virtual std::optional<std::size_t> size_hint() const { return std::nullopt; }
};

/// Bytes in memory as a stream.
class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<char> buffer) override;
  std::optional<std::size_t> size_hint() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

/// Reads the whole stream. Malformed when it holds more than `limit` bytes.
Result<std::string> read_all(ByteStream& stream, std::size_t limit);

}  // namespace gpuwright::base
