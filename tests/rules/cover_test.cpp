// The set cover against a naive oracle that tries every subset.
// SPDX-License-Identifier: Apache-2.0
#include "rules/cover.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>

namespace gpuwright::rules {
namespace {

std::set<std::size_t> covered_by(const std::vector<CoverSet>& sets, const std::vector<std::size_t>& chosen) {
  std::set<std::size_t> covered;
  for (const std::size_t i : chosen) covered.insert(sets[i].covers.begin(), sets[i].covers.end());
  return covered;
}

std::int64_t cost_of(const std::vector<CoverSet>& sets, const std::vector<std::size_t>& chosen) {
  std::int64_t cost = 0;
  for (const std::size_t i : chosen) cost += sets[i].cost;
  return cost;
}

/// The least cost over all subsets that cover everything.
std::int64_t least_cost(const std::vector<CoverSet>& sets) {
  std::vector<std::size_t> all(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) all[i] = i;
  const std::set<std::size_t> wanted = covered_by(sets, all);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t mask = 0; mask < (1U << sets.size()); ++mask) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if ((mask >> i) & 1U) chosen.push_back(i);
    }
    if (covered_by(sets, chosen) == wanted) least = std::min(least, cost_of(sets, chosen));
  }
  return least;
}

TEST(CheapestCover, NothingToCoverChoosesNothing) {
  EXPECT_TRUE(cheapest_cover({}).empty());
}

TEST(CheapestCover, OneRootIsPreferredToItsFollowersCauses) {
  const std::vector<CoverSet> sets = {{{0}, 110}, {{1}, 110}, {{0, 1, 2}, 110}, {{2}, 110}};
  EXPECT_EQ(cheapest_cover(sets), std::vector<std::size_t>{2});
}

TEST(CheapestCover, SeparateFaultsStaySeparate) {
  const std::vector<CoverSet> sets = {{{0, 1}, 110}, {{2, 3}, 110}};
  EXPECT_EQ(cheapest_cover(sets), (std::vector<std::size_t>{0, 1}));
}

TEST(CheapestCover, OfEqualAnswersTheFirstWins) {
  const std::vector<CoverSet> sets = {{{0}, 110}, {{0}, 110}};
  EXPECT_EQ(cheapest_cover(sets), std::vector<std::size_t>{0});
}

RC_GTEST_PROP(CheapestCover, CoversEverythingAtTheLeastCost, ()) {
  std::vector<CoverSet> sets;
  for (int i = *rc::gen::inRange(1, 11); i > 0; --i) {
    CoverSet set;
    const auto members = *rc::gen::inRange<std::uint32_t>(1, 256);
    for (std::size_t element = 0; element < 8; ++element) {
      if ((members >> element) & 1U) set.covers.push_back(element);
    }
    set.cost = *rc::gen::inRange<std::int64_t>(1, 300);
    sets.push_back(set);
  }
  const std::vector<std::size_t> chosen = cheapest_cover(sets);
  std::vector<std::size_t> all(sets.size());
  for (std::size_t i = 0; i < sets.size(); ++i) all[i] = i;
  RC_ASSERT(covered_by(sets, chosen) == covered_by(sets, all));
  RC_ASSERT(cost_of(sets, chosen) == least_cost(sets));
}

}  // namespace
}  // namespace gpuwright::rules
