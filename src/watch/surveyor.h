// Who uses the GPUs and what the host does, asked again and again without being hung by any of it. A forked
// child looks (survey_worker); what gives it no answer in time is let be for a while, and a fresh child goes
// on with the rest. While a child sleeps where SIGKILL does not reach it, nothing of that class (processes,
// disks, ...) is asked; when two do, no further one is started.
//
// It does not wait: its owner polls descriptors() and calls read(), and look_at_clock() at next_deadline().
// One thread only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/forked.h"
#include "model/node_state.h"
#include "parse/pod_resources.h"
#include "watch/survey_frames.h"
#include "watch/survey_worker.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::watch {

struct SurveyorLimits {
  std::chrono::milliseconds step{1000};     ///< for one subject
  std::chrono::milliseconds slow{5000};     ///< for one that is a service: kubelet, Slurm
  std::chrono::milliseconds retry{60'000};  ///< until what gave no answer is asked again
};

/// Processes on any GPU, each once.
std::vector<std::int64_t> pids_of(const model::NodeState& state);

class Surveyor {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Surveyor(SurveyJob job, const SurveyorLimits& limits = {});
  ~Surveyor();
  Surveyor(const Surveyor&) = delete;
  Surveyor& operator=(const Surveyor&) = delete;

  void start();
  void stop();
  /// Asks about these processes and the host; while an earlier answer is awaited, nothing.
  void tick(const std::vector<std::int64_t>& pids);

  std::vector<int> descriptors() const;
  /// Whom to tell before one of them is closed: its number may be another's at once.
  void before_close(std::function<void(int)> tell) { before_close_ = std::move(tell); }
  void read(int descriptor);
  Clock::time_point next_deadline() const;
  /// Gives up who is late, collects the dead, tries anew what is due.
  void look_at_clock();

  /// Writes all that is known into the state: names of the GPUs' users, to whom they were given, the host's
  /// series. Call it after each answer.
  void fill(model::NodeState& state) const;
  /// Only the users that have no name yet: after each sample.
  void name_new_users(model::NodeState& state) const;

  /// How many answers have come.
  std::int64_t answers() const { return answers_; }
  std::int64_t restarts() const { return restarts_; }
  std::int64_t left_behind() const { return static_cast<std::int64_t>(left_.size()); }
  std::vector<pid_t> children() const;

 private:
  struct Silent {
    Clock::time_point retry;
    pid_t waiting = -1;  ///< the child that sleeps there and cannot be ended
  };

  bool name_users(model::GpuState& gpu, bool all) const;
  void start_child();
  bool end_child();
  void give_up(bool crashed);
  void frame(char tag, std::string_view content);
  std::vector<std::string> skipped() const;
  std::chrono::milliseconds patience() const;
  void collect_dead();

  SurveyJob job_;
  SurveyorLimits limits_;
  std::function<void(int)> before_close_;
  host::Forked child_;
  std::string pending_;
  bool running_ = false;
  bool busy_ = false;
  std::string asking_;
  Clock::time_point since_;
  std::optional<Clock::time_point> restart_;  ///< when a child may be started again
  std::map<std::string, Silent> silent_;
  std::vector<pid_t> left_;
  std::int64_t restarts_ = 0, answers_ = 0;

  std::map<std::int64_t, model::GpuUser> users_;  ///< by process
  std::vector<model::HostSeries> series_;
  std::vector<parse::GivenContainer> given_;
  model::SurveyState state_;
};

}  // namespace gpuwright::watch
