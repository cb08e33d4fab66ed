// Modes that an administrator sets.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <fmt/format.h>
#include <unistd.h>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::EccSupport;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::View;

namespace {

Return put_both(std::uint32_t* current, std::uint32_t* pending, std::uint32_t value) {
  if (current == nullptr || pending == nullptr) return Return::InvalidArgument;
  *current = *pending = value;
  return Return::Success;
}

}  // namespace

extern "C" {

Return nvmlDeviceGetPersistenceMode(Device device, std::uint32_t* enabled) {
  return ask(__func__, device, [&](View& view) { return put(enabled, view.quantity("persistence")); });
}

Return nvmlDeviceSetPersistenceMode(Device device, std::uint32_t enabled) {
  return ask(__func__, device, [&](View& view) {
    if (enabled > 1) return Return::InvalidArgument;
    if (::geteuid() != 0) return Return::NoPermission;
    view.gpu.fixed["persistence"] = enabled;
    Simulator::instance().tell_others(fmt::format("gpu {} persistence {}", view.gpu.index, enabled));
    return Return::Success;
  });
}

Return nvmlDeviceGetComputeMode(Device device, std::uint32_t* mode) {
  return ask(__func__, device, [&](View& view) { return put(mode, view.quantity("compute-mode")); });
}

Return nvmlDeviceGetDisplayMode(Device device, std::uint32_t* enabled) {
  return ask(__func__, device, [&](View&) { return put(enabled, 0); });
}

Return nvmlDeviceGetDisplayActive(Device device, std::uint32_t* enabled) {
  return ask(__func__, device, [&](View&) { return put(enabled, 0); });
}

Return nvmlDeviceGetVirtualizationMode(Device device, std::uint32_t* mode) {
  return ask(__func__, device, [&](View&) { return put(mode, 0); });
}

Return nvmlDeviceGetEccMode(Device device, std::uint32_t* current, std::uint32_t* pending) {
  return ask(__func__, device, [&](View& view) {
    if (view.gpu.board->ecc == EccSupport::None) return Return::NotSupported;
    return put_both(current, pending, view.quantity("ecc-mode") != 0 ? 1 : 0);
  });
}

Return nvmlDeviceGetMigMode(Device device, std::uint32_t* current, std::uint32_t* pending) {
  return ask(__func__, device, [&](View& view) {
    if (view.gpu.board->mig.empty()) return Return::NotSupported;
    return put_both(current, pending, view.gpu.slices.empty() ? 0 : 1);
  });
}

Return nvmlDeviceGetPowerManagementMode(Device device, std::uint32_t* enabled) {
  return ask(__func__, device, [&](View&) { return put(enabled, 1); });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
