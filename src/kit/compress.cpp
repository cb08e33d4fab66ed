// Decompression by zlib, liblzma, libzstd and libbz2; see the header. Each codec is a step "consume some
// input, give some output".
// SPDX-License-Identifier: Apache-2.0
#include "kit/compress.h"

#include <bzlib.h>
#include <fmt/core.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace gpuwright::kit {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

constexpr std::size_t kInputSize = std::size_t{64} * 1024;
constexpr std::uint64_t kMemoryLimit =
    std::uint64_t{160} << 20;  // xz -9 needs 65 MiB, zstd --ultra with its default window 128 MiB

/// What one step did.
enum class Step { Progress, PieceEnd, Broken };

/// Input not yet consumed, and room not yet filled.
struct Windows {
  const char* input;
  std::size_t input_size;
  char* output;
  std::size_t output_size;
  bool input_ended;
};

class Codec {
 public:
  virtual ~Codec() = default;
  /// Consumes from windows.input and fills windows.output, moving both on.
  virtual Step step(Windows& windows) = 0;
  /// Makes ready for a further compressed piece behind the end of one.
  virtual bool restart() = 0;
};

class GzipCodec final : public Codec {
 public:
  GzipCodec() { ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~GzipCodec() override { ::inflateEnd(&stream_); }
  GzipCodec(const GzipCodec&) = delete;
  GzipCodec& operator=(const GzipCodec&) = delete;

  Step step(Windows& windows) override {
    if (!ready_) return Step::Broken;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(windows.input));
    stream_.avail_in = static_cast<uInt>(windows.input_size);
    stream_.next_out = reinterpret_cast<Bytef*>(windows.output);
    stream_.avail_out = static_cast<uInt>(windows.output_size);
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    windows.input += windows.input_size - stream_.avail_in;
    windows.input_size = stream_.avail_in;
    windows.output += windows.output_size - stream_.avail_out;
    windows.output_size = stream_.avail_out;
    if (code == Z_STREAM_END) return Step::PieceEnd;
    return code == Z_OK || code == Z_BUF_ERROR ? Step::Progress : Step::Broken;
  }
  bool restart() override { return ::inflateReset(&stream_) == Z_OK; }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

class XzCodec final : public Codec {
 public:
  XzCodec() { ready_ = restart(); }
  ~XzCodec() override { ::lzma_end(&stream_); }
  XzCodec(const XzCodec&) = delete;
  XzCodec& operator=(const XzCodec&) = delete;

  Step step(Windows& windows) override {
    if (!ready_) return Step::Broken;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(windows.input);
    stream_.avail_in = windows.input_size;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(windows.output);
    stream_.avail_out = windows.output_size;
    const lzma_ret code = ::lzma_code(&stream_, LZMA_RUN);
    windows.input += windows.input_size - stream_.avail_in;
    windows.input_size = stream_.avail_in;
    windows.output += windows.output_size - stream_.avail_out;
    windows.output_size = stream_.avail_out;
    if (code == LZMA_STREAM_END) return Step::PieceEnd;
    return code == LZMA_OK || code == LZMA_BUF_ERROR ? Step::Progress : Step::Broken;
  }
  bool restart() override { return ::lzma_stream_decoder(&stream_, kMemoryLimit, 0) == LZMA_OK; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

class ZstdCodec final : public Codec {
 public:
  ZstdCodec() : stream_(::ZSTD_createDStream()) {}
  ~ZstdCodec() override { ::ZSTD_freeDStream(stream_); }
  ZstdCodec(const ZstdCodec&) = delete;
  ZstdCodec& operator=(const ZstdCodec&) = delete;

  Step step(Windows& windows) override {
    if (stream_ == nullptr) return Step::Broken;
    ZSTD_inBuffer input = {windows.input, windows.input_size, 0};
    ZSTD_outBuffer output = {windows.output, windows.output_size, 0};
    const std::size_t code = ::ZSTD_decompressStream(stream_, &output, &input);
    if (::ZSTD_isError(code) != 0) return Step::Broken;
    windows.input += input.pos;
    windows.input_size -= input.pos;
    windows.output += output.pos;
    windows.output_size -= output.pos;
    return code == 0 ? Step::PieceEnd : Step::Progress;
  }
  bool restart() override { return ::ZSTD_isError(::ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only)) == 0; }

 private:
  ZSTD_DStream* stream_;
};

class Bzip2Codec final : public Codec {
 public:
  Bzip2Codec() { ready_ = ::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK; }
  ~Bzip2Codec() override { ::BZ2_bzDecompressEnd(&stream_); }
  Bzip2Codec(const Bzip2Codec&) = delete;
  Bzip2Codec& operator=(const Bzip2Codec&) = delete;

