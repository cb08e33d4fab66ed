// See the header. Source of calls: NVML API reference; GPM: nvmlGpmMetricsGet with two samples, whose window
// is the time between them.
// SPDX-License-Identifier: Apache-2.0
#include "host/sample_worker.h"

#include "base/files.h"
#include "base/text.h"
#include "host/nvml_claims.h"
#include "host/nvml_words.h"
#include "host/sample_frames.h"
#include "host/sample_gpm.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace gpuwright::host::nvml {

namespace {

using Clock = std::chrono::steady_clock;
using model::SampleValue;

constexpr std::uint32_t kAllLinks = 0xFFFFFFFF;
constexpr std::size_t kMostProcesses = 512;
constexpr std::uint32_t kMostParts = 16;

template <std::size_t kSize, class Call>
std::string text_of(Call call, Device device) {
  if (call == nullptr) return {};
  std::array<char, kSize + 1> buffer{};
  if (call(device, buffer.data(), static_cast<std::uint32_t>(kSize)) != Return::Success) return {};
  return base::printable(buffer.data(), kSize);
}

SampleValue value_of(const FieldValue& field) {
  if (field.result != Return::Success) return SampleValue::absent(absent_reason(field.result));
  switch (field.type) {
    case kDouble:
      return SampleValue::of_real(field.value.real);
    case kUnsignedInt:
      return SampleValue::of_count(field.value.u32);
    case kSignedLongLong:
      return field.value.s64 >= 0 ? SampleValue::of_count(static_cast<std::uint64_t>(field.value.s64))
                                  : SampleValue::of_real(static_cast<double>(field.value.s64));
    default:
      return SampleValue::of_count(field.value.u64);
  }
}

struct AskedPart {
  Device device = nullptr;
  std::optional<GpmPair> gpm;
};

/// One GPU of the worker.
struct Asked {
  std::uint32_t index = 0;
  Device device = nullptr;
  Return found = Return::Success;
  model::SampledGpu identity;
  std::optional<GpmPair> gpm;
  std::vector<AskedPart> parts;  ///< as identity.parts
};

class Worker {
 public:
  Worker(int fd, const SampleJob& job) : fd_(fd), job_(job) {
    for (std::size_t at = 0; at < job.plan.size(); ++at) {
      const PlannedValue& value = job.plan[at];
      if (value.kind == PlannedValue::Kind::Field) fields_.push_back(at);
      if (value.kind == PlannedValue::Kind::Gpm && gpm_.size() < kMaxGpmMetrics) gpm_.push_back(at);
    }
  }

  bool open() {
    tell(SampleTag::Opens, {});
    if (all_sleep()) {
      return failed(base::make_error(base::ErrorKind::Unsupported,
                                     "every GPU sleeps (runtime power management), and is not woken",
                                     "NVML"));
    }
    auto library = open_library();
    if (!library) return failed(library.error());
    library_ = std::move(library).value();
    bind_for_sampling(library_);
    Claim opening;
    if (const auto waiting = claim_opening(claims_, opening)) {
      return failed(base::make_error(base::ErrorKind::TimedOut,
                                     fmt::format("process {} of an earlier look still waits", waiting->pid),
                                     "nvmlInit_v2"));
    }
    const Return result = api().init();
    if (result != Return::Success)
      return failed(base::make_error(base::ErrorKind::Io, words_of(result), "nvmlInit_v2"));
    model::SampledDriver driver;
    driver.driver_version = system_text(api().driver_version);
    driver.nvml_version = system_text(api().library_version);
    driver.simulated = api().simulated_scenario != nullptr;
    (void)api().count(&driver.gpus);
    if (api().event_set_create == nullptr || api().event_set_create(&events_) != Return::Success)
      events_ = nullptr;
    tell(SampleTag::Driver, encode(driver));
    for (std::uint32_t index = 0; index < driver.gpus; ++index) {
      if (is_mine(index)) open_gpu(index);
    }
    return true;
  }

