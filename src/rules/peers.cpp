// SPDX-License-Identifier: Apache-2.0
#include "rules/peers.h"

#include "base/text.h"
#include "rules/fact_paths.h"
#include "rules/fold_differences.h"
#include "rules/votes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gpuwright::rules {

using catalog::FactGuilt;
using catalog::FactKind;
using model::DifferenceKind;
using model::FactDifference;
using model::Snapshot;

namespace {

constexpr std::int64_t kLeastGuiltOfSplit = 50;
constexpr std::size_t kMostDifferences = 200;  // of one machine; beyond, it is no peer of the others

/// What is not there on one side is often a tool that is not installed, less often what breaks a machine.
std::int64_t guilt_of(std::int64_t guilt, bool one_is_none) {
  return one_is_none ? guilt * 3 / 5 : guilt;
}

class Peers {
 public:
  Peers(std::vector<Snapshot> machines, const FactGuilt& guilt) : guilt_(guilt) {
    ready_.reserve(machines.size());
    for (Snapshot& machine : machines) ready_.push_back(make_ready(std::exchange(machine, {}), guilt_));
    found_.resize(ready_.size());
    pair_ = ready_.size() == 2;
  }

  model::PeerReport compare() {
    for (const std::string& part : all_parts()) compare_part(part);
    for (const std::string& path : all_paths()) compare_fact(path);
    model::PeerReport report;
    for (std::size_t at = 0; at < ready_.size(); ++at) {
      report.names.push_back(ready_[at].name);
      fold_differences(found_[at]);
      if (found_[at].empty()) continue;
      if (found_[at].size() > kMostDifferences) found_[at].resize(kMostDifferences);
      report.odd.push_back({ready_[at].name, std::move(found_[at])});
    }
    std::sort(report.odd.begin(), report.odd.end(), odder);
    std::sort(splits_.begin(), splits_.end(), [](const auto& a, const auto& b) {
      return a.guilt != b.guilt ? a.guilt > b.guilt : a.path < b.path;
    });
    report.splits = std::move(splits_);
    return report;
  }

 private:
  static bool odder(const model::OddOne& a, const model::OddOne& b) {
    const FactDifference& left = a.differences.front();
    const FactDifference& right = b.differences.front();
    if (left.guilt != right.guilt) return left.guilt > right.guilt;
    if (a.differences.size() != b.differences.size()) return a.differences.size() > b.differences.size();
    const int names = base::compare_naturally(a.name, b.name);
    return names != 0 ? names < 0 : a.name < b.name;
  }

  std::set<std::string> all_parts() const {
    std::set<std::string> all;
    for (const ReadySnapshot& one : ready_) all.insert(one.parts.begin(), one.parts.end());
    return all;
  }

  std::set<std::string> all_paths() const {
    std::set<std::string> all;
    for (const ReadySnapshot& one : ready_) {
      for (const auto& entry : one.facts) all.insert(entry.first);
    }
    return all;
  }

  /// Whether `agree` of `known` are a clear majority; of two, the first is.
  bool is_clear(std::size_t agree, std::size_t known) const {
    return pair_ ? known == 2 : agree >= 2 && agree < known && agree * 3 >= known * 2;
  }

  /// Parts stand in the order of their paths, the outer before the inner: an inner part of what is missing
  /// is not told again.
  void compare_part(const std::string& part) {
    std::vector<std::size_t> having, lacking;
    for (std::size_t at = 0; at < ready_.size(); ++at) {
      const bool has = ready_[at].parts.count(part) > 0;
      if (has) having.push_back(at);
      if (!has && ready_[at].would_see(part) && !within_missing(at, part)) lacking.push_back(at);
    }
    const std::size_t known = having.size() + lacking.size();
    const bool first_has = !having.empty() && having.front() == 0;
    if (lacking.empty() || having.empty()) return;
    if (is_clear(having.size(), known) && (!pair_ || first_has)) {
      for (const std::size_t at : lacking) {
        add_part(at, DifferenceKind::Missing, part, having.size());
        if (is_elsewhere(part, ready_[at], ready_[having.front()])) found_[at].back().guilt /= kElsewhere;
      }
    } else if (is_clear(lacking.size(), known)) {
      for (const std::size_t at : having) {
        add_part(at, DifferenceKind::Extra, part, lacking.size());
        if (is_elsewhere(part, ready_[lacking.front()], ready_[at])) found_[at].back().guilt /= kElsewhere;
      }
    }
  }

