// Finding a GPU: by number, PCI address, UUID or serial number.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <algorithm>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::View;
using fakegpu::World;

namespace {

/// Finds the first GPU (or MIG instance) that `is` holds for, and asks for it so that a lost one says so.
template <class Is>
Return find(const char* call, Device* device, Is is) {
  std::uint32_t index = fakegpu::kMostGpus;
  const Return looked = Simulator::instance().ask_system(call, [&](World& world, double) {
    const auto found = std::find_if(world.gpus.begin(), world.gpus.end(), is);
    if (device == nullptr) return Return::InvalidArgument;
    if (found == world.gpus.end()) return Return::NotFound;
    index = found->index;
    return Return::Success;
  });
  if (looked != Return::Success) return looked;
  return Simulator::instance().ask_gpu(
      call, index, [&](View& view) { return put(device, Simulator::instance().handle(view.gpu.index)); });
}

/// "00000000:3B:00.0" or "3b:00.0" as a bus number; 256 for anything else.
std::uint64_t bus_number(std::string_view address) {
  const auto parts = base::split(address, ':');
  if (parts.size() < 2) return 256;
  return base::parse_hex(parts[parts.size() - 2]).value_or(256);
}

}  // namespace

extern "C" {

Return nvmlDeviceGetCount_v2(std::uint32_t* count) {
  return Simulator::instance().ask_system(
      __func__, [&](World& world, double) { return put(count, world.gpus.size()); });
}

Return nvmlDeviceGetCount(std::uint32_t* count) {
  return nvmlDeviceGetCount_v2(count);
}

Return nvmlDeviceGetHandleByIndex_v2(std::uint32_t index, Device* device) {
  return Simulator::instance().ask_gpu(
      __func__, index, [&](View& view) { return put(device, Simulator::instance().handle(view.gpu.index)); });
}

Return nvmlDeviceGetHandleByIndex(std::uint32_t index, Device* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

Return nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Device* device) {
  if (bus_id == nullptr) return Return::InvalidArgument;
  return find(__func__, device,
              [bus = bus_number(bus_id)](const fakegpu::Gpu& gpu) { return gpu.bus == bus; });
}

Return nvmlDeviceGetHandleByPciBusId(const char* bus_id, Device* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  if (uuid == nullptr) return Return::InvalidArgument;
  return find(__func__, device, [&](const fakegpu::Gpu& gpu) { return fakegpu::uuid_of(gpu) == uuid; });
}

Return nvmlDeviceGetHandleBySerial(const char* serial, Device* device) {
  if (serial == nullptr) return Return::InvalidArgument;
  return find(__func__, device, [&](const fakegpu::Gpu& gpu) { return fakegpu::serial_of(gpu) == serial; });
}

Return nvmlDeviceGetIndex(Device device, std::uint32_t* index) {
  return ask(__func__, device, [&](View& view) { return put(index, view.gpu.index); });
}

Return nvmlDeviceGetMinorNumber(Device device, std::uint32_t* minor) {
  return ask(__func__, device, [&](View& view) { return put(minor, view.gpu.index); });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
