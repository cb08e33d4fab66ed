// States of a node that seldom change, and what became of them: the driver, each GPU's presence, place,
// firmware and parts. Told once when they change, also across a restart of the daemon. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/history.h"
#include "model/node_state.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::watch {

class StateLog {
 public:
  /// What an earlier daemon wrote last of each state.
  void take_over(const std::vector<model::StateChange>& last);
  /// What has changed since the last look, or is known for the first time.
  std::vector<model::StateChange> look(const model::NodeState& state);

 private:
  using Key = std::pair<std::string, std::string>;  ///< subject, what
  void look_at_gpu(const model::GpuState& gpu);
  void look_for_gone(const model::NodeState& state);
  void note(const Key& key, const std::string& to, const std::string& reason = {});

  std::map<Key, std::string> last_;
  std::vector<model::StateChange> changes_;
};

}  // namespace gpuwright::watch
