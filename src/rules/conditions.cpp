// SPDX-License-Identifier: Apache-2.0
#include "rules/conditions.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace gpuwright::rules {

namespace {

using model::SubjectKind;

bool compares(std::string_view value, std::string_view condition) {
  static constexpr std::array<std::string_view, 5> kOperators = {">=", "<=", "!=", ">", "<"};
  for (const std::string_view op : kOperators) {
    if (condition.substr(0, op.size()) != op) continue;
    const std::string_view wanted = base::trim(condition.substr(op.size()));
    if (op == "!=") return value != wanted;
    if (value.empty()) return false;
    const int order = base::compare_versions(value, wanted);
    if (op == ">=") return order >= 0;
    if (op == "<=") return order <= 0;
    return op == ">" ? order > 0 : order < 0;
  }
  return value == condition;
}

}  // namespace

bool value_fits(std::string_view value, const std::vector<std::string>& accepted) {
  return std::any_of(accepted.begin(), accepted.end(),
                     [&](const std::string& condition) { return compares(value, condition); });
}

bool fulfils(const model::Event& event, const catalog::Raise& raise) {
  return std::all_of(raise.when.begin(), raise.when.end(), [&](const auto& condition) {
    if (condition.first == "count") return value_fits(std::to_string(event.count), condition.second);
    const auto at = event.params.find(condition.first);
    return value_fits(at == event.params.end() ? "" : at->second, condition.second);
  });
}

bool same_host(const model::Subject& a, const model::Subject& b) {
  return a.host == b.host || a.host.empty() || b.host.empty();
}

std::string device_of(const model::Subject& subject) {
  return subject.kind == SubjectKind::Host || subject.kind == SubjectKind::Job ? std::string() : subject.id;
}

bool in_time(const model::Event& root, const model::Event& follower, const catalog::Explain& explain) {
  const std::optional<std::int64_t> after_end = model::time_between(root.last, follower.first);
  const std::optional<std::int64_t> before_start = model::time_between(follower.last, root.first);
  if (after_end && *after_end > explain.within_ns) return false;
  return !before_start || *before_start <= explain.before_ns;
}

}  // namespace gpuwright::rules
