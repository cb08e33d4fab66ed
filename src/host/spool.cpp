// The spool; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/spool.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

namespace gpuwright::host {

namespace {

class SpoolStream final : public base::ByteStream {
 public:
  SpoolStream(std::shared_ptr<Spool> spool, int fd, Spool::Range range)
      : spool_(std::move(spool)), range_(fd, range.offset, range.length) {}
  base::Result<std::size_t> read(std::span<char> buffer) override { return range_.read(buffer); }
  std::optional<std::size_t> size_hint() const override { return range_.size_hint(); }

 private:
  std::shared_ptr<Spool> spool_;
  base::RangeStream range_;
};

}  // namespace

base::Result<std::shared_ptr<Spool>> Spool::create() {
  GPUWRIGHT_TRY(auto fd, base::temporary_file());
  return std::make_shared<Spool>(std::move(fd));
}

Spool::~Spool() {
  unmap();
}

void Spool::unmap() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_size_);
  mapped_ = nullptr;
}

base::Status Spool::append(std::string_view bytes) {
  GPUWRIGHT_TRY([[maybe_unused]] auto written, base::write_all(fd_.get(), bytes, "temporary file"));
  size_ += static_cast<std::int64_t>(bytes.size());
  return base::Done{};
}

base::Status Spool::append(base::ByteStream& stream, std::int64_t limit, Range& range) {
  range = {size_, 0};
  std::string buffer(std::size_t{128} * 1024, '\0');
  while (true) {
    GPUWRIGHT_TRY(const auto got, stream.read(std::span<char>(buffer.data(), buffer.size())));
    if (got == 0) return base::Done{};
    if (range.length + static_cast<std::int64_t>(got) > limit) {
      return base::make_error(base::ErrorKind::Malformed,
                              fmt::format("is larger than {} bytes: refused", limit));
    }
    GPUWRIGHT_TRY([[maybe_unused]] auto written, append(std::string_view(buffer.data(), got)));
    range.length += static_cast<std::int64_t>(got);
  }
}

std::unique_ptr<base::ByteStream> Spool::open(Range range) {
  return std::make_unique<SpoolStream>(shared_from_this(), fd_.get(), range);
}

base::Result<std::string_view> Spool::view() {
  unmap();
  if (size_ == 0) return std::string_view{};
  mapped_size_ = static_cast<std::size_t>(size_);
  mapped_ = ::mmap(nullptr, mapped_size_, PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (mapped_ == MAP_FAILED) {
    mapped_ = nullptr;
    return base::system_error(errno, "temporary file");
  }
  return std::string_view(static_cast<const char*>(mapped_), mapped_size_);
}

}  // namespace gpuwright::host
