// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/watcher.h"

#include "base/ids.h"
#include "base/text.h"
#include "watch/kernel_event.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace gpuwright::watch {

namespace {

using model::GpuState;
using model::SampleValue;

/// "0000:3b:00.0" of "00000000:3B:00.0" and of "0000:3b:00".
std::string device_of(std::string_view address) {
  auto pci = base::PciAddress::parse(address);
  if (!pci) return {};
  pci->function = 0;
  return pci->text();
}

}  // namespace

Watcher::Watcher(const catalog::Metrics& metrics, const WatchPlan& plan, ClockFunction clock,
                 double stale_after_s)
    : metrics_(metrics), plan_(plan), clock_(std::move(clock)), stale_after_s_(stale_after_s) {
  look_at_clock();
}

void Watcher::look_at_clock() {
  const Now now = clock_();
  state_.now_s = now.steady_s;
  state_.wall_s = now.wall_s;
  for (auto& entry : state_.gpus) {
    GpuState& one = entry.second;
    if (!one.up || state_.now_s - one.fresh_s <= stale_after_s_) continue;
    one.up = false;
    one.why = fmt::format("nothing new for more than {} s", stale_after_s_);
  }
}

GpuState& Watcher::gpu(std::uint32_t index) {
  const auto [at, added] = state_.gpus.try_emplace(index);
  if (added) {
    const auto earlier = earlier_.find(index);
    if (earlier != earlier_.end()) at->second.identity = earlier->second;
    at->second.identity.index = index;
    for (const catalog::PagedXidRow& row : metrics_.xids) at->second.xids.try_emplace(row.code);
    if (!at->second.identity.pci.empty()) take_early_xids(at->second);
  }
  return at->second;
}

void Watcher::on_driver(const model::SampledDriver& driver) {
  look_at_clock();
  state_.driver = driver;
  state_.driver_known = true;
  state_.no_driver.clear();
  for (auto at = state_.gpus.begin(); at != state_.gpus.end();)
    at = at->first >= driver.gpus ? state_.gpus.erase(at) : std::next(at);
}

void Watcher::on_gpu(const model::SampledGpu& identity) {
  const GpuState& before = gpu(identity.index);
  if (!before.identity.uuid.empty() && before.identity.uuid != identity.uuid) {
    recovered(before, "replaced");
    state_.gpus.erase(identity.index);
  }
  GpuState& one = gpu(identity.index);
  one.identity = identity;
  take_early_xids(one);
}

/// The kernel may tell an Xid before the library has told whose address that is.
void Watcher::take_early_xids(GpuState& one) {
  const std::string device = device_of(one.identity.pci);
  for (auto at = early_.begin(); at != early_.end();) {
    if (at->device != device) {
      ++at;
      continue;
    }
    if (at->uuid.empty() || at->uuid == one.identity.uuid) count_xid(one, at->code, at->wall_s, at->count);
    at = early_.erase(at);
  }
}

void Watcher::merge(GpuState& one, const model::GpuSample& sample) const {
  if (one.values.size() != sample.values.size()) one.values.assign(sample.values.size(), SampleValue());
  for (std::size_t at = 0; at < sample.values.size(); ++at) {
    const SampleValue& value = sample.values[at];
    const bool asked = value.known() || value.reason != model::AbsentReason::NotFound;
    if (asked || sample.has_processes) one.values[at] = value;
  }
  if (sample.has_processes) one.parts = sample.parts;
}

