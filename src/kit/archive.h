// Tar archives. An archive that somebody hands us is hostile: its names may point outside, its members may be
// links or devices, its size may be a lie. Nothing is ever unpacked to a path of the archive's choosing;
// members are only read as streams, within limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuwright::kit {

struct ArchiveLimits {
  std::uint64_t max_entries = 50000;
  std::uint64_t max_entry_bytes = std::uint64_t{8} << 30;
  std::uint64_t max_total_bytes = std::uint64_t{16} << 30;
  std::size_t max_path = 1024;
};

enum class ArchiveEntryKind { File, Directory, Link, Device };

struct ArchiveEntry {
  std::string path;  ///< relative, without "./" in front, "//", ".." or control bytes
  ArchiveEntryKind kind = ArchiveEntryKind::File;
  std::uint64_t size = 0;  ///< as the header says
};

/// True when the first 512 bytes are a tar header (its checksum is right). Source: POSIX pax, ustar
/// interchange format.
bool looks_like_tar(std::string_view first_bytes);

/// Reads an uncompressed tar stream (give it kit::decompressed) member by member.
class ArchiveReader {
 public:
  static base::Result<std::unique_ptr<ArchiveReader>> open(std::unique_ptr<base::ByteStream> stream,
                                                           ArchiveLimits limits = {});
  virtual ~ArchiveReader() = default;
  /// The next member, or nothing at the end. Malformed: an absolute path, "..", a control byte in a name, a
  /// limit passed, damage.
  virtual base::Result<std::optional<ArchiveEntry>> next() = 0;
  /// Bytes of the member that next() gave last; 0 at its end.
  virtual base::Result<std::size_t> read(std::span<char> buffer) = 0;
};

/// Writes a .tar.gz to a file descriptor. Equal members in equal order give equal bytes: no times, owners or
/// names of the writing machine.
class ArchiveWriter {
 public:
  /// The descriptor is borrowed.
  static base::Result<std::unique_ptr<ArchiveWriter>> open(int fd);
  virtual ~ArchiveWriter() = default;
  /// Adds a file of exactly `size` bytes from the stream, mode 0600. `path` is plain ASCII and relative.
  virtual base::Status add(const std::string& path, std::uint64_t size, base::ByteStream& content) = 0;
  virtual base::Status finish() = 0;
};

}  // namespace gpuwright::kit