  bool within_missing(std::size_t at, const std::string& part) const {
    const std::vector<std::string> parts = parts_of(part);
    return std::any_of(parts.begin(), parts.end() - 1,
                       [&](const std::string& outer) { return ready_[at].parts.count(outer) == 0; });
  }

  void add_part(std::size_t at, DifferenceKind kind, const std::string& part, std::size_t agree) {
    const catalog::FactRow& row = guilt_.of(part);
    FactDifference difference;
    difference.kind = kind;
    difference.path = part;
    difference.agree = static_cast<std::int64_t>(agree);
    difference.guilt = row.guilt;
    found_[at].push_back(std::move(difference));
  }

  void compare_fact(const std::string& path) {
    const catalog::FactRow& row = guilt_.of(path);
    if (row.kind == FactKind::Identity) return;
    Votes votes(row.kind);
    for (std::size_t at = 0; at < ready_.size(); ++at) {
      const ReadySnapshot::Sight sight = ready_[at].sight(path);
      if (sight == ReadySnapshot::Sight::Value) votes.add(at, ready_[at].facts.at(path).value);
      if (sight == ReadySnapshot::Sight::None) votes.add_none(at);
    }
    const std::vector<Votes::Group> groups = votes.groups();
    if (groups.size() < 2) return;
    const auto leading = pair_ ? std::find_if(groups.begin(), groups.end(),
                                              [](const auto& group) { return group.voters.front() == 0; })
                               : groups.begin();
    if (leading == groups.end() || !is_clear(leading->voters.size(), votes.count()))
      return note_split(path, row.guilt, groups);
    for (const Votes::Group& group : groups) {
      if (&group == &*leading || !votes.is_worse(group, *leading)) continue;
      for (const std::size_t at : group.voters) {
        FactDifference difference;
        difference.path = path;
        difference.value = group.text_of(at);
        difference.others = leading->text;
        difference.agree = static_cast<std::int64_t>(leading->voters.size());
        difference.guilt = guilt_of(row.guilt, group.none || leading->none);
        found_[at].push_back(std::move(difference));
      }
    }
  }

  /// Few groups of several machines each: nobody is odd, but the fleet is not one.
  void note_split(const std::string& path, std::int64_t guilt, const std::vector<Votes::Group>& groups) {
    const bool few = groups.size() <= 3 && groups[1].voters.size() >= 2;
    if (pair_ || guilt < kLeastGuiltOfSplit || !few) return;
    model::FactSplit split;
    split.path = path;
    split.guilt = guilt;
    for (const Votes::Group& group : groups) {
      split.groups.emplace_back();
      split.groups.back().value = group.text;
      for (const std::size_t at : group.voters) split.groups.back().names.push_back(ready_[at].name);
      std::sort(split.groups.back().names.begin(), split.groups.back().names.end());
    }
    splits_.push_back(std::move(split));
  }

  catalog::RememberedGuilt guilt_;
  std::vector<ReadySnapshot> ready_;
  std::vector<std::vector<FactDifference>> found_;  ///< by machine
  std::vector<model::FactSplit> splits_;
  bool pair_ = false;
};

}  // namespace

model::PeerReport compare_peers(std::vector<Snapshot> machines, const FactGuilt& guilt) {
  return Peers(std::move(machines), guilt).compare();
}

std::vector<Snapshot> gpus_of(const Snapshot& machine) {
  std::map<std::string, Snapshot> gpus;
  static constexpr std::string_view kGpus = "gpus[";
  static constexpr std::string_view kPci = "pci[";
  for (const auto& [path, value] : machine.facts) {
    const std::vector<std::string> parts = parts_of(path);
    if (!path.starts_with(kGpus) || parts.empty()) continue;
    const std::string key = last_key(parts.front());
    Snapshot& gpu = gpus[key];
    gpu.name = "GPU " + key;
    gpu.facts["gpus[]" + path.substr(parts.front().size())] = value;
  }
  for (const auto& [path, value] : machine.facts) {
    const std::vector<std::string> parts = parts_of(path);
    if (!path.starts_with(kPci) || parts.empty()) continue;
    const auto gpu = gpus.find(last_key(parts.front()));
    if (gpu != gpus.end()) gpu->second.facts["pci[]" + path.substr(parts.front().size())] = value;
  }
  std::vector<Snapshot> result;
  result.reserve(gpus.size());
  for (auto& entry : gpus) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace gpuwright::rules
