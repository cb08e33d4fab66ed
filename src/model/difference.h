// What sets one machine apart from its peers, or from itself before it broke.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuwright::model {

enum class DifferenceKind {
  Differs,  ///< another value
  Missing,  ///< a part that the others have, or that was there before
  Extra,    ///< a part that the others do not have, or that was not there before
};

/// One fact that differs. Texts come from data/fact_guilt.csv by `path`.
struct FactDifference {
  DifferenceKind kind = DifferenceKind::Differs;
  std::string path;               ///< of the fact, or of the part: "gpus[0000:3b:00.0]"
  std::string value;              ///< here, now; empty: none
  std::string others;             ///< at the peers, before; empty: none
  std::int64_t agree = 0;         ///< peers that have `others`
  std::int64_t guilt = 0;         ///< 0 to 100: how often such a difference is what breaks a machine
  std::vector<std::string> also;  ///< further facts that say the same change
};

/// A machine (or GPU) that its peers do not agree with.
struct OddOne {
  std::string name;
  std::vector<FactDifference> differences;  ///< guiltiest first
};

/// A fact on which the machines fall into groups, none of them a clear majority.
struct FactSplit {
  std::string path;
  std::int64_t guilt = 0;
  struct Group {
    std::string value;
    std::vector<std::string> names;
  };
  std::vector<Group> groups;  ///< largest first
};

/// What changed on one machine before its first symptom.
struct ChangeReport {
  std::string since;                    ///< what it was compared with, as the user named it
  std::string symptom;                  ///< cause of the first symptom; empty: nothing is known to be broken
  std::string place;                    ///< where that lies, as `at` of the cause
  std::vector<FactDifference> changes;  ///< guiltiest first
};

struct PeerReport {
  std::vector<std::string> names;  ///< who was compared
  std::vector<OddOne> odd;         ///< guiltiest first
  std::vector<FactSplit> splits;   ///< guiltiest first
};

}  // namespace gpuwright::model