  Step step(Windows& windows) override {
    if (!ready_) return Step::Broken;
    stream_.next_in = const_cast<char*>(windows.input);
    stream_.avail_in = static_cast<unsigned>(windows.input_size);
    stream_.next_out = windows.output;
    stream_.avail_out = static_cast<unsigned>(windows.output_size);
    const int code = ::BZ2_bzDecompress(&stream_);
    windows.input += windows.input_size - stream_.avail_in;
    windows.input_size = stream_.avail_in;
    windows.output += windows.output_size - stream_.avail_out;
    windows.output_size = stream_.avail_out;
    if (code == BZ_STREAM_END) return Step::PieceEnd;
    return code == BZ_OK ? Step::Progress : Step::Broken;
  }
  bool restart() override {
    ::BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    ready_ = ::BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
    return ready_;
  }

 private:
  bz_stream stream_ = {};
  bool ready_ = false;
};

std::unique_ptr<Codec> make_codec(Compression compression) {
  switch (compression) {
    case Compression::Gzip:
      return std::make_unique<GzipCodec>();
    case Compression::Xz:
      return std::make_unique<XzCodec>();
    case Compression::Zstd:
      return std::make_unique<ZstdCodec>();
    case Compression::Bzip2:
      return std::make_unique<Bzip2Codec>();
    case Compression::None:
      break;
  }
  return nullptr;
}

class DecompressStream final : public base::ByteStream {
 public:
  DecompressStream(std::unique_ptr<base::ByteStream> source, Compression compression, DecompressLimits limits)
      : source_(std::move(source)),
        compression_(compression),
        codec_(make_codec(compression)),
        limits_(limits),
        input_(kInputSize, '\0') {}

  Result<std::size_t> read(std::span<char> buffer) override {
    if (failed_) return make_error(failed_->kind, failed_->message, failed_->where);
    if (buffer.empty() || ended_) return std::size_t{0};
    std::size_t produced = 0;
    while (produced == 0 && !ended_) {
      auto status = advance(buffer, produced);
      if (!status) failed_ = status.error();
      if (!status && produced == 0) return status.error();
      if (!status) break;  // first the bytes that were still good
    }
    return produced;
  }

 private:
  base::Error broken(std::string_view what) const {
    return make_error(ErrorKind::Malformed, fmt::format("{} {} data", what, compression_name(compression_)));
  }

  /// Gets more input when there is none left.
  base::Status refill() {
    if (begin_ < end_ || source_ended_) return base::Done{};
    GPUWRIGHT_TRY(const auto got, source_->read(std::span<char>(input_.data(), input_.size())));
    begin_ = 0;
    end_ = got;
    consumed_ += got;
    source_ended_ = got == 0;
    return base::Done{};
  }

  /// Behind a piece: another piece, or the end. Padding and foreign bytes behind the last piece are ignored,
  /// as the tools do.
  base::Status next_piece() {
    between_ = false;
    while (true) {
      GPUWRIGHT_TRY([[maybe_unused]] const auto done, refill());
      if (begin_ == end_) return ended_ = true, base::Done{};
      if (input_[begin_] != '\0') break;
      ++begin_;
    }
    // A magic number may be split between two reads: bring it together.
    while (end_ - begin_ < 6 && !source_ended_) {
      std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      GPUWRIGHT_TRY(const auto got,
                    source_->read(std::span<char>(input_.data() + end_, input_.size() - end_)));
      end_ += got;
      consumed_ += got;
      source_ended_ = got == 0;
    }
    const std::string_view head(input_.data() + begin_, end_ - begin_);
    if (detect_compression(head) != compression_) return ended_ = true, base::Done{};
    if (!codec_->restart()) return broken("cannot read more");
    return base::Done{};
  }

  base::Status advance(std::span<char> buffer, std::size_t& produced) {
    if (between_) {
      GPUWRIGHT_TRY([[maybe_unused]] const auto done, next_piece());
      if (ended_) return base::Done{};
    }
    GPUWRIGHT_TRY([[maybe_unused]] const auto done, refill());
    Windows windows = {input_.data() + begin_, end_ - begin_, buffer.data(), buffer.size(), source_ended_};
    const Step step = codec_->step(windows);
    const std::size_t used = end_ - begin_ - windows.input_size;
    begin_ = end_ - windows.input_size;
    produced = buffer.size() - windows.output_size;
    produced_ += produced;
    if (step == Step::Broken) return broken("damaged");
    if (step == Step::PieceEnd) between_ = true;
    if (step == Step::Progress && source_ended_ && used == 0 && produced == 0) return broken("truncated");
    return check_limits();
  }

  base::Status check_limits() const {
    const bool too_long = produced_ > limits_.max_output;
    const bool too_dense = produced_ > limits_.free_output && produced_ / limits_.max_ratio > consumed_;
    if (!too_long && !too_dense) return base::Done{};
    return make_error(
        ErrorKind::Malformed,
        fmt::format("{} compressed bytes unpack to more than {}: refused as a decompression bomb", consumed_,
                    produced_));
  }

