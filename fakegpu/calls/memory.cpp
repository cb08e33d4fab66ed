// Memory: how much there is, what the driver keeps, what processes hold. The first form of the call counts
// what the driver keeps as used; the second names it apart.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <algorithm>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::Takes;
using fakegpu::View;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

MemoryV2 of_slice(const View& view) {
  MemoryV2 memory{};
  memory.total = fakegpu::slice_bytes(view.gpu, *view.slice);
  const auto index = static_cast<std::uint32_t>(view.slice - view.gpu.slices.data());
  for (const auto& process : view.gpu.processes) {
    if (process.slice == index) memory.used += process.bytes;
  }
  memory.used = std::min(memory.used, memory.total);
  memory.free = memory.total - memory.used;
  return memory;
}

MemoryV2 of_gpu(const View& view) {
  MemoryV2 memory{};
  memory.total = view.gpu.board->memory_mib * kMiB;
  memory.reserved = view.gpu.board->reserved_mib * kMiB;
  const double used = std::clamp(view.quantity("memory-used"), 0.0, static_cast<double>(memory.total));
  memory.used = std::min(static_cast<std::uint64_t>(used), memory.total - memory.reserved);
  memory.free = memory.total - memory.reserved - memory.used;
  return memory;
}

MemoryV2 memory_of(const View& view) {
  return view.slice == nullptr ? of_gpu(view) : of_slice(view);
}

}  // namespace

extern "C" {

Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  return Simulator::instance().ask(__func__, device, Takes::GpuOrInstance, [&](View& view) {
    const MemoryV2 all = memory_of(view);
    return put(memory, Memory{all.total, all.free, all.used + all.reserved});
  });
}

Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
  return Simulator::instance().ask(__func__, device, Takes::GpuOrInstance, [&](View& view) {
    if (memory == nullptr) return Return::InvalidArgument;
    const auto version = version_of<MemoryV2>(2);
    if (memory->version != version) return Return::ArgumentVersionMismatch;
    *memory = memory_of(view);
    memory->version = version;
    return Return::Success;
  });
}

Return nvmlDeviceGetBAR1MemoryInfo(Device device, Memory* memory) {
  return ask(__func__, device, [&](View& view) {
    const auto total = view.gpu.board->bar1_mib * kMiB;
    const auto used = std::min(total, kMiB + fakegpu::used_bytes(view.gpu));
    return put(memory, Memory{total, total - used, used});
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
