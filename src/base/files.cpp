// Files with bounds; see the header. Source: open(2), fsync(2), rename(2).
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace gpuwright::base {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Fd::reset() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

namespace {

ErrorKind kind_of_errno(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
    case ENODEV:
    case ENXIO:
      return ErrorKind::NotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorKind::Denied;
    case ENOSYS:
    case EOPNOTSUPP:
    case EINVAL:
    case EISDIR:
      return ErrorKind::Unsupported;
    case ETIMEDOUT:
      return ErrorKind::TimedOut;
    case EEXIST:
    case EBUSY:
      return ErrorKind::Conflict;
    default:
      return ErrorKind::Io;
  }
}

FileKind kind_from_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::Regular;
  if (S_ISDIR(mode)) return FileKind::Directory;
  if (S_ISLNK(mode)) return FileKind::Link;
  if (S_ISFIFO(mode)) return FileKind::Pipe;
  if (S_ISCHR(mode)) return FileKind::CharacterDevice;
  if (S_ISBLK(mode)) return FileKind::BlockDevice;
  if (S_ISSOCK(mode)) return FileKind::Socket;
  return FileKind::Other;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Error system_error(int error_number, std::string_view where) {
  char buffer[128] = {};
  const char* text = ::strerror_r(error_number, buffer, sizeof buffer);  // the GNU form: returns the text
  return make_error(kind_of_errno(error_number), lower(text), std::string(where));
}

namespace {

struct KindName {
  FileKind kind;
  const char* name;
};
constexpr std::array<KindName, 8> kKindNames = {{{FileKind::Regular, "file"},
                                                 {FileKind::Directory, "folder"},
                                                 {FileKind::Link, "link"},
                                                 {FileKind::Pipe, "pipe"},
                                                 {FileKind::CharacterDevice, "character_device"},
                                                 {FileKind::BlockDevice, "block_device"},
                                                 {FileKind::Socket, "socket"},
                                                 {FileKind::Other, "other"}}};

}  // namespace

const char* file_kind_name(FileKind kind) {
  for (const KindName& row : kKindNames) {
    if (row.kind == kind) return row.name;
  }
  return "other";
}

FileKind file_kind_of_name(std::string_view name) {
  for (const KindName& row : kKindNames) {
    if (name == row.name) return row.kind;
  }
  return FileKind::Other;
}

Result<FileStatus> status_of(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return system_error(errno, path);
  FileStatus answer;
  answer.kind = kind_from_mode(status.st_mode);
  answer.mode = status.st_mode & 07777U;
  answer.uid = status.st_uid;
  answer.gid = status.st_gid;
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
    answer.device = DeviceNumber{major(status.st_rdev), minor(status.st_rdev)};
  return answer;
}

Result<FileKind> kind_of(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return system_error(errno, path);
  return kind_from_mode(status.st_mode);
}

Result<FileKind> kind_behind(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return system_error(errno, path);
  return kind_from_mode(status.st_mode);
}

Result<std::size_t> FileStream::read(std::span<char> buffer) {
  while (true) {
    const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return system_error(errno, where_);
  }
}

std::optional<std::size_t> FileStream::size_hint() const {
  struct stat status = {};
  if (::fstat(fd_.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
    return std::nullopt;
  return static_cast<std::size_t>(status.st_size);
}

Result<std::size_t> RangeStream::read(std::span<char> buffer) {
  const auto wanted = std::min(buffer.size(), static_cast<std::size_t>(left_));
  if (wanted == 0) return std::size_t{0};
  while (true) {
    const ssize_t got = ::pread(fd_, buffer.data(), wanted, offset_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(errno, "");
    offset_ += got;
    left_ = got == 0 ? 0 : left_ - got;
    return static_cast<std::size_t>(got);
  }
}

Result<Fd> open_for_reading(const std::string& path, Pipes pipes) {
  // O_NONBLOCK: opening a pipe without writer, or a device, must not hang us.
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd.valid()) return system_error(errno, path);
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return system_error(errno, path);
  switch (kind_from_mode(status.st_mode)) {
    case FileKind::Regular:
      return fd;
    case FileKind::Directory:
      return make_error(ErrorKind::Unsupported, "is a directory", path);
    case FileKind::Pipe:
      if (pipes == Pipes::Refuse) return make_error(ErrorKind::Unsupported, "is a pipe, not a file", path);
      if (::fcntl(fd.get(), F_SETFL, 0) != 0) return system_error(errno, path);
      return fd;
    default:
      return make_error(ErrorKind::Unsupported, "is a device or socket, not a file", path);
  }
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  GPUWRIGHT_TRY(auto fd, open_for_reading(path));
  FileStream stream(std::move(fd), path);
  auto text = read_all(stream, limit);
  if (!text && text.error().where.empty()) return make_error(text.error().kind, text.error().message, path);
  return text;
}

Result<std::vector<std::string>> list_directory(const std::string& path, std::size_t limit) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (!directory) return system_error(errno, path);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr && errno != 0) return system_error(errno, path);
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() >= limit)
      return make_error(ErrorKind::Malformed, fmt::format("holds more than {} entries", limit), path);
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> read_link(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return system_error(errno, path);
  target.resize(static_cast<std::size_t>(length));
  return target;
}

Status write_all(int fd, std::string_view bytes, std::string_view where) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(errno, where);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Done{};
}

Result<AtomicFile> AtomicFile::create(const std::string& path, unsigned mode) {
  std::string temporary = path + ".XXXXXX";
  Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return system_error(errno, path);
  AtomicFile file(std::move(fd), path, temporary);
  // The mode comes before the first byte: nobody may read what is still being written.
  if (::fchmod(file.fd(), static_cast<mode_t>(mode)) != 0) return system_error(errno, path);
  return file;
}

AtomicFile::~AtomicFile() {
  if (fd_.valid()) ::unlink(temporary_.c_str());
}

Status AtomicFile::commit() {
  if (::fsync(fd_.get()) != 0) return system_error(errno, path_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error(errno, path_);
  fd_.reset();
  const Fd folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A file system that cannot sync folders says EINVAL: nothing more can be done there.
  if (folder.valid() && ::fsync(folder.get()) != 0 && errno != EINVAL) return system_error(errno, path_);
  return Done{};
}

Status write_file_atomically(const std::string& path, std::string_view bytes, unsigned mode) {
  GPUWRIGHT_TRY(auto file, AtomicFile::create(path, mode));
  GPUWRIGHT_TRY([[maybe_unused]] auto written, file.write(bytes));
  return file.commit();
}

Result<Fd> temporary_file() {
  const char* folder = ::getenv("TMPDIR");
  if (folder == nullptr || *folder == '\0') folder = "/tmp";
  Fd fd(::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd.valid()) fd = Fd(::memfd_create("gpuwright", MFD_CLOEXEC));
  if (!fd.valid()) return system_error(errno, folder);
  return fd;
}

std::string join_path(std::string_view folder, std::string_view name) {
  while (!name.empty() && name.front() == '/') name.remove_prefix(1);
  std::string path(folder);
  if (path.empty() || path.back() != '/') path += '/';
  path += name;
  return path;
}

}  // namespace gpuwright::base