  std::unique_ptr<base::ByteStream> source_;
  Compression compression_;
  std::unique_ptr<Codec> codec_;
  DecompressLimits limits_;
  std::string input_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool source_ended_ = false;
  bool between_ = false;
  bool ended_ = false;
  std::uint64_t consumed_ = 0;
  std::uint64_t produced_ = 0;
  std::optional<base::Error> failed_;
};

/// Bytes read ahead, then the stream they came from.
class PrefixedStream final : public base::ByteStream {
 public:
  PrefixedStream(std::string head, std::unique_ptr<base::ByteStream> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    if (position_ == head_.size()) return rest_->read(buffer);
    const std::size_t count = std::min(buffer.size(), head_.size() - position_);
    std::memcpy(buffer.data(), head_.data() + position_, count);
    position_ += count;
    return count;
  }
  std::optional<std::size_t> size_hint() const override { return rest_->size_hint(); }

 private:
  std::string head_;
  std::size_t position_ = 0;
  std::unique_ptr<base::ByteStream> rest_;
};

}  // namespace

Compression detect_compression(std::string_view first_bytes) {
  static constexpr char kXz[] = {'\xfd', '7', 'z', 'X', 'Z', '\0'};
  if (first_bytes.starts_with("\x1f\x8b\x08")) return Compression::Gzip;
  if (first_bytes.starts_with(std::string_view(kXz, sizeof kXz))) return Compression::Xz;
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return Compression::Zstd;
  const bool bzip2 = first_bytes.size() >= 6 && first_bytes.starts_with("BZh") && first_bytes[3] >= '1' &&
                     first_bytes[3] <= '9';
  // Behind the level stands the first block's magic number (pi) or, for an empty file, the end's (its root).
  const auto magic = bzip2 ? first_bytes.substr(4, 2) : std::string_view{};
  if (magic == "\x31\x41" || magic == "\x17\x72") return Compression::Bzip2;
  return Compression::None;
}

const char* compression_name(Compression compression) {
  switch (compression) {
    case Compression::Gzip:
      return "gzip";
    case Compression::Xz:
      return "xz";
    case Compression::Zstd:
      return "zstd";
    case Compression::Bzip2:
      return "bzip2";
    case Compression::None:
      break;
  }
  return "";
}

Result<Peeked> peek(std::unique_ptr<base::ByteStream> stream, std::size_t count) {
  std::string head(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    auto got = stream->read(std::span<char>(head.data() + have, count - have));
    if (!got && have == 0) return got.error();
    if (!got || *got == 0) break;  // a later error shows again when the stream is read on
    have += *got;
  }
  head.resize(have);
  Peeked result;
  result.head = head;
  result.stream = std::make_unique<PrefixedStream>(std::move(head), std::move(stream));
  return result;
}

Result<std::unique_ptr<base::ByteStream>> decompressed(std::unique_ptr<base::ByteStream> stream,
                                                       DecompressLimits limits) {
  GPUWRIGHT_TRY(auto peeked, peek(std::move(stream), 6));
  const Compression compression = detect_compression(peeked.head);
  if (compression == Compression::None) return std::move(peeked.stream);
  return std::unique_ptr<base::ByteStream>(
      std::make_unique<DecompressStream>(std::move(peeked.stream), compression, limits));
}

struct GzipWriter::State {
  Sink sink;
  z_stream stream = {};
  std::string output;
  bool ready = false;

  base::Status run(std::string_view bytes, int flush) {
    if (!ready) return make_error(ErrorKind::Internal, "cannot compress");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    int code = Z_OK;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(output.data());
      stream.avail_out = static_cast<uInt>(output.size());
      code = ::deflate(&stream, flush);
      GPUWRIGHT_TRY([[maybe_unused]] auto done,
                    sink(std::string_view(output.data(), output.size() - stream.avail_out)));
    } while (stream.avail_out == 0 || (flush == Z_FINISH && code == Z_OK));
    return base::Done{};
  }
};

GzipWriter::GzipWriter(Sink sink) : state_(std::make_unique<State>()) {
  state_->sink = std::move(sink);
  state_->output.resize(kInputSize);
  state_->ready = ::deflateInit2(&state_->stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipWriter::~GzipWriter() {
  ::deflateEnd(&state_->stream);
}

base::Status GzipWriter::write(std::string_view bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
  while (!bytes.empty()) {
    GPUWRIGHT_TRY([[maybe_unused]] auto done, state_->run(bytes.substr(0, kMost), Z_NO_FLUSH));
    bytes.remove_prefix(std::min(kMost, bytes.size()));
  }
  return base::Done{};
}

base::Status GzipWriter::finish() {
  return state_->run({}, Z_FINISH);
}

std::string gzip(std::string_view bytes) {
  std::string output;
  GzipWriter writer([&output](std::string_view piece) -> base::Status {
    output += piece;
    return base::Done{};
  });
  const bool done = writer.write(bytes).ok() && writer.finish().ok();
  return done ? output : std::string();
}

}  // namespace gpuwright::kit
