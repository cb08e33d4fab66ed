// Tar archives: read by libarchive with its tar format alone, written by hand; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "kit/archive.h"

#include "base/files.h"
#include "base/text.h"
#include "kit/compress.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

// libarchive draws random bytes from arc4random_buf, which glibc has only since 2.36: above the floor that
// the binary promises. A hidden one of our own satisfies the linker.
extern "C" __attribute__((visibility("hidden"))) void arc4random_buf(void* buf, std::size_t size) {
  auto* at = static_cast<char*>(buf);
  while (size > 0) {
    const ssize_t got = ::getrandom(at, size, 0);
    if (got < 0 && errno != EINTR) std::abort();
    if (got < 0) continue;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

namespace gpuwright::kit {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using base::Status;

constexpr std::size_t kBlock = std::size_t{64} * 1024;
constexpr std::size_t kHeader = 512;
constexpr std::size_t kNameSize = 100;
constexpr std::size_t kChecksumAt = 148;
constexpr std::size_t kChecksumSize = 8;
constexpr std::uint64_t kOctalSize = 077777777777;  // eleven octal digits

/// The member's name in its safe form, or why it is refused.
Result<std::string> safe_path(std::string_view raw, const ArchiveLimits& limits) {
  const auto refuse = [&raw](std::string_view why) {
    return make_error(ErrorKind::Malformed,
                      fmt::format("archive member '{}' {}: refused", base::printable(raw, 80), why));
  };
  if (raw.size() > limits.max_path) return refuse("has too long a name");
  if (raw.starts_with('/')) return refuse("has an absolute path");
  std::string path;
  for (const auto part : base::split(raw, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("points outside the archive (..)");
    for (const char byte : part) {
      if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f)
        return refuse("has control bytes in its name");
    }
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

ArchiveEntryKind kind_of_entry(archive_entry* entry) {
  if (::archive_entry_hardlink(entry) != nullptr) return ArchiveEntryKind::Link;
  switch (::archive_entry_filetype(entry)) {
    case AE_IFREG:
      return ArchiveEntryKind::File;
    case AE_IFDIR:
      return ArchiveEntryKind::Directory;
    case AE_IFLNK:
      return ArchiveEntryKind::Link;
    default:
      return ArchiveEntryKind::Device;
  }
}

class TarReader final : public ArchiveReader {
 public:
  TarReader(std::unique_ptr<base::ByteStream> stream, ArchiveLimits limits)
      : stream_(std::move(stream)), limits_(limits), block_(kBlock, '\0'), archive_(::archive_read_new()) {}
  ~TarReader() override { ::archive_read_free(archive_); }
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  Status start() {
    if (archive_ == nullptr || ::archive_read_support_format_tar(archive_) != ARCHIVE_OK)
      return make_error(ErrorKind::Internal, "cannot read tar archives");
    ::archive_read_set_options(archive_, "hdrcharset=BINARY");
    if (::archive_read_open(archive_, this, nullptr, &TarReader::pull, nullptr) != ARCHIVE_OK)
      return failure();
    return base::Done{};
  }

  Result<std::optional<ArchiveEntry>> next() override {
    archive_entry* entry = nullptr;
    const int code = ::archive_read_next_header(archive_, &entry);
    if (code == ARCHIVE_EOF) return std::optional<ArchiveEntry>{};
    // A warning is about a name's character set: the bytes are all we use.
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return failure();
    if (++entries_ > limits_.max_entries)
      return too_much(fmt::format("holds more than {} members", limits_.max_entries));
    const char* name = ::archive_entry_pathname(entry);
    GPUWRIGHT_TRY(auto path, safe_path(name == nullptr ? "" : name, limits_));
    ArchiveEntry result;
    result.path = std::move(path);
    result.kind = kind_of_entry(entry);
    result.size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, ::archive_entry_size(entry)));
    if (result.path.empty() && result.kind != ArchiveEntryKind::Directory)
      return too_much("holds a member without name");
    if (result.size > limits_.max_entry_bytes)
      return too_much(fmt::format("holds a member of {} bytes", result.size));
    entry_bytes_ = 0;
    return std::optional<ArchiveEntry>(std::move(result));
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    const la_ssize_t got = ::archive_read_data(archive_, buffer.data(), buffer.size());
    if (got < 0) return failure();
    entry_bytes_ += static_cast<std::uint64_t>(got);
    total_bytes_ += static_cast<std::uint64_t>(got);
    // A sparse member's size is a claim too: what counts is what comes out.
    if (entry_bytes_ > limits_.max_entry_bytes)
      return too_much(fmt::format("holds a member of more than {} bytes", limits_.max_entry_bytes));
    if (total_bytes_ > limits_.max_total_bytes)
      return too_much(fmt::format("unpacks to more than {} bytes", limits_.max_total_bytes));
    return static_cast<std::size_t>(got);
  }

 private:
  static base::Error too_much(std::string_view what) {
    return make_error(ErrorKind::Malformed, fmt::format("archive {}: refused", what));
  }

  base::Error failure() const {
    if (source_error_) return *source_error_;
    const char* text = ::archive_error_string(archive_);
    return make_error(
        ErrorKind::Malformed,
        fmt::format("damaged tar archive ({})", base::printable(text == nullptr ? "unreadable" : text, 120)));
  }

  static la_ssize_t pull(archive* handle, void* self, const void** block) {
    auto& reader = *static_cast<TarReader*>(self);
    const auto got = reader.stream_->read(std::span<char>(reader.block_.data(), reader.block_.size()));
    if (!got) {
      reader.source_error_ = got.error();
      ::archive_set_error(handle, EIO, "%s", got.error().message.c_str());
      return -1;
    }
    *block = reader.block_.data();
    return static_cast<la_ssize_t>(*got);
  }

  std::unique_ptr<base::ByteStream> stream_;
  ArchiveLimits limits_;
  std::string block_;
  archive* archive_;
  std::uint64_t entries_ = 0;
  std::uint64_t entry_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::optional<base::Error> source_error_;
};

/// One header block. Source: POSIX.1-2017 pax, "ustar Interchange Format".
std::string header_block(std::string_view name, std::uint64_t size, char type) {
  std::string block(kHeader, '\0');
  const auto put = [&block](std::size_t at, std::string_view text) { block.replace(at, text.size(), text); };
  put(0, name.substr(0, kNameSize));
  put(100, "0000600");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  put(kChecksumAt, "        ");
  block[156] = type;
  put(257, std::string_view("ustar\0"
                            "00",
                            8));
  std::uint64_t sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put(kChecksumAt, fmt::format("{:06o}", sum));
  block[kChecksumAt + 6] = '\0';
  return block;
}

/// A pax record says its own length: "30 path=...\n".
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest;
  while (length != rest + std::to_string(length).size()) length = rest + std::to_string(length).size();
  return fmt::format("{} {}={}\n", length, key, value);
}

// Written by hand: libarchive's writers of all formats hang together and would drag in four further
// libraries.
class TarGzWriter final : public ArchiveWriter {
 public:
  explicit TarGzWriter(int fd)
      : gzip_([fd](std::string_view bytes) { return base::write_all(fd, bytes, "archive"); }) {}

  Status add(const std::string& path, std::uint64_t size, base::ByteStream& content) override {
    // What a plain header cannot say (a long name, 8 GiB) stands in an extended one before it.
    std::string extended;
    if (path.size() > kNameSize) extended += pax_record("path", path);
    if (size > kOctalSize) extended += pax_record("size", std::to_string(size));
    if (!extended.empty()) {
      GPUWRIGHT_TRY([[maybe_unused]] auto named,
                    gzip_.write(header_block("PaxHeader", extended.size(), 'x')));
      GPUWRIGHT_TRY([[maybe_unused]] auto told, write_padded(extended));
    }
    GPUWRIGHT_TRY([[maybe_unused]] auto header,
                  gzip_.write(header_block(path, size > kOctalSize ? 0 : size, '0')));
    return copy(size, content);
  }

  Status finish() override {
    GPUWRIGHT_TRY([[maybe_unused]] auto end, gzip_.write(std::string(2 * kHeader, '\0')));
    return gzip_.finish();
  }

 private:
  static std::string padding(std::uint64_t size) {
    return std::string((kHeader - size % kHeader) % kHeader, '\0');
  }

  Status write_padded(const std::string& text) { return gzip_.write(text + padding(text.size())); }

  Status copy(std::uint64_t size, base::ByteStream& content) {
    std::string block(kBlock, '\0');
    std::uint64_t left = size;
    while (left > 0) {
      const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size()));
      GPUWRIGHT_TRY(const auto got, content.read(std::span<char>(block.data(), wanted)));
      if (got == 0) return make_error(ErrorKind::Internal, "a member is shorter than announced");
      GPUWRIGHT_TRY([[maybe_unused]] auto done, gzip_.write(std::string_view(block.data(), got)));
      left -= got;
    }
    return gzip_.write(padding(size));
  }

  GzipWriter gzip_;
};

}  // namespace

bool looks_like_tar(std::string_view first_bytes) {
  if (first_bytes.size() < kHeader || first_bytes.front() == '\0') return false;
  std::uint64_t sum = 0;
  std::uint64_t stored = 0;
  for (std::size_t at = 0; at < kHeader; ++at) {
    const bool in_checksum = at >= kChecksumAt && at < kChecksumAt + kChecksumSize;
    sum += in_checksum ? std::uint64_t{' '} : static_cast<unsigned char>(first_bytes[at]);
    if (in_checksum && first_bytes[at] >= '0' && first_bytes[at] <= '7')
      stored = stored * 8 + static_cast<std::uint64_t>(first_bytes[at] - '0');
  }
  return sum == stored;
}

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(std::unique_ptr<base::ByteStream> stream,
                                                           ArchiveLimits limits) {
  auto reader = std::make_unique<TarReader>(std::move(stream), limits);
  GPUWRIGHT_TRY([[maybe_unused]] auto started, reader->start());
  return std::unique_ptr<ArchiveReader>(std::move(reader));
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::open(int fd) {
  return std::unique_ptr<ArchiveWriter>(std::make_unique<TarGzWriter>(fd));
}

}  // namespace gpuwright::kit