  void tick(bool whole) {
    take_events();
    for (auto gpu = gpus_.begin(); gpu != gpus_.end();) {
      if (is_asleep(job_.bus, gpu->identity.pci)) {
        tell_index(SampleTag::Asleep, gpu->index);
        ++gpu;
        continue;
      }
      begins(gpu->index);
      const auto claim = claimed(gpu->index, gpu->identity.pci);
      if (!claim) {
        gpu = gpus_.erase(gpu);  // our parent tries it again
        continue;
      }
      tell(SampleTag::Sample, encode(sample(*gpu, whole)));
      ++gpu;
    }
    tell(SampleTag::TickDone, {});
  }

 private:
  const Api& api() const { return library_.api; }

  void tell(SampleTag tag, std::string_view content) {
    (void)base::write_all(fd_, frame_bytes(tag, content), "sampler").ok();
  }
  void tell_index(SampleTag tag, std::uint32_t index) {
    base::ByteWriter writer;
    writer.put(index);
    tell(tag, writer.bytes());
  }
  void begins(std::uint32_t index) { tell_index(SampleTag::Begins, index); }
  bool all_sleep() const {
    const auto gpus = gpus_on_bus(job_.bus);
    return gpus && !gpus->empty() &&
           std::all_of(gpus->begin(), gpus->end(), [](const GpuOnBus& one) { return one.asleep; });
  }
  /// Nothing where a process of another look sleeps at this GPU, which is told. Whoever is at work there is
  /// not waited for long: it comes back.
  std::optional<Claim> claimed(std::uint32_t index, const std::string& pci) {
    constexpr std::chrono::milliseconds kPatience{50};
    model::LeftBehind holder = claim_of(fmt::format("GPU {}", index));
    holder.pci = pci;
    GpuClaim taken = claim_gpu(claims_, index, holder, kPatience);
    if (taken.claim) return std::move(taken.claim);
    if (!taken.stuck) return Claim();
    base::ByteWriter writer;
    writer.put(index);
    writer.put(age_ms(*taken.other));
    tell(SampleTag::Waits, writer.bytes());
    return std::nullopt;
  }
  bool failed(const base::Error& error) {
    base::ByteWriter writer;
    writer.put(static_cast<std::uint8_t>(error.kind));
    writer.put_text(base::printable(error.where + ": " + error.message));
    tell(SampleTag::Failed, writer.bytes());
    return false;
  }

  bool is_mine(std::uint32_t index) const {
    const auto has = [index](const std::vector<std::uint32_t>& list) {
      return std::find(list.begin(), list.end(), index) != list.end();
    };
    return (job_.only.empty() || has(job_.only)) && !has(job_.skip);
  }

  template <class Call>
  std::string system_text(Call call) const {
    std::array<char, kVersionSize + 1> buffer{};
    if (call == nullptr || call(buffer.data(), kVersionSize) != Return::Success) return {};
    return base::printable(buffer.data(), kVersionSize);
  }

  void open_gpu(std::uint32_t index) {
    begins(index);
    const auto claim = claimed(index, {});
    if (!claim) return;
    Asked gpu;
    gpu.index = index;
    gpu.found = api().handle_by_index(index, &gpu.device);
    if (gpu.found == Return::Success) {
      gpu.identity = identity_of(gpu);
      if (events_ != nullptr && api().register_events != nullptr)
        (void)api().register_events(gpu.device, kEventXid, events_);
      if (!gpm_.empty()) gpu.gpm = GpmPair::open(api(), gpu.device);
      open_parts(gpu);
      tell(SampleTag::Gpu, encode(gpu.identity));
    }
    gpus_.push_back(std::move(gpu));
  }

  model::SampledGpu identity_of(const Asked& gpu) const {
    model::SampledGpu one;
    one.index = gpu.index;
    one.uuid = text_of<kUuidSize>(api().uuid, gpu.device);
    one.name = text_of<kNameSize>(api().name, gpu.device);
    one.serial = text_of<kSerialSize>(api().serial, gpu.device);
    one.vbios_version = text_of<kVbiosSize>(api().vbios_version, gpu.device);
    one.inforom_version = text_of<kInforomSize>(api().inforom_version, gpu.device);
    PciInfo pci{};
    if (api().pci_info != nullptr && api().pci_info(gpu.device, &pci) == Return::Success)
      one.pci = fmt::format("{:08X}:{:02X}:{:02X}.0", pci.domain, pci.bus, pci.device);
    std::uint32_t minor = 0;
    if (api().minor_number != nullptr && api().minor_number(gpu.device, &minor) == Return::Success)
      one.minor = minor;
    one.parts = parts_of(gpu.device);
    return one;
  }

