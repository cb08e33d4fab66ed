// Packed values come back as they were, within what the header promises, and damage is found.
// SPDX-License-Identifier: Apache-2.0
#include "watch/history_chunks.h"

#include "watch/pack.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace gpuwright::tests {
namespace {

using model::SeriesBucket;
using namespace watch;  // NOLINT(google-build-using-namespace): the room under test

TEST(Pack, ValuesOfSensorsAreExact) {
  for (const double value : {0.0, 1.0, -1.0, 0.1, 99.99, 312.452, 1e15, 4503599627370496.0, -273.15, 1e-9,
                             1.980e9, 1e300, 1e-300, std::numeric_limits<double>::infinity()}) {
    PackWriter out;
    out.number(value);
    PackReader in(out.bytes());
    EXPECT_EQ(in.number(), value);
    EXPECT_TRUE(in.done());
  }
}

TEST(Pack, ManyDecimalsAreRoundedToSixDigits) {
  for (const double value : {1.0 / 3, 98.123456789, 12345678.123456789, -0.00123456789}) {
    PackWriter out;
    out.number(value);
    PackReader in(out.bytes());
    EXPECT_NEAR(in.number(), value, std::max(std::abs(value) * 1e-5, 0.0)) << value;
    EXPECT_LE(out.bytes().size(), 6U) << value;
  }
}

TEST(Pack, SmallNumbersAreShort) {
  const auto size = [](double value) { return PackWriter().number(value).bytes().size(); };
  EXPECT_EQ(size(0), 1U);
  EXPECT_EQ(size(100), 2U);
  EXPECT_EQ(size(64.5), 2U);
  EXPECT_EQ(size(312.452), 4U);
}

std::vector<SeriesBucket> random_steps(std::mt19937& random) {
  std::vector<SeriesBucket> steps;
  std::int64_t time = 1'800'000'000'000;
  const int style = static_cast<int>(random() % 4);
  double value = static_cast<double>(random() % 1000);
  for (int i = 0; i < 360; ++i, time += 10000) {
    if (random() % 50 == 0) time += 10000 * static_cast<std::int64_t>(random() % 20);
    if (random() % 3 == 0) value += style == 0 ? 1 : style == 1 ? 0.125 : style == 2 ? -3.7 : 1e17;
    const double max = random() % 2 == 0 ? value : value + static_cast<double>(random() % 100) / 4;
    steps.push_back({time, value, value + (max - value) / 3, max});
  }
  return steps;
}

TEST(Chunk, StepsComeBack) {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const auto steps = random_steps(random);
    const auto back = unpack_chunk(pack_chunk(steps, steps[0].time_ms, 10000), steps[0].time_ms, 10000);
    ASSERT_TRUE(back.ok()) << back.error().text();
    ASSERT_EQ(back->size(), steps.size());
    for (std::size_t at = 0; at < steps.size(); ++at) {
      const double near = std::abs(steps[at].max) * 1e-5;
      EXPECT_EQ((*back)[at].time_ms, steps[at].time_ms);
      EXPECT_NEAR((*back)[at].min, steps[at].min, near);
      EXPECT_NEAR((*back)[at].max, steps[at].max, near);
      EXPECT_NEAR((*back)[at].mean, steps[at].mean, near + (steps[at].max - steps[at].min) / 60000);
    }
  }
}

TEST(Chunk, AConstantSeriesTakesAFewBytes) {
  std::vector<SeriesBucket> steps;
  for (std::int64_t i = 0; i < 360; ++i) steps.push_back({i * 10000, 700, 700, 700});
  EXPECT_LE(pack_chunk(steps, 0, 10000).size(), 6U);
}

TEST(Rows, ComeBackAndDamageIsFound) {
  const std::vector<NumberedRange> ranges = {
      {1, {0, 0.5, 1}}, {2, {7, 7, 7}}, {40, {1.0 / 3, 1.0 / 3, 1.0 / 3}}};
  const std::string bytes = pack_ranges(ranges);
  std::vector<NumberedRange> back;
  ASSERT_TRUE(unpack_ranges(bytes, [&](const NumberedRange& one) { back.push_back(one); }).ok());
  ASSERT_EQ(back.size(), 3U);
  EXPECT_EQ(back[2].series, 40);
  EXPECT_NEAR(back[0].range.mean, 0.5, 1e-4);
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    std::size_t taken = 0;
    const auto status = unpack_ranges(bytes.substr(0, cut), [&](const NumberedRange&) { ++taken; });
    EXPECT_TRUE(!status.ok() || taken < ranges.size()) << cut;
  }
  EXPECT_FALSE(
      unpack_values("\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x01", [](const NumberedValue&) {}).ok());
}

/// Two values that are equal only once they are rounded must not shift what follows.
TEST(Rows, RangesThatVanishByRoundingAreRead) {
  const std::vector<NumberedRange> ranges = {{1, {50.123456789012, 50.1234567890125, 50.123456789013}},
                                             {2, {5, 6, 9}}};
  std::vector<NumberedRange> back;
  ASSERT_TRUE(
      unpack_ranges(pack_ranges(ranges), [&](const NumberedRange& one) { back.push_back(one); }).ok());
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[1].range.max, 9);
}

TEST(Chunk, DamageIsFoundAndNeverEndless) {
  std::mt19937 random(9);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 24, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const auto back = unpack_chunk(bytes, 0, 1000);
    if (back) {
      EXPECT_LE(back->size(), kMostSteps + 1);
    }
  }
  PackWriter bomb;
  bomb.varint(0).varint(5 << 2 | 2);
  for (int i = 0; i < 100; ++i) bomb.varint(std::uint64_t{99999} << 2);
  EXPECT_FALSE(unpack_chunk(bomb.bytes(), 0, 1000).ok());
}

}  // namespace
}  // namespace gpuwright::tests
