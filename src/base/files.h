// Reading and writing files with bounds. Files of a machine under diagnosis may be huge, endless (a pipe, a
// device) or vanish while they are read; a file that we write must be either the old one or the new one after
// a crash, never half of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/stream.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::base {

/// Owns a file descriptor and closes it.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  /// Gives the descriptor up without closing it.
  int release() { return std::exchange(number_, -1); }
  void reset();

 private:
  int number_ = -1;
};

/// The error of a failed system call: kind by errno (NotFound, Denied, Unsupported, TimedOut, Conflict, else
/// Io), message its plain text.
Error system_error(int error_number, std::string_view where);

enum class FileKind { Regular, Directory, Link, Pipe, CharacterDevice, BlockDevice, Socket, Other };
/// The kind's name in JSON: "file", "folder", "link", "pipe", "character_device", "block_device", "socket",
/// "other".
const char* file_kind_name(FileKind kind);
/// The kind of that name; Other for a foreign one.
FileKind file_kind_of_name(std::string_view name);

/// What a path is, without following a last link. Errors: NotFound, Denied, Io.
Result<FileKind> kind_of(const std::string& path);
/// The same, following links.
Result<FileKind> kind_behind(const std::string& path);

struct DeviceNumber {
  std::int64_t major = 0;
  std::int64_t minor = 0;
  bool operator==(const DeviceNumber&) const = default;
};

/// What a path is and whose. Where only the kind is known the others are absent.
struct FileStatus {
  FileKind kind = FileKind::Other;
  std::optional<std::uint32_t> mode;  ///< permission bits, 07777 at most
  std::optional<std::int64_t> uid;
  std::optional<std::int64_t> gid;
  std::optional<DeviceNumber> device;  ///< of a character or block device
  bool operator==(const FileStatus&) const = default;
};

/// The status of a path, without following a last link. Errors: NotFound, Denied, Io.
Result<FileStatus> status_of(const std::string& path);

/// A descriptor as a stream.
class FileStream final : public ByteStream {
 public:
  explicit FileStream(Fd fd, std::string where) : fd_(std::move(fd)), where_(std::move(where)) {}
  Result<std::size_t> read(std::span<char> buffer) override;
  /// The size of a regular file; nothing for pipes and for files of /proc, which say 0.
  std::optional<std::size_t> size_hint() const override;

 private:
  Fd fd_;
  std::string where_;
};

/// A part of a file as a stream. The descriptor is borrowed: its owner must outlive the stream.
class RangeStream final : public ByteStream {
 public:
  RangeStream(int fd, std::int64_t offset, std::int64_t length) : fd_(fd), offset_(offset), left_(length) {}
  Result<std::size_t> read(std::span<char> buffer) override;
  std::optional<std::size_t> size_hint() const override { return static_cast<std::size_t>(left_); }

 private:
  int fd_;
  std::int64_t offset_;
  std::int64_t left_;
};

enum class Pipes { Refuse, Allow };
/// Opens a regular file for reading, never blocking on a pipe that nobody writes. With Pipes::Allow also a
/// pipe (`<(command)`). Errors: NotFound, Denied, Unsupported (a directory, socket or device).
Result<Fd> open_for_reading(const std::string& path, Pipes pipes = Pipes::Refuse);

/// The whole file. Malformed when it holds more than `limit` bytes.
Result<std::string> read_file(const std::string& path, std::size_t limit);

/// Names in a directory without "." and "..", sorted by byte. Malformed when it holds more than `limit`
/// names.
Result<std::vector<std::string>> list_directory(const std::string& path, std::size_t limit = 65536);

/// Where a symbolic link points. Unsupported when the path is no link.
Result<std::string> read_link(const std::string& path);

/// Writes all bytes to the descriptor.
Status write_all(int fd, std::string_view bytes, std::string_view where);

/// A file that appears under its name only when it is complete: written beside it under a temporary name with
/// the mode set first, synced, renamed, and the directory synced. Dropped without commit() it leaves nothing
/// behind.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path, unsigned mode);
  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&& other) = delete;
  ~AtomicFile();

  int fd() const { return fd_.get(); }
  Status write(std::string_view bytes) { return write_all(fd_.get(), bytes, path_); }
  /// Makes the file appear, replacing one of the same name.
  Status commit();

 private:
  AtomicFile(Fd fd, std::string path, std::string temporary)
      : fd_(std::move(fd)), path_(std::move(path)), temporary_(std::move(temporary)) {}
  Fd fd_;
  std::string path_;
  std::string temporary_;
};

/// The whole of AtomicFile in one call.
Status write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode);

/// A nameless file in $TMPDIR (or in memory where no folder can be written) that vanishes when closed.
Result<Fd> temporary_file();

/// "a/b" from "a" and "b", with exactly one slash between.
std::string join_path(std::string_view folder, std::string_view name);

}  // namespace gpuwright::base
