// SPDX-License-Identifier: Apache-2.0
#include "rules/votes.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace gpuwright::rules {

using catalog::FactKind;

namespace {

constexpr double kSameAmount = 0.02;  // the kernel keeps some memory for itself, more or less
constexpr double kManyTimes = 4;
constexpr double kOrdinary = 10;  // events that happen on sound machines too

bool is_numeric(FactKind kind) {
  return kind == FactKind::Amount || kind == FactKind::Count || kind == FactKind::Fault;
}

/// Whether the number agrees with what is usual.
bool agrees(FactKind kind, double number, double usual) {
  if (kind == FactKind::Amount) return std::abs(number - usual) <= kSameAmount * std::abs(usual);
  if (kind == FactKind::Count) return number <= kManyTimes * usual + kOrdinary;
  return number <= usual;
}

}  // namespace

const std::string& Votes::Group::text_of(std::size_t voter) const {
  const auto at = std::find(voters.begin(), voters.end(), voter);
  return at == voters.end() ? text : texts[static_cast<std::size_t>(at - voters.begin())];
}

std::string Votes::key_of(const Vote& vote, double middle) const {
  const auto number = is_numeric(kind_) ? base::parse_double(vote.text) : std::nullopt;
  if (!number || !std::isfinite(*number)) return "text " + vote.text;
  return agrees(kind_, *number, middle) ? "usual" : "number " + vote.text;
}

std::vector<Votes::Group> Votes::groups() const {
  std::vector<std::pair<double, std::string>> numbers;
  for (const Vote& vote : votes_) {
    const auto number = is_numeric(kind_) && !vote.none ? base::parse_double(vote.text) : std::nullopt;
    if (number && std::isfinite(*number)) numbers.emplace_back(*number, vote.text);
  }
  std::sort(numbers.begin(), numbers.end());
  const auto middle = numbers.empty() ? std::pair<double, std::string>() : numbers[(numbers.size() - 1) / 2];
  std::map<std::string, Group> by_key;
  for (const Vote& vote : votes_) {
    const std::string key = vote.none ? "none" : key_of(vote, middle.first);
    Group& group = by_key[key];
    group.none = vote.none;
    group.text = key == "usual" ? middle.second : vote.text;
    group.voters.push_back(vote.voter);
    group.texts.push_back(vote.text);
  }
  std::vector<Group> groups;
  groups.reserve(by_key.size());
  for (auto& entry : by_key) groups.push_back(std::move(entry.second));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.voters.size() > b.voters.size(); });
  return groups;
}

bool Votes::is_worse(const Group& group, const Group& others) const {
  if (group.none || others.none) return kind_ != FactKind::Count && kind_ != FactKind::Fault;
  return tells(kind_, others.text, group.text);
}

bool tells(FactKind kind, const std::string& before, const std::string& now) {
  const auto from = is_numeric(kind) ? base::parse_double(before) : std::nullopt;
  const auto to = is_numeric(kind) ? base::parse_double(now) : std::nullopt;
  if (!from || !to) return kind == FactKind::Fault ? before != now && now != "false" : before != now;
  return !agrees(kind, *to, *from);
}

}  // namespace gpuwright::rules
