// The machine as a tree of named facts: one shape for everybody who treats all facts alike (JSON, text,
// comparison with a peer, with an older snapshot, with a spec), so that only one place walks the structures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/machine.h"

#include <string>
#include <variant>
#include <vector>

namespace gpuwright::model {

/// One fact, or a group or list of them.
struct FactNode {
  enum class Kind { Group, List, Value, Absent };

  std::string
      name;  ///< key in its group ("memory_bytes"); of a list's element: its identity ("0000:3b:00.0")
  Kind kind = Kind::Group;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>> value;
  AbsentReason reason = AbsentReason::NotFound;
  bool looked = false;  ///< a place is noted: somebody tried to read it
  Evidence place;       ///< where it was read, or why it could not be; empty when nothing was noted
  std::vector<FactNode> children;
};

/// All facts of the machine. A list that could not be read is Absent, never an empty List.
FactNode fact_tree(const Machine& machine);

/// A fact by its path: "driver.loaded_version", "gpus[0000:3b:00.0].power_limit_w".
struct Fact {
  std::string path;
  std::string value;  ///< as JSON would write it, without quotes; lists joined by ", "; empty where absent
  bool known = false;
  AbsentReason reason = AbsentReason::NotFound;
  Evidence place;
};

/// Values and absences in the order of the tree. Elements of a list are told by their identity; two with the
/// same one get "#2", "#3".
std::vector<Fact> flatten(const FactNode& tree);
std::vector<Fact> flatten(const Machine& machine);

/// "not found", "denied", "not supported", "timed out", "malformed".
const char* word_of(AbsentReason reason);

}  // namespace gpuwright::model
