// SPDX-License-Identifier: Apache-2.0
#include "rules/cover.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace gpuwright::rules {

namespace {

constexpr std::int64_t kMaxSteps = 50'000;

/// Groups sets that share an element, transitively.
std::vector<std::vector<std::size_t>> components(const std::vector<CoverSet>& sets) {
  std::vector<std::size_t> parent(sets.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::map<std::size_t, std::size_t> owner;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::size_t element : sets[i].covers) {
      const auto [at, fresh] = owner.emplace(element, i);
      if (!fresh) parent[find(i)] = find(at->second);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < sets.size(); ++i) groups[find(i)].push_back(i);
  std::vector<std::vector<std::size_t>> result;
  result.reserve(groups.size());
  for (auto& group : groups) result.push_back(std::move(group.second));
  return result;
}

/// Branch and bound over one connected part.
class Solver {
 public:
  Solver(const std::vector<CoverSet>& sets, const std::vector<std::size_t>& members) : sets_(sets) {
    for (const std::size_t member : members) {
      for (const std::size_t element : sets[member].covers) holders_[element].push_back(member);
    }
    for (auto& holder : holders_) {
      std::sort(holder.second.begin(), holder.second.end(), [&](std::size_t a, std::size_t b) {
        return sets[a].cost != sets[b].cost ? sets[a].cost < sets[b].cost : a < b;
      });
    }
  }

  std::vector<std::size_t> solve() {
    greedy();
    branch();
    std::sort(best_.begin(), best_.end());
    return best_;
  }

 private:
  bool covered(std::size_t element) const {
    const auto at = times_covered_.find(element);
    return at != times_covered_.end() && at->second > 0;
  }

  void choose(std::size_t set) {
    chosen_.push_back(set);
    cost_ += sets_[set].cost;
    for (const std::size_t element : sets_[set].covers) ++times_covered_[element];
  }

  void undo() {
    const std::size_t set = chosen_.back();
    chosen_.pop_back();
    cost_ -= sets_[set].cost;
    for (const std::size_t element : sets_[set].covers) --times_covered_[element];
  }

  std::int64_t fresh(std::size_t set) const {
    return std::count_if(sets_[set].covers.begin(), sets_[set].covers.end(),
                         [&](std::size_t element) { return !covered(element); });
  }

  /// The uncovered element with the fewest holders, or null.
  const std::pair<const std::size_t, std::vector<std::size_t>>* hardest() const {
    const std::pair<const std::size_t, std::vector<std::size_t>>* hardest = nullptr;
    for (const auto& holder : holders_) {
      if (covered(holder.first)) continue;
      if (hardest == nullptr || holder.second.size() < hardest->second.size()) hardest = &holder;
    }
    return hardest;
  }

  void keep_if_better() {
    std::vector<std::size_t> sorted = chosen_;
    std::sort(sorted.begin(), sorted.end());
    if (cost_ < best_cost_ || (cost_ == best_cost_ && sorted < best_)) {
      best_cost_ = cost_;
      best_ = std::move(sorted);
    }
  }

  /// A first answer: always the set with the lowest cost for each newly covered element.
  void greedy() {
    for (const auto* element = hardest(); element != nullptr; element = hardest()) {
      std::size_t pick = element->second.front();
      for (const std::size_t set : element->second) {
        if (sets_[set].cost * fresh(pick) < sets_[pick].cost * fresh(set)) pick = set;
      }
      choose(pick);
    }
    keep_if_better();
    while (!chosen_.empty()) undo();
  }

  /// Depth is at most the number of elements, each level covers one more.
  void branch() {
    if (++steps_ > kMaxSteps || cost_ > best_cost_) return;
    const auto* element = hardest();
    if (element == nullptr) {
      keep_if_better();
      return;
    }
    for (const std::size_t set : element->second) {
      if (cost_ + sets_[set].cost > best_cost_) break;
      choose(set);
      branch();
      undo();
    }
  }

  const std::vector<CoverSet>& sets_;
  std::map<std::size_t, std::vector<std::size_t>> holders_;
  std::map<std::size_t, std::int64_t> times_covered_;
  std::vector<std::size_t> chosen_;
  std::int64_t cost_ = 0;
  std::vector<std::size_t> best_;
  std::int64_t best_cost_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t steps_ = 0;
};

}  // namespace

std::vector<std::size_t> cheapest_cover(const std::vector<CoverSet>& sets) {
  std::vector<std::size_t> result;
  for (const std::vector<std::size_t>& members : components(sets)) {
    const std::vector<std::size_t> part = Solver(sets, members).solve();
    result.insert(result.end(), part.begin(), part.end());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace gpuwright::rules
