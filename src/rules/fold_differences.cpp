// SPDX-License-Identifier: Apache-2.0
#include "rules/fold_differences.h"

#include "base/text.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpuwright::rules {

using model::DifferenceKind;
using model::FactDifference;

namespace {

constexpr std::size_t kShortestTelling = 5;  // characters of a version or a name that is no chance

bool is_version(const std::string& text) {
  return text.size() >= kShortestTelling && base::contains(text, ".") &&
         text.find_first_of("0123456789") != std::string::npos;
}

/// The same fact of a sibling part with the same values.
bool same_elsewhere(const FactDifference& one, const FactDifference& root) {
  return one.kind == root.kind && one.value == root.value && one.others == root.others &&
         without_keys(one.path) == without_keys(root.path);
}

/// "580.95.05-0ubuntu1" beside "580.95.05", on both sides, whichever of them is the guiltier.
bool same_versions(const FactDifference& one, const FactDifference& root) {
  const auto holds = [](const FactDifference& longer, const FactDifference& shorter) {
    return is_version(shorter.value) && is_version(shorter.others) &&
           base::contains(longer.value, shorter.value) && base::contains(longer.others, shorter.others);
  };
  const bool values = one.kind == DifferenceKind::Differs && root.kind == DifferenceKind::Differs;
  return values && (holds(one, root) || holds(root, one));
}

/// About the part that is missing or extra, wherever its name stands.
bool about_part(const FactDifference& one, const FactDifference& root) {
  if (root.kind == DifferenceKind::Differs) return false;
  const std::string key = last_key(root.path);
  if (key.size() < kShortestTelling) return false;
  if (base::contains(one.path, key)) return true;
  const bool missing = root.kind == DifferenceKind::Missing;
  return base::contains(missing ? one.others : one.value, key) &&
         !base::contains(missing ? one.value : one.others, key);
}

}  // namespace

bool is_elsewhere(const std::string& part, const ReadySnapshot& lacking, const ReadySnapshot& having) {
  return is_pci_address(last_key(part)) && lacking.siblings(part) >= having.siblings(part);
}

void fold_differences(std::vector<FactDifference>& differences) {
  const auto before = [](const FactDifference& a, const FactDifference& b) {
    if (a.guilt != b.guilt) return a.guilt > b.guilt;
    if (a.agree != b.agree) return a.agree > b.agree;
    return a.path < b.path;
  };
  std::sort(differences.begin(), differences.end(), before);
  std::vector<FactDifference> kept;
  for (FactDifference& one : differences) {
    const auto root = std::find_if(kept.begin(), kept.end(), [&](const FactDifference& known) {
      return same_elsewhere(one, known) || same_versions(one, known) || about_part(one, known);
    });
    if (root == kept.end()) {
      kept.push_back(std::move(one));
    } else {
      root->also.push_back(std::move(one.path));
    }
  }
  differences = std::move(kept);
}

}  // namespace gpuwright::rules
