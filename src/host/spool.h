// Bytes that cannot stay in a stream (a member of an archive, a section of a bug report) wait in one nameless
// temporary file, which vanishes with the last reader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "base/stream.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace gpuwright::host {

class Spool : public std::enable_shared_from_this<Spool> {
 public:
  struct Range {
    std::int64_t offset = 0;
    std::int64_t length = 0;
  };

  static base::Result<std::shared_ptr<Spool>> create();
  explicit Spool(base::Fd fd) : fd_(std::move(fd)) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  base::Status append(std::string_view bytes);
  /// Copies a stream to the end. `range` tells what arrived, also when an error ends it. Malformed when it
  /// holds more than `limit` bytes.
  base::Status append(base::ByteStream& stream, std::int64_t limit, Range& range);
  std::int64_t size() const { return size_; }
  /// A stream over a part; it keeps the spool alive.
  std::unique_ptr<base::ByteStream> open(Range range);
  /// Everything appended so far. Valid until the next append or view.
  base::Result<std::string_view> view();

 private:
  void unmap();
  base::Fd fd_;
  std::int64_t size_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
};

}  // namespace gpuwright::host
