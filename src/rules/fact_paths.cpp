// SPDX-License-Identifier: Apache-2.0
#include "rules/fact_paths.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace gpuwright::rules {

using model::AbsentReason;
using model::SnapshotValue;

namespace {

/// Calls visit(begin, end) with the positions of each "[...]"; a key may hold brackets of its own.
template <class Visit>
void each_key(std::string_view path, Visit visit) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '[' && depth++ == 0) begin = at;
    if (path[at] == ']' && depth > 0 && --depth == 0) visit(begin, at + 1);
  }
}

/// "b=c" and "b: c" are the option "b" with the value "c"; "a" is set.
std::pair<std::string_view, std::string_view> option_of(std::string_view word) {
  for (const std::string_view sign : {std::string_view(": "), std::string_view("=")}) {
    const auto at = word.find(sign);
    if (at != std::string_view::npos && at > 0) return {word.substr(0, at), word.substr(at + sign.size())};
  }
  return {word, "set"};
}

void add_words(ReadySnapshot& ready, const std::string& path, std::string_view text) {
  ready.word_lists.insert(path);
  for (const std::string_view part : base::split(text, ',')) {
    const std::string_view word = base::trim(part);
    if (word.empty()) continue;
    const auto [option, value] = option_of(word);
    SnapshotValue& known = ready.facts[path + "{" + std::string(option) + "}"];
    known.value = known.known ? known.value + ", " + std::string(value) : std::string(value);
    known.known = true;
  }
}

}  // namespace

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  each_key(path, [&](std::size_t, std::size_t end) { parts.emplace_back(path.substr(0, end)); });
  return parts;
}

std::string without_keys(std::string_view path) {
  std::string result;
  std::size_t from = 0;
  each_key(path, [&](std::size_t begin, std::size_t end) {
    result += path.substr(from, begin - from);
    result += "[]";
    from = end;
  });
  return result + std::string(path.substr(from));
}

std::string last_key(std::string_view path) {
  std::string key;
  each_key(path, [&](std::size_t begin, std::size_t end) { key = path.substr(begin + 1, end - begin - 2); });
  return key;
}

bool is_pci_address(std::string_view text) {
  return std::count(text.begin(), text.end(), ':') == 2 && std::count(text.begin(), text.end(), '.') == 1 &&
         text.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

ReadySnapshot::Sight ReadySnapshot::sight(const std::string& path) const {
  const auto fact = facts.find(path);
  if (fact != facts.end()) {
    if (fact->second.known) return Sight::Value;
    return fact->second.reason == AbsentReason::NotFound ? Sight::None : Sight::Unknown;
  }
  const auto brace = path.find('{');
  if (brace == std::string::npos) return Sight::Unknown;
  return word_lists.count(path.substr(0, brace)) > 0 ? Sight::None : Sight::Unknown;
}

bool ReadySnapshot::would_see(const std::string& part) const {
  // The list that the part stands in, or a group or list above it, may have been hidden from us.
  return std::none_of(blind.begin(), blind.end(), [&](const std::string& hidden) {
    return part.starts_with(hidden) && (part[hidden.size()] == '[' || part[hidden.size()] == '.');
  });
}

std::size_t ReadySnapshot::siblings(const std::string& part) const {
  const std::string list = part.substr(0, part.size() - last_key(part).size() - 1);
  std::size_t count = 0;
  for (auto at = parts.lower_bound(list); at != parts.end() && at->starts_with(list); ++at) {
    if (at->ends_with(']') && at->size() == list.size() + last_key(*at).size() + 1) ++count;
  }
  return count;
}

ReadySnapshot make_ready(model::Snapshot snapshot, catalog::RememberedGuilt& guilt) {
  ReadySnapshot ready;
  ready.name = std::move(snapshot.name);
  for (auto& [path, value] : snapshot.facts) {
    for (std::string& part : parts_of(path)) {
      if (guilt.of(part).kind != catalog::FactKind::Reading) ready.parts.insert(std::move(part));
    }
    const catalog::FactKind kind = guilt.of(path).kind;
    if (!value.known && value.reason != AbsentReason::NotFound) ready.blind.insert(path);
    if (kind == catalog::FactKind::Reading) continue;
    if (kind == catalog::FactKind::Words && value.known) {
      add_words(ready, path, value.value);
    } else if (kind == catalog::FactKind::Words) {
      if (value.reason == AbsentReason::NotFound) ready.word_lists.insert(path);
    } else {
      ready.facts.emplace(path, std::move(value));
    }
  }
  return ready;
}

}  // namespace gpuwright::rules
