// SPDX-License-Identifier: Apache-2.0
#include "rules/changes.h"

#include "base/text.h"
#include "rules/fact_paths.h"
#include "rules/fold_differences.h"
#include "rules/votes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gpuwright::rules {

using catalog::FactGuilt;
using catalog::FactKind;
using model::DifferenceKind;
using model::FactDifference;
using model::Finding;
using model::Severity;
using model::Snapshot;

namespace {

constexpr std::size_t kShortestDevice = 4;  // "#3" is an index, which no fact is named after
constexpr std::int64_t kSameDevice = 6;     // guilt of a change on the very device that shows the symptom
constexpr std::int64_t kOtherDevice = -30;  // and of one on a sibling

class Changes {
 public:
  Changes(const Snapshot& before, const Snapshot& now, const Symptom& symptom, const FactGuilt& guilt)
      : guilt_(guilt),
        symptom_(symptom),
        rows_(guilt),
        before_(make_ready(before, rows_)),
        now_(make_ready(now, rows_)) {}

  std::vector<FactDifference> rank() {
    parts();
    facts();
    drop_renamed();
    fold_differences(found_);
    return std::move(found_);
  }

 private:
  void parts() {
    std::set<std::string> all = before_.parts;
    all.insert(now_.parts.begin(), now_.parts.end());
    for (const std::string& part : all) {
      const bool was = before_.parts.count(part) > 0;
      const bool is = now_.parts.count(part) > 0;
      if (was == is || within_changed(part)) continue;
      if (!(was ? now_ : before_).would_see(part)) continue;
      changed_parts_.insert(part);
      FactDifference change;
      change.kind = was ? DifferenceKind::Missing : DifferenceKind::Extra;
      add(std::move(change), part);
      if (is_elsewhere(part, was ? now_ : before_, was ? before_ : now_)) found_.back().guilt /= kElsewhere;
    }
  }

  bool within_changed(const std::string& path) const {
    const std::vector<std::string> parts = parts_of(path);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return changed_parts_.count(part) > 0; });
  }

  void facts() {
    std::set<std::string> all;
    for (const auto& entry : before_.facts) all.insert(entry.first);
    for (const auto& entry : now_.facts) all.insert(entry.first);
    using Sight = ReadySnapshot::Sight;
    for (const std::string& path : all) {
      const Sight was = before_.sight(path);
      const Sight is = now_.sight(path);
      if (was == Sight::Unknown || is == Sight::Unknown || within_changed(path)) continue;
      if (was == Sight::None && is == Sight::None) continue;
      const FactKind kind = rows_.of(path).kind;
      const std::string old_value = was == Sight::Value ? before_.facts.at(path).value : "";
      const std::string new_value = is == Sight::Value ? now_.facts.at(path).value : "";
      if (kind == FactKind::Identity) note_name(path, old_value != new_value);
      if (!tells(kind, old_value, new_value)) continue;
      FactDifference change;
      change.value = new_value;
      change.others = old_value;
      add(std::move(change), path);
    }
  }

  void add(FactDifference change, const std::string& path) {
    const catalog::ChangeRow* row = guilt_.of(path, symptom_.place);
    const std::int64_t usual = rows_.of(path).guilt;
    change.path = path;
    change.guilt = row != nullptr ? row->guilt : symptom_.place.empty() ? usual : usual / 2;
    change.guilt = std::clamp<std::int64_t>(change.guilt + nearness(path), 0, 100);
    found_.push_back(std::move(change));
  }

  /// Only where the fact belongs to a device of the symptom's kind: another GPU, another port.
  std::int64_t nearness(const std::string& path) const {
    if (symptom_.device.empty()) return 0;
    const std::vector<std::string> parts = parts_of(path);
    if (parts.empty()) return 0;
    if (base::contains(parts.front(), symptom_.device)) return kSameDevice;
    const std::string list = parts.front().substr(0, parts.front().find('[') + 1);
    const auto has_device = [&](const ReadySnapshot& snapshot) {
      return std::any_of(snapshot.parts.begin(), snapshot.parts.end(), [&](const std::string& part) {
        return part.starts_with(list) && base::contains(part, symptom_.device);
      });
    };
    return has_device(before_) || has_device(now_) ? kOtherDevice : 0;
  }

  void note_name(const std::string& path, bool changed) {
    auto& [changes, all] = names_[without_keys(path)];
    changes += changed ? 1 : 0;
    ++all;
  }

  /// Names that all changed together were replaced by who wrote them down, not by who replaced parts.
  void drop_renamed() {
    std::erase_if(found_, [&](const FactDifference& change) {
      const auto name = names_.find(without_keys(change.path));
      return name != names_.end() && name->second.first * 2 > name->second.second;
    });
  }

  const FactGuilt& guilt_;
  const Symptom& symptom_;
  catalog::RememberedGuilt rows_;
  ReadySnapshot before_;
  ReadySnapshot now_;
  std::set<std::string> changed_parts_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> names_;  ///< changed, all; by fact
  std::vector<FactDifference> found_;
};

}  // namespace

const Finding* first_symptom(const model::Diagnosis& diagnosis) {
  const auto is_error = [](const Finding& finding) { return finding.severity >= Severity::Error; };
  const bool errors = std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(), is_error);
  const Finding* first = nullptr;
  for (const Finding& finding : diagnosis.findings) {
    if (errors && !is_error(finding)) continue;
    const auto earlier = first == nullptr ? std::nullopt : model::time_between(finding.first, first->first);
    if (first == nullptr || (earlier && *earlier > 0)) first = &finding;
  }
  return first;
}

Symptom symptom_of(const Finding* finding, const catalog::Catalog& catalog) {
  if (finding == nullptr) return {};
  Symptom symptom;
  symptom.device = finding->subject.id.size() < kShortestDevice ? "" : finding->subject.id;
  if (const catalog::Cause* cause = catalog.cause(finding->cause)) symptom.place = cause->at;
  return symptom;
}

std::vector<FactDifference> rank_changes(const Snapshot& before, const Snapshot& now, const Symptom& symptom,
                                         const FactGuilt& guilt) {
  return Changes(before, now, symptom, guilt).rank();
}

}  // namespace gpuwright::rules