void Watcher::on_sample(model::GpuSample sample) {
  look_at_clock();
  GpuState& one = gpu(sample.index);
  constexpr double kMicro = 1e-6;
  one.took_s = static_cast<double>(sample.took_us) * kMicro;
  one.asleep = false;
  if (!state_.kernel.readable) {
    for (const std::uint64_t xid : sample.xids) {
      count_xid(one, static_cast<std::int64_t>(xid), state_.wall_s);
      tell(one, "xid", std::to_string(xid), "told by the driver's library");
    }
  }
  if (sample.lost) {
    if (!one.lost) tell(one, "gpu", "lost", sample.why);
    one.up = false;
    one.lost = true;
    one.why = sample.why;
    return;
  }
  look_for_recovery(one, sample);
  merge(one, sample);
  one.up = one.ever = true;
  one.why.clear();
  one.fresh_s = state_.now_s;
  if (!sample.has_processes) return;
  one.whole_s = state_.now_s;
  rate_links(one, sample);
  one.users.clear();
  one.users_known = true;
  for (const model::SampledProcess& process : sample.processes) {
    model::GpuUser user;
    user.pid = process.pid;
    user.memory_known = process.memory_bytes != ~std::uint64_t{0};
    user.memory_bytes = user.memory_known ? process.memory_bytes : 0;
    user.gpu_instance = process.gpu_instance;
    one.users.push_back(std::move(user));
  }
}

void Watcher::tell(const GpuState& one, const char* kind, const std::string& code,
                   const std::string& text) const {
  if (!tell_event_) return;
  model::HistoryEvent event;
  constexpr double kMilli = 1000;
  event.time_ms = static_cast<std::int64_t>(state_.wall_s * kMilli);
  event.kind = kind;
  event.code = code;
  event.text = text;
  event.uuid = one.identity.uuid;
  event.pci = device_of_gpu(one.identity.index);
  tell_event_(std::move(event));
}

void Watcher::recovered(const GpuState& one, const char* why) const {
  tell(one, "gpu", why, "what was wrong with it before is over");
  const std::string device = device_of_gpu(one.identity.index);
  if (tell_recovery_ && !device.empty()) tell_recovery_(device, why);
}

std::string Watcher::device_of_gpu(std::uint32_t index) const {
  const auto at = state_.gpus.find(index);
  const std::string device = at == state_.gpus.end() ? std::string() : device_of(at->second.identity.pci);
  return device.substr(0, device.rfind('.'));
}

/// A GPU that was lost and answers, or whose energy counter (field 83) begins anew, was reset or its driver
/// was loaded anew.
void Watcher::look_for_recovery(GpuState& one, const model::GpuSample& sample) {
  const SampleValue* energy = value(sample, host::nvml::PlannedValue::Kind::Field, 83);
  const auto place =
      energy == nullptr ? std::size_t{0} : static_cast<std::size_t>(energy - sample.values.data());
  const bool compared = energy != nullptr && place < one.values.size() && one.values[place].known();
  if (one.lost) {
    recovered(one, "answers");
  } else if (compared && energy->count < one.values[place].count) {
    recovered(one, "reset");
  }
  one.lost = false;
}

const SampleValue* Watcher::value(const model::GpuSample& sample, host::nvml::PlannedValue::Kind kind,
                                  std::uint32_t number) const {
  for (std::size_t at = 0; at < plan_.values.size() && at < sample.values.size(); ++at) {
    const host::nvml::PlannedValue& planned = plan_.values[at];
    if (planned.kind == kind && planned.number == number && sample.values[at].known())
      return &sample.values[at];
  }
  return nullptr;
}

/// Both directions of all links: from the byte counters (fields 138 and 139, KiB), else as GPM tells it (60
/// and 61, MiB/s).
void Watcher::rate_links(GpuState& one, const model::GpuSample& sample) {
  using Kind = host::nvml::PlannedValue::Kind;
  constexpr double kKibi = 1024;
  one.nvlink_bytes_per_s = -1;
  const SampleValue* sent = value(sample, Kind::Field, 138);
  const SampleValue* received = value(sample, Kind::Field, 139);
  if (sent != nullptr && received != nullptr) {
    LinkBytes& last = links_[sample.index];
    const LinkBytes now{(sent->number() + received->number()) * kKibi, state_.now_s};
    if (last.at_s > 0 && now.at_s > last.at_s && now.bytes >= last.bytes)
      one.nvlink_bytes_per_s = (now.bytes - last.bytes) / (now.at_s - last.at_s);
    last = now;
    return;
  }
  sent = value(sample, Kind::Gpm, 61);
  received = value(sample, Kind::Gpm, 60);
  if (sent != nullptr && received != nullptr)
    one.nvlink_bytes_per_s = (sent->number() + received->number()) * kKibi * kKibi;
}

