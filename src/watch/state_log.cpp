// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/state_log.h"

#include <algorithm>
#include <cmath>

namespace gpuwright::watch {

namespace {

constexpr const char* kHost = "host";
constexpr const char* kPresence = "presence";
constexpr const char* kGone = "gone";
constexpr std::size_t kMostStates = 4096;

/// "1g.10gb 1g.10gb 3g.40gb", or "whole".
std::string parts_of(const model::SampledGpu& gpu) {
  std::vector<std::string> profiles;
  for (const model::MigPart& part : gpu.parts) profiles.push_back(part.profile);
  std::sort(profiles.begin(), profiles.end());
  std::string text;
  for (const std::string& profile : profiles) text += (text.empty() ? "" : " ") + profile;
  return profiles.empty() ? "whole" : text;
}

}  // namespace

void StateLog::take_over(const std::vector<model::StateChange>& last) {
  for (const model::StateChange& change : last) last_.try_emplace({change.subject, change.what}, change.to);
}

void StateLog::note(const Key& key, const std::string& to, const std::string& reason) {
  if (to.empty()) return;
  const auto at = last_.find(key);
  if (at != last_.end() && at->second == to) return;
  if (at == last_.end() && last_.size() >= kMostStates) return;
  model::StateChange change;
  change.subject = key.first;
  change.what = key.second;
  change.from = at == last_.end() ? "" : at->second;
  change.to = to;
  change.reason = reason;
  changes_.push_back(std::move(change));
  last_[key] = to;
}

void StateLog::look_at_gpu(const model::GpuState& gpu) {
  const std::string& uuid = gpu.identity.uuid;
  if (uuid.empty()) return;
  if (gpu.up) {
    note({uuid, kPresence}, "answers");
  } else if (gpu.asleep) {
    note({uuid, kPresence}, "asleep", gpu.why);
  } else if (gpu.ever || gpu.lost || gpu.hangs > 0) {
    note({uuid, kPresence}, gpu.lost ? "lost" : "does not answer", gpu.why);
  }
  note({uuid, "address"}, gpu.identity.pci);
  note({uuid, "index"}, std::to_string(gpu.identity.index));
  note({uuid, "vbios"}, gpu.identity.vbios_version);
  note({uuid, "inforom"}, gpu.identity.inforom_version);
  note({uuid, "parts"}, parts_of(gpu.identity));
}

/// A GPU that the driver has forgotten: only when all that it has have told who they are.
void StateLog::look_for_gone(const model::NodeState& state) {
  if (!state.driver_known) return;
  std::set<std::string> there;
  for (const auto& entry : state.gpus) there.insert(entry.second.identity.uuid);
  there.erase("");
  if (there.size() < state.driver.gpus) return;
  std::vector<Key> gone;
  for (const auto& [key, last] : last_) {
    if (key.second == kPresence && last != kGone && there.count(key.first) == 0) gone.push_back(key);
  }
  for (const Key& key : gone) note(key, kGone, "the driver does not know it any more");
}

std::vector<model::StateChange> StateLog::look(const model::NodeState& state) {
  if (state.driver_known) {
    note({kHost, "driver"}, state.driver.driver_version);
  } else if (!state.no_driver.empty()) {
    note({kHost, "driver"}, "none", state.no_driver);
  }
  if (state.gpus_on_bus >= 0) note({kHost, "gpus_on_bus"}, std::to_string(state.gpus_on_bus));
  if (state.kernel.readable || !state.kernel.why.empty())
    note({kHost, "kernel_log"}, state.kernel.readable ? "readable" : "not readable",
         state.kernel.readable ? "" : state.kernel.why);
  for (const auto& entry : state.gpus) look_at_gpu(entry.second);
  look_for_gone(state);
  const auto wall_ms = static_cast<std::int64_t>(std::llround(state.wall_s * 1000));
  for (model::StateChange& change : changes_) change.time_ms = wall_ms;
  return std::exchange(changes_, {});
}

}  // namespace gpuwright::watch
