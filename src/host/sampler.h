// Samples of all GPUs, again and again, without being hung by any of them. A forked child asks
// (sample_worker); a GPU whose answer does not come in time is reported, its child is given up, and a fresh
// one goes on with the others, while that GPU is tried from time to time by a child of its own. Children that
// SIGKILL does not reach are counted, and there is never more than one for a GPU: a child claims
// what it asks (nvml_claims.h), as other looks do.
//
// It does not wait: its owner polls descriptors() and calls read(), and look_at_clock() at next_deadline().
// One thread only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/forked.h"
#include "host/sample_worker.h"
#include "model/sample.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::host {

struct SamplerLimits {
  std::chrono::milliseconds opening{15'000};  ///< to open the library: slow without persistence mode
  std::chrono::milliseconds first{5'000};     ///< for a GPU's first answer
  std::chrono::milliseconds gpu{500};         ///< for its later ones
  std::chrono::milliseconds retry{10'000};    ///< between tries of what hung, is lost, or cannot be opened
  std::string bus = kPciDevices;  ///< where the kernel tells which GPUs sleep: those are not asked
};

/// Who hears what was sampled.
class SampleListener {
 public:
  virtual ~SampleListener() = default;
  virtual void on_driver(const model::SampledDriver& driver) = 0;
  virtual void on_gpu(const model::SampledGpu& gpu) = 0;
  virtual void on_sample(model::GpuSample sample) = 0;
  /// It sleeps, and was not asked, which would have woken it.
  virtual void on_asleep(std::uint32_t index) = 0;
  /// This GPU gave no answer for so long, or took the process down.
  virtual void on_hang(std::uint32_t index, std::chrono::milliseconds waited, bool crashed) = 0;
  /// The library cannot be opened, or does not answer; tried again by itself.
  virtual void on_no_driver(const base::Error& error) = 0;
};

/// What the child runs: nvml::run_sample_worker, or what a test puts in its place.
using SampleWork = std::function<void(int fd, const nvml::SampleJob& job)>;

class Sampler {
 public:
  using Clock = std::chrono::steady_clock;

  /// The plan's order is that of the values.
  Sampler(nvml::SamplePlan plan, const SamplerLimits& limits, SampleListener& listener,
          SampleWork work = nvml::run_sample_worker);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Begins: starts the first child.
  void start();
  /// Ends all children: the driver is let go of, so that idle boards may sleep. start() begins anew.
  void stop();
  bool running() const { return running_; }
  /// Asks all that are idle; `whole`: all values, else those that are asked often.
  void tick(bool whole);

  std::vector<int> descriptors() const;
  /// Whom to tell before one of them is closed: its number may be another's at once.
  void before_close(std::function<void(int)> tell) { before_close_ = std::move(tell); }
  void read(int descriptor);
  Clock::time_point next_deadline() const;
  /// Gives up who is late, collects the dead, tries anew what is due.
  void look_at_clock();

  std::int64_t restarts() const { return restarts_; }  ///< children that were replaced
  std::int64_t left_behind() const;                    ///< children that cannot be ended
  std::vector<pid_t> children() const;                 ///< those at work

 private:
  struct Crew;
  struct Hung {
    Clock::time_point retry;
    pid_t waiting = -1;  ///< the child that sleeps there and cannot be ended; -1: none
    int good = 0;        ///< samples in a row since
  };

  void start_crew(std::vector<std::uint32_t> only);
  bool end_crew(Crew& crew);
  void restart_main();
  void frame(Crew& crew, const struct SampleFrame& frame);
  void sampled(Crew& crew, model::GpuSample sample);
  void give_up(Crew& crew, std::chrono::milliseconds waited, bool crashed);
  void hung(std::uint32_t index, pid_t waiting);
  void collect_dead();
  void try_again();
  bool is_late(const Crew& crew, Clock::time_point now) const;
  std::chrono::milliseconds patience(const Crew& crew) const;
  void drop_ended();

  nvml::SamplePlan plan_;
  SamplerLimits limits_;
  SampleListener& listener_;
  SampleWork work_;
  std::function<void(int)> before_close_;
  std::vector<std::unique_ptr<Crew>> crews_;
  std::map<std::uint32_t, Hung> hung_;  ///< by GPU index
  std::vector<std::uint32_t> lost_;
  std::optional<Clock::time_point> main_retry_;  ///< when the first child is due again
  pid_t opening_waits_ = -1;                     ///< a child that sleeps in opening the library
  std::vector<pid_t> left_;
  std::int64_t restarts_ = 0;
  bool running_ = false;
};

}  // namespace gpuwright::host
