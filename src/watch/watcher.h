// Keeps the state of the node true: takes samples and kernel lines as they come, says which GPU is up, and
// counts each Xid once. It does nothing by itself and makes no call that could wait.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "host/kmsg.h"
#include "host/sampler.h"
#include "model/history.h"
#include "model/node_state.h"
#include "watch/plan.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::watch {

/// Both clocks, from the caller: tests have their own.
struct Now {
  double steady_s = 0;
  double wall_s = 0;
};
using ClockFunction = std::function<Now()>;

/// Proof that what was wrong with a GPU is over: the GPU (its address, "0000:3b:00"), and what proves it (a
/// code of data/endings.csv).
using RecoveryFunction = std::function<void(const std::string& pci, const std::string& why)>;
/// Something that has happened, with its time.
using EventFunction = std::function<void(model::HistoryEvent event)>;

class Watcher final : public host::SampleListener {
 public:
  /// Both must outlive it. A GPU of which there is nothing newer than `stale_after_s` is not up.
  Watcher(const catalog::Metrics& metrics, const WatchPlan& plan, ClockFunction clock,
          double stale_after_s = 3);

  const model::NodeState& state() const { return state_; }
  /// The state to be filled by others: the host's series, own costs.
  model::NodeState& mutable_state() { return state_; }
  /// The address of this GPU without function, "0000:3b:00"; empty where it is not known.
  std::string device_of_gpu(std::uint32_t index) const;
  /// Whom to tell of recoveries.
  void on_recovery(RecoveryFunction tell) { tell_recovery_ = std::move(tell); }
  /// Whom to tell of Xids and other words of the kernel, of GPUs that hang, are lost or come back.
  void on_event(EventFunction tell) { tell_event_ = std::move(tell); }
  /// Which GPUs an earlier daemon saw in this boot: one that is lost now cannot tell who it is.
  void take_over_gpus(const std::vector<model::SampledGpu>& gpus);
  /// Xids that an earlier daemon counted in this boot (their count, and the last time): they go on.
  void take_over_xids(const std::vector<model::HistoryEvent>& counted);
  /// Sets the state's clocks to now, and says of whom nothing has been heard for too long.
  void look_at_clock();

  void on_driver(const model::SampledDriver& driver) override;
  void on_gpu(const model::SampledGpu& identity) override;
  void on_sample(model::GpuSample sample) override;
  void on_asleep(std::uint32_t index) override;
  void on_hang(std::uint32_t index, std::chrono::milliseconds waited, bool crashed) override;
  void on_no_driver(const base::Error& error) override;

  /// A record of the kernel's log. Those of programs are counted as unverified where they look like the
  /// driver's, and never as errors.
  void on_kernel_record(const host::KernelRecord& record);
  /// How reading the log stands. While it can be read, the library's own events are not counted: they are the
  /// same Xids.
  void on_kernel_log(bool readable, const std::string& why, std::uint64_t lost);

 private:
  model::GpuState& gpu(std::uint32_t index);
  static void count_xid(model::GpuState& one, std::int64_t code, double wall_s, std::uint64_t count = 1);
  void tell(const model::GpuState& one, const char* kind, const std::string& code,
            const std::string& text) const;
  void recovered(const model::GpuState& one, const char* why) const;
  void look_for_recovery(model::GpuState& one, const model::GpuSample& sample);
  void merge(model::GpuState& one, const model::GpuSample& sample) const;
  void rate_links(model::GpuState& one, const model::GpuSample& sample);
  void kernel_xid(const model::HistoryEvent& event);
  void take_early_xids(model::GpuState& one);
  const model::SampleValue* value(const model::GpuSample& sample, host::nvml::PlannedValue::Kind kind,
                                  std::uint32_t number) const;

  const catalog::Metrics& metrics_;
  const WatchPlan& plan_;
  ClockFunction clock_;
  double stale_after_s_;
  RecoveryFunction tell_recovery_;
  EventFunction tell_event_;
  model::NodeState state_;
  struct LinkBytes {
    double bytes = 0, at_s = 0;
  };
  std::map<std::uint32_t, LinkBytes> links_;  ///< when last looked
  struct EarlyXid {
    std::string device;
    std::int64_t code = 0;
    double wall_s = 0;
    std::uint64_t count = 1;
    std::string uuid;  ///< whose it was; empty: whoever is there
  };
  std::map<std::uint32_t, model::SampledGpu> earlier_;  ///< as an earlier daemon saw them
  std::vector<EarlyXid> early_;                         ///< of GPUs that have not told their address yet
};

}  // namespace gpuwright::watch
