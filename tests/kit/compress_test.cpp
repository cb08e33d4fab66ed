// Decompression by content: all four formats, in pieces, joined, cut, damaged and hostile.
// SPDX-License-Identifier: Apache-2.0
#include "kit/compress.h"

#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;

/// Gives its bytes a few at a time, as a pipe may.
class TricklingStream final : public base::ByteStream {
 public:
  TricklingStream(std::string bytes, std::size_t step) : bytes_(std::move(bytes)), step_(step) {}
  base::Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t count = std::min({buffer.size(), step_, bytes_.size() - position_});
    std::copy_n(bytes_.data() + position_, count, buffer.data());
    position_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t step_;
  std::size_t position_ = 0;
};

/// Everything that can be read, and the error that ended it.
struct Read {
  std::string text;
  std::string error;
};

Read read_through(const std::string& bytes, std::size_t step = 1 << 20, kit::DecompressLimits limits = {}) {
  Read read;
  auto stream = kit::decompressed(std::make_unique<TricklingStream>(bytes, step), limits);
  if (!stream) return {"", stream.error().message};
  std::string buffer(4096, '\0');
  while (true) {
    const auto got = (*stream)->read(std::span<char>(buffer.data(), buffer.size()));
    if (!got) read.error = got.error().message;
    if (!got || *got == 0) return read;
    read.text.append(buffer.data(), *got);
  }
}

std::string some_log(int lines) {
  std::string text;
  for (int line = 0; line < lines; ++line)
    text += "line " + std::to_string(line * 7919 % 100003) + " of a log\n";
  return text;
}

std::string compressed(const std::string& tool, const std::string& text) {
  const Ran ran = run({tool, "-c"}, text);
  EXPECT_EQ(ran.exit_code, 0) << tool << ran.err;
  return ran.out;
}

class Decompress : public ::testing::TestWithParam<const char*> {};

TEST_P(Decompress, GivesTheTextInPiecesOfAnySize) {
  const std::string text = some_log(20000);
  const std::string bytes = compressed(GetParam(), text);
  for (const std::size_t step : {std::size_t{1 << 20}, std::size_t{777}, std::size_t{1}}) {
    const Read read = read_through(bytes, step);
    EXPECT_EQ(read.error, "");
    EXPECT_TRUE(read.text == text) << read.text.size() << " of " << text.size() << " bytes in steps of "
                                   << step;
  }
}

TEST_P(Decompress, JoinsSeveralCompressedPieces) {
  const std::string bytes = compressed(GetParam(), "first\n") + compressed(GetParam(), "second\n");
  for (const std::size_t step : {std::size_t{1 << 20}, std::size_t{3}}) {
    const Read read = read_through(bytes, step);
    EXPECT_EQ(read.text, "first\nsecond\n");
    EXPECT_EQ(read.error, "");
  }
}

TEST_P(Decompress, OfACutFileGivesItsGoodPartAndThenSaysTruncated) {
  const std::string text = some_log(60000);
  const std::string bytes = compressed(GetParam(), text);
  const Read read = read_through(bytes.substr(0, bytes.size() * 3 / 4));
  EXPECT_GT(read.text.size(), text.size() / 4);
  EXPECT_TRUE(text.starts_with(read.text));
  EXPECT_THAT(read.error, HasSubstr("truncated"));
}

TEST_P(Decompress, OfADamagedFileEndsWithAnError) {
  std::string bytes = compressed(GetParam(), some_log(20000));
  for (std::size_t at = bytes.size() / 2; at < bytes.size() / 2 + 64; ++at)
    bytes[at] = static_cast<char>(~bytes[at]);
  EXPECT_NE(read_through(bytes).error, "");
}

TEST_P(Decompress, OfAnEmptyFileIsEmpty) {
  const Read read = read_through(compressed(GetParam(), ""));
  EXPECT_EQ(read.text, "");
  EXPECT_EQ(read.error, "");
}

TEST_P(Decompress, RefusesABomb) {
  const std::string bytes = compressed(GetParam(), std::string(40'000'000, 'a'));
  kit::DecompressLimits dense;
  dense.free_output = 1'000'000;
  dense.max_ratio = 100;
  const Read by_ratio = read_through(bytes, 1 << 20, dense);
  EXPECT_THAT(by_ratio.error, HasSubstr("bomb"));
  EXPECT_LT(by_ratio.text.size(), 20'000'000U);
  kit::DecompressLimits small;
  small.max_output = 5'000'000;
  EXPECT_THAT(read_through(bytes, 1 << 20, small).error, HasSubstr("bomb"));
}

INSTANTIATE_TEST_SUITE_P(Tools, Decompress, ::testing::Values("gzip", "xz", "zstd", "bzip2"),
                         [](const auto& tool) { return std::string(tool.param); });

TEST(DecompressPlain, PassesOtherTextThroughUnchanged) {
  for (const std::string& text : {std::string(), std::string("a"), std::string("BZh9 is no archive"),
                                  std::string("\x1f\x8b"), some_log(3000)}) {
    const Read read = read_through(text, 3);
    EXPECT_EQ(read.text, text);
    EXPECT_EQ(read.error, "");
  }
}

TEST(DecompressPlain, IgnoresPaddingBehindTheLastPiece) {
  EXPECT_EQ(read_through(kit::gzip("text\n") + std::string(512, '\0')).text, "text\n");
  EXPECT_EQ(read_through(kit::gzip("text\n") + std::string(512, '\0')).error, "");
}

TEST(Gzip, IsReproducibleAndReadable) {
  const std::string text = some_log(30000);
  EXPECT_EQ(kit::gzip(text), kit::gzip(text));
  const Ran ran = run({"gzip", "-dc"}, kit::gzip(text));
  EXPECT_TRUE(ran.out == text);
}

TEST(Peek, TellsTheFirstBytesAndLosesNone) {
  auto peeked = kit::peek(std::make_unique<TricklingStream>("0123456789", 3), 5);
  ASSERT_TRUE(peeked.ok());
  EXPECT_EQ(peeked->head, "01234");
  EXPECT_EQ(*base::read_all(*peeked->stream, 100), "0123456789");
}

}  // namespace
}  // namespace gpuwright::tests
