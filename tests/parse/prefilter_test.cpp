// The prefilter against the naive search, on both of its paths.
// SPDX-License-Identifier: Apache-2.0
#include "parse/prefilter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace gpuwright::parse {
namespace {

using Found = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

Found as_set(const std::vector<Prefilter::Hit>& hits) {
  Found found;
  for (const Prefilter::Hit& hit : hits) found.emplace(hit.position, hit.literal);
  return found;
}

Found naive(const std::string& text, const std::vector<std::string>& literals) {
  Found found;
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    for (std::size_t at = text.find(literals[i]); at != std::string::npos;
         at = text.find(literals[i], at + 1)) {
      found.emplace(static_cast<std::uint32_t>(at), i);
    }
  }
  return found;
}

void expect_same(const std::string& text, const std::vector<std::string>& literals) {
  const Prefilter prefilter(literals, WindowCosts(nullptr));
  std::vector<Prefilter::Hit> fast, portable;
  prefilter.find(text, fast);
  prefilter.find_portably(text, portable);
  EXPECT_EQ(as_set(fast), naive(text, literals)) << text;
  EXPECT_EQ(as_set(portable), naive(text, literals)) << text;
}

TEST(Prefilter, FindsALiteralAtEveryAlignmentAndAtBothEnds) {
  for (const std::string literal : {"seven77", "eleven bytes", "GPU has fallen off the bus"}) {
    for (std::size_t before = 0; before < 70; ++before) {
      for (std::size_t after = 0; after < 20; ++after)
        expect_same(std::string(before, '.') + literal + std::string(after, '.'), {literal});
    }
  }
}

TEST(Prefilter, FindsOverlappingAndEqualLiterals) {
  expect_same("aaaaaaaaaaaaaaaaaaaaaaaa", {"aaaaaaa", "aaaaaaaaaaaa", "aaaaaaa"});
}

TEST(Prefilter, EmptyAndTinyTextsHoldNothing) {
  for (const char* text : {"", "a", "abc", "seven7"}) expect_same(text, {"seven77"});
}

RC_GTEST_PROP(Prefilter, AgreesWithTheNaiveSearchOnRandomText, ()) {
  // A small alphabet makes true and nearly true occurrences common.
  const auto letters = rc::gen::container<std::string>(rc::gen::element('a', 'b', ' '));
  const std::string text = *rc::gen::resize(400, letters);
  std::vector<std::string> literals;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    const auto length = *rc::gen::inRange<std::size_t>(7, 16);
    literals.push_back(*rc::gen::container<std::string>(length, rc::gen::element('a', 'b', ' ')));
  }
  const Prefilter prefilter(literals, WindowCosts(nullptr));
  std::vector<Prefilter::Hit> fast, portable;
  prefilter.find(text, fast);
  prefilter.find_portably(text, portable);
  RC_ASSERT(as_set(fast) == naive(text, literals));
  RC_ASSERT(as_set(portable) == naive(text, literals));
}

}  // namespace
}  // namespace gpuwright::parse
