// SPDX-License-Identifier: Apache-2.0
#include "parse/facts_answer.h"

#include "base/text.h"
#include "kit/json.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <utility>

namespace gpuwright::parse {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using kit::Node;
using model::AbsentReason;

constexpr const char* kSchema = "1";
constexpr std::size_t kMaxFacts = 500'000;
constexpr std::size_t kMaxText = std::size_t{64} << 10;  // a list of module options is long
constexpr std::size_t kMaxPath = 1000;

AbsentReason reason_of(std::string_view word) {
  static constexpr auto kReasons =
      std::to_array<std::pair<std::string_view, AbsentReason>>({{"not found", AbsentReason::NotFound},
                                                                {"denied", AbsentReason::Denied},
                                                                {"not supported", AbsentReason::Unsupported},
                                                                {"timed out", AbsentReason::TimedOut}});
  for (const auto& entry : kReasons) {
    if (word == entry.first) return entry.second;
  }
  return AbsentReason::Malformed;  // also what only a later version knows: not known, whatever the reason
}

class Reader {
 public:
  explicit Reader(std::map<std::string, model::SnapshotValue>& facts) : facts_(facts) {}

  /// False when there are too many.
  bool read(const Node& node, const std::string& path) {
    if (node.is_null()) return true;  // its reason stands among the absent
    if (node.is_scalar()) return add(path, node.text());
    if (node.is_map()) return read_group(node, path);
    const bool parts = !node.items.empty() && node.items.front().is_map();
    if (!parts) return add(path, base::join(node.texts(), ", "));
    std::map<std::string, int> seen;
    for (const Node& item : node.items) {
      const std::string key = base::printable(item["key"].text(), kMaxPath);
      const int again = ++seen[key];
      const std::string part =
          again == 1 ? fmt::format("{}[{}]", path, key) : fmt::format("{}[{}#{}]", path, key, again);
      if (!read_group(item, part)) return false;
    }
    return true;
  }

 private:
  bool read_group(const Node& node, const std::string& path) {
    for (const auto& [name, child] : node.entries) {
      if (name == "key") continue;
      const std::string shown = base::printable(name, kMaxPath);
      if (!read(child, path.empty() ? shown : path + "." + shown)) return false;
    }
    return true;
  }

  bool add(const std::string& path, std::string_view text) {
    model::SnapshotValue& fact = facts_[path];
    fact.known = true;
    fact.value = base::printable(text, kMaxText);
    return facts_.size() <= kMaxFacts;
  }

  std::map<std::string, model::SnapshotValue>& facts_;
};

}  // namespace

bool looks_like_facts(std::string_view text) {
  const std::string_view head = base::trim(text.substr(0, 400));
  return head.starts_with('{') && base::contains(head, "\"schema_version\"") &&
         base::contains(text, "\"facts\"");
}

Result<model::Snapshot> read_facts(const Node& root, const std::string& name) {
  const std::string& version = root["schema_version"].text();
  if (!version.empty() && version != kSchema) {
    return make_error(
        ErrorKind::Unsupported,
        fmt::format("holds schema {}, this gpuwright reads {}", base::printable(version, 20), kSchema), name);
  }
  if (!root["facts"].is_map() || !root["absent"].is_sequence())
    return make_error(ErrorKind::Malformed, "holds no facts (gpuwright facts --json writes them)", name);
  model::Snapshot snapshot;
  snapshot.name = name;
  for (const Node& absent : root["absent"].items) {
    model::SnapshotValue& fact = snapshot.facts[base::printable(absent["fact"].text(), kMaxPath)];
    fact.reason = reason_of(absent["reason"].text());
    if (snapshot.facts.size() > kMaxFacts) return make_error(ErrorKind::Malformed, "too many facts", name);
  }
  if (!Reader(snapshot.facts).read(root["facts"], {}))
    return make_error(ErrorKind::Malformed, "too many facts", name);
  return snapshot;
}

Result<model::Snapshot> read_facts(std::string_view json, const std::string& name) {
  GPUWRIGHT_TRY(const Node root, kit::parse_json(json, name));
  return read_facts(root, name);
}

}  // namespace gpuwright::parse