  std::vector<model::MigPart> parts_of(Device device) const {
    std::vector<model::MigPart> parts;
    std::uint32_t enabled = 0, pending = 0, count = 0;
    if (api().mig_mode == nullptr || api().mig_mode(device, &enabled, &pending) != Return::Success ||
        enabled == 0 || api().mig_count == nullptr || api().mig_handle == nullptr ||
        api().mig_count(device, &count) != Return::Success)
      return parts;
    for (std::uint32_t at = 0; at < std::min(count, kMostParts); ++at) {
      Device instance = nullptr;
      if (api().mig_handle(device, at, &instance) != Return::Success) continue;
      model::MigPart part;
      part.uuid = text_of<kUuidSize>(api().uuid, instance);
      part.profile = profile_in(text_of<kNameSize>(api().name, instance));
      if (api().gpu_instance != nullptr) (void)api().gpu_instance(instance, &part.gpu_instance);
      if (api().compute_instance != nullptr) (void)api().compute_instance(instance, &part.compute_instance);
      parts.push_back(std::move(part));
    }
    return parts;
  }

  /// "1g.10gb" of "NVIDIA H100 80GB HBM3 MIG 1g.10gb".
  static std::string profile_in(const std::string& name) {
    const std::size_t at = name.rfind(" MIG ");
    return at == std::string::npos ? std::string() : name.substr(at + 5);
  }

  /// The handles of its MIG instances, in the order of its identity; they live as long as the layout.
  void open_parts(Asked& gpu) const {
    gpu.parts.clear();
    for (std::uint32_t at = 0; at < kMostParts && gpu.parts.size() < gpu.identity.parts.size(); ++at) {
      Device device = nullptr;
      if (api().mig_handle(gpu.device, at, &device) != Return::Success) continue;
      gpu.parts.push_back({device, gpm_.empty() ? std::nullopt : GpmPair::open(api(), gpu.device)});
    }
  }

  /// Xids since the last tick, kept until their GPU is asked.
  void take_events() {
    constexpr int kMost = 64;
    for (int i = 0; events_ != nullptr && api().event_wait != nullptr && i < kMost; ++i) {
      EventData event{};
      if (api().event_wait(events_, &event, 0) != Return::Success) return;
      for (Asked& gpu : gpus_) {
        if (gpu.device == event.device && (event.type & kEventXid) != 0)
          xids_.emplace_back(gpu.index, event.data);
      }
    }
  }

  model::GpuSample sample(Asked& gpu, bool whole) {
    const Clock::time_point begin = Clock::now();
    model::GpuSample one;
    one.index = gpu.index;
    one.values.resize(job_.plan.size());
    for (const auto& [index, xid] : xids_) {
      if (index == gpu.index) one.xids.push_back(xid);
    }
    xids_.erase(std::remove_if(xids_.begin(), xids_.end(),
                               [&](const auto& entry) { return entry.first == gpu.index; }),
                xids_.end());
    Return state = gpu.found;
    if (state == Return::Success) state = ask_fields(gpu, whole, one);
    if (!is_gone(state)) state = ask_calls(gpu, whole, one);
    if (!is_gone(state) && whole) {
      if (gpu.gpm) gpu.gpm->ask(std::nullopt, job_.plan, gpm_, one.values);
      ask_processes(gpu, one);
      if (model::SampledGpu now = identity_of(gpu); now != gpu.identity) {
        gpu.identity = std::move(now);
        open_parts(gpu);
        tell(SampleTag::Gpu, encode(gpu.identity));
      }
      ask_parts(gpu, one);
    }
    one.lost = is_gone(state) || gpu.found != Return::Success;
    if (one.lost) one.why = words_of(gpu.found != Return::Success ? gpu.found : state);
    one.took_us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
    return one;
  }

