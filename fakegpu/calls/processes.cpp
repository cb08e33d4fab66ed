// Who computes on a GPU. A caller first asks with no room to learn the count (InsufficientSize), then with a
// list.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <algorithm>
#include <cmath>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::Process;
using fakegpu::Simulator;
using fakegpu::Takes;
using fakegpu::View;

namespace {

using Kind = Process::Kind;

/// The processes of that kind that run on the GPU or on the MIG instance.
std::vector<const Process*> select(const View& view, Kind kind) {
  std::vector<const Process*> chosen;
  for (const auto& process : view.gpu.processes) {
    const bool here = view.slice == nullptr || (process.slice < view.gpu.slices.size() &&
                                                &view.gpu.slices[process.slice] == view.slice);
    if (process.kind == kind && here) chosen.push_back(&process);
  }
  return chosen;
}

void fill(const View&, const Process& process, ProcessInfoV1& info) {
  info = {process.pid, process.bytes};
}

void fill(const View& view, const Process& process, ProcessInfo& info) {
  info = {process.pid, process.bytes, fakegpu::kNoInstance, fakegpu::kNoInstance};
  if (process.slice >= view.gpu.slices.size()) return;
  info.gpu_instance = view.gpu.slices[process.slice].instance;
  info.compute_instance = 0;
}

template <class Info>
Return list(const char* call, Device device, Kind kind, std::uint32_t* count, Info* infos) {
  return Simulator::instance().ask(call, device, Takes::GpuOrInstance, [&](View& view) {
    if (count == nullptr) return Return::InvalidArgument;
    const auto chosen = select(view, kind);
    const auto room = *count;
    *count = static_cast<std::uint32_t>(chosen.size());
    if (chosen.size() > room) return Return::InsufficientSize;
    if (infos == nullptr) return chosen.empty() ? Return::Success : Return::InvalidArgument;
    for (std::size_t at = 0; at < chosen.size(); ++at) fill(view, *chosen[at], infos[at]);
    return Return::Success;
  });
}

}  // namespace

extern "C" {

Return nvmlDeviceGetComputeRunningProcesses(Device device, std::uint32_t* count, ProcessInfoV1* infos) {
  return list(__func__, device, Kind::Compute, count, infos);
}
Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, std::uint32_t* count, ProcessInfo* infos) {
  return list(__func__, device, Kind::Compute, count, infos);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, std::uint32_t* count, ProcessInfo* infos) {
  return list(__func__, device, Kind::Compute, count, infos);
}
Return nvmlDeviceGetGraphicsRunningProcesses(Device device, std::uint32_t* count, ProcessInfoV1* infos) {
  return list(__func__, device, Kind::Graphics, count, infos);
}
Return nvmlDeviceGetGraphicsRunningProcesses_v2(Device device, std::uint32_t* count, ProcessInfo* infos) {
  return list(__func__, device, Kind::Graphics, count, infos);
}
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, std::uint32_t* count, ProcessInfo* infos) {
  return list(__func__, device, Kind::Graphics, count, infos);
}
Return nvmlDeviceGetMPSComputeRunningProcesses(Device device, std::uint32_t* count, ProcessInfoV1* infos) {
  return list(__func__, device, Kind::Mps, count, infos);
}
Return nvmlDeviceGetMPSComputeRunningProcesses_v2(Device device, std::uint32_t* count, ProcessInfo* infos) {
  return list(__func__, device, Kind::Mps, count, infos);
}
Return nvmlDeviceGetMPSComputeRunningProcesses_v3(Device device, std::uint32_t* count, ProcessInfo* infos) {
  return list(__func__, device, Kind::Mps, count, infos);
}

/// One sample a process: the GPU's load in equal parts.
Return nvmlDeviceGetProcessUtilization(Device device, ProcessUtilization* samples, std::uint32_t* count,
                                       std::uint64_t) {
  return ask(__func__, device, [&](View& view) {
    if (count == nullptr) return Return::InvalidArgument;
    if (!view.gpu.slices.empty()) return Return::NotSupported;
    const auto& all = view.gpu.processes;
    const auto room = *count;
    *count = static_cast<std::uint32_t>(all.size());
    if (all.empty()) return Return::NotFound;
    if (samples == nullptr || all.size() > room) return Return::InsufficientSize;
    const auto part = static_cast<double>(all.size());
    for (std::size_t at = 0; at < all.size(); ++at) {
      samples[at] = {all[at].pid,
                     static_cast<std::uint64_t>(view.now * 1e6),
                     static_cast<std::uint32_t>(std::llround(view.quantity("utilization") / part)),
                     static_cast<std::uint32_t>(std::llround(view.quantity("memory-utilization") / part)),
                     0,
                     0};
    }
    return Return::Success;
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