void Watcher::on_asleep(std::uint32_t index) {
  look_at_clock();
  GpuState& one = gpu(index);
  one.asleep = true;
  one.up = false;
  one.why = "it sleeps, and is not woken";
}

void Watcher::on_hang(std::uint32_t index, std::chrono::milliseconds waited, bool crashed) {
  look_at_clock();
  GpuState& one = gpu(index);
  one.up = false;
  ++one.hangs;
  one.why = crashed ? std::string("the driver's library ended the process that asked")
                    : fmt::format("no answer for {} ms", waited.count());
  tell(one, "gpu", crashed ? "crash" : "hang", one.why);
}

void Watcher::on_no_driver(const base::Error& error) {
  look_at_clock();
  state_.driver_known = false;
  state_.no_driver = error.where.empty() ? error.message : error.where + ": " + error.message;
  for (auto& entry : state_.gpus) {
    entry.second.up = false;
    entry.second.why = state_.no_driver;
  }
}

void Watcher::count_xid(GpuState& one, std::int64_t code, double wall_s, std::uint64_t count) {
  constexpr std::size_t kMostCodes = 64;
  if (one.xids.size() >= kMostCodes && one.xids.count(code) == 0) return;
  model::XidCount& seen = one.xids[code];
  seen.count += count;
  seen.last_s = std::max(seen.last_s, wall_s);
}

void Watcher::take_over_gpus(const std::vector<model::SampledGpu>& gpus) {
  for (const model::SampledGpu& gpu : gpus) {
    earlier_[gpu.index] = gpu;
    const auto at = state_.gpus.find(gpu.index);
    if (at != state_.gpus.end() && at->second.identity.uuid.empty()) at->second.identity = gpu;
  }
}

void Watcher::take_over_xids(const std::vector<model::HistoryEvent>& counted) {
  constexpr double kMilli = 1e-3;
  for (const model::HistoryEvent& event : counted) {
    const auto code = base::parse_int(event.code);
    if (!code || event.count <= 0) continue;
    early_.push_back({device_of(event.pci), *code, static_cast<double>(event.time_ms) * kMilli,
                      static_cast<std::uint64_t>(event.count), event.uuid});
  }
  for (auto& entry : state_.gpus) {
    if (!entry.second.identity.pci.empty()) take_early_xids(entry.second);
  }
}

void Watcher::on_kernel_record(const host::KernelRecord& record) {
  ++state_.kernel.lines;
  auto event = kernel_event(record, state_);
  if (!event) return;
  look_at_clock();
  constexpr double kMilli = 1000;
  event->time_ms = static_cast<std::int64_t>(state_.wall_s * kMilli);
  if (!record.of_kernel) {
    if (event->kind == "xid" || base::contains(record.message, "NVRM:")) ++state_.kernel.unverified;
  } else if (event->kind == "xid") {
    kernel_xid(*event);
  }
  if (tell_event_) tell_event_(std::move(*event));
}

void Watcher::kernel_xid(const model::HistoryEvent& event) {
  const std::int64_t code = base::parse_int(event.code).value_or(0);
  if (const auto index = model::gpu_at(state_, event.pci))
    return count_xid(state_.gpus.at(*index), code, state_.wall_s);
  constexpr std::size_t kMostEarly = 64;
  if (!event.pci.empty() && early_.size() < kMostEarly)
    early_.push_back({device_of(event.pci), code, state_.wall_s, 1, {}});
}

void Watcher::on_kernel_log(bool readable, const std::string& why, std::uint64_t lost) {
  state_.kernel.readable = readable;
  state_.kernel.why = why;
  state_.kernel.lost = lost;
}

}  // namespace gpuwright::watch