  /// All fields in one call.
  Return ask_fields(Asked& gpu, bool whole, model::GpuSample& one) {
    std::vector<FieldValue> asked;
    std::vector<std::size_t> places;
    for (const std::size_t at : fields_) {
      const PlannedValue& value = job_.plan[at];
      if (!whole && !value.often) continue;
      FieldValue field{};
      field.field = value.number;
      field.scope = value.all_links ? kAllLinks : 0;
      asked.push_back(field);
      places.push_back(at);
    }
    if (asked.empty()) return Return::Success;
    const Return result =
        api().field_values == nullptr
            ? Return::FunctionNotFound
            : api().field_values(gpu.device, static_cast<std::int32_t>(asked.size()), asked.data());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      one.values[places[i]] =
          result == Return::Success ? value_of(asked[i]) : SampleValue::absent(absent_reason(result));
    }
    return result;
  }

  Return ask_calls(const Asked& gpu, bool whole, model::GpuSample& one) const {
    for (std::size_t at = 0; at < job_.plan.size(); ++at) {
      const PlannedValue& value = job_.plan[at];
      if (value.kind != PlannedValue::Kind::Call || (!whole && !value.often)) continue;
      std::uint64_t number = 0;
      const Return result = sample_calls()[value.number].ask(api(), gpu.device, number);
      one.values[at] = result == Return::Success ? SampleValue::of_count(number)
                                                 : SampleValue::absent(absent_reason(result));
      if (is_gone(result)) return result;
    }
    return Return::Success;
  }

  /// Of each MIG instance what it answers itself: its memory, and its part of GPM.
  void ask_parts(Asked& gpu, model::GpuSample& one) const {
    for (std::size_t i = 0; i < std::min(gpu.parts.size(), gpu.identity.parts.size()); ++i) {
      model::PartSample part;
      part.uuid = gpu.identity.parts[i].uuid;
      part.values.resize(job_.plan.size());
      for (std::size_t at = 0; at < job_.plan.size(); ++at) {
        const PlannedValue& value = job_.plan[at];
        if (value.kind != PlannedValue::Kind::Call || !sample_calls()[value.number].of_parts) continue;
        std::uint64_t number = 0;
        const Return result = sample_calls()[value.number].ask(api(), gpu.parts[i].device, number);
        part.values[at] = result == Return::Success ? SampleValue::of_count(number)
                                                    : SampleValue::absent(absent_reason(result));
      }
      if (gpu.parts[i].gpm)
        gpu.parts[i].gpm->ask(gpu.identity.parts[i].gpu_instance, job_.plan, gpm_, part.values);
      one.parts.push_back(std::move(part));
    }
  }

  template <class Info, class Call>
  void add_processes(Call call, const Asked& gpu, bool graphics, model::GpuSample& one) const {
    std::array<Info, kMostProcesses> infos;
    std::uint32_t count = kMostProcesses;
    if (call == nullptr || call(gpu.device, &count, infos.data()) != Return::Success) return;
    one.has_processes = true;
    for (std::uint32_t at = 0; at < std::min<std::uint32_t>(count, kMostProcesses); ++at) {
      model::SampledProcess process;
      process.pid = infos[at].pid;
      process.memory_bytes = infos[at].used_memory;
      process.graphics = graphics;
      if constexpr (std::is_same_v<Info, ProcessInfo>) {
        if (infos[at].gpu_instance != 0xFFFFFFFF) process.gpu_instance = infos[at].gpu_instance;
      }
      one.processes.push_back(process);
    }
  }

  void ask_processes(const Asked& gpu, model::GpuSample& one) const {
    if (api().compute_processes != nullptr) {
      add_processes<ProcessInfo>(api().compute_processes, gpu, false, one);
    } else {
      add_processes<ProcessInfoV1>(api().compute_processes_v1, gpu, false, one);
    }
    if (one.has_processes) add_processes<ProcessInfo>(api().graphics_processes, gpu, true, one);
  }

  int fd_;
  const SampleJob& job_;
  Claims claims_ = Claims::of_this_user(nvml_scope());
  Library library_;
  EventSet events_ = nullptr;
  std::vector<std::size_t> fields_;  ///< places in the plan
  std::vector<std::size_t> gpm_;
  std::vector<Asked> gpus_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> xids_;
};

}  // namespace

void run_sample_worker(int fd, const SampleJob& job) {
  Worker worker(fd, job);
  if (!worker.open()) return;
  for (;;) {
    char command = 0;
    const ssize_t got = ::read(fd, &command, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    worker.tick(static_cast<SampleCommand>(command) == SampleCommand::Whole);
  }
}

}  // namespace gpuwright::host::nvml
