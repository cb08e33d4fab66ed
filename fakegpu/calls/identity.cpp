// What a GPU is: names, numbers, versions, its place on the PCI bus.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <fmt/format.h>

#include <cstring>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::put_text;
using fakegpu::Simulator;
using fakegpu::Takes;
using fakegpu::View;

namespace {

constexpr std::uint32_t kVendor = 0x10DE;

std::string mig_uuid(const View& view) {
  return fmt::format("MIG-fa4e0000-{:04x}-4000-8{:03x}-{:012x}", view.gpu.board->device_id,
                     view.slice->instance, view.gpu.index);
}

/// The text of this name that a line has set, else the board's.
const std::string& text_or(const View& view, const char* name, const std::string& otherwise) {
  const auto set = view.gpu.texts.find(name);
  return set == view.gpu.texts.end() ? otherwise : set->second;
}

Return put_known(char* out, std::uint32_t length, const std::string& text) {
  return text.empty() ? Return::NotSupported : put_text(out, length, text);
}

PciInfo pci_of(const fakegpu::Gpu& gpu) {
  PciInfo info{};
  info.bus = gpu.bus;
  info.device_id = gpu.board->device_id << 16 | kVendor;
  info.subsystem_id = gpu.board->subsystem_id << 16 | kVendor;
  put_text(info.bus_id_legacy, sizeof info.bus_id_legacy, fmt::format("0000:{:02X}:00.0", gpu.bus));
  put_text(info.bus_id, sizeof info.bus_id, fmt::format("00000000:{:02X}:00.0", gpu.bus));
  return info;
}

Return put_old_pci(const char* call, Device device, PciInfoV2* info, std::size_t size) {
  return ask(call, device, [&](View& view) {
    if (info == nullptr) return Return::InvalidArgument;
    const PciInfo today = pci_of(view.gpu);
    std::memcpy(static_cast<void*>(info), &today, size);  // the first part of today's is the old one
    return Return::Success;
  });
}

}  // namespace

extern "C" {

Return nvmlDeviceGetName(Device device, char* name, std::uint32_t length) {
  return Simulator::instance().ask(__func__, device, Takes::GpuOrInstance, [&](View& view) {
    if (view.slice == nullptr) return put_text(name, length, view.gpu.board->name);
    return put_text(name, length, view.gpu.board->name + " MIG " + view.slice->profile);
  });
}

Return nvmlDeviceGetUUID(Device device, char* uuid, std::uint32_t length) {
  return Simulator::instance().ask(__func__, device, Takes::GpuOrInstance, [&](View& view) {
    return put_text(uuid, length, view.slice == nullptr ? fakegpu::uuid_of(view.gpu) : mig_uuid(view));
  });
}

Return nvmlDeviceGetSerial(Device device, char* serial, std::uint32_t length) {
  return ask(__func__, device, [&](View& view) {
    if (view.gpu.board->part.empty()) return Return::NotSupported;  // consumer boards have none
    return put_text(serial, length, fakegpu::serial_of(view.gpu));
  });
}

Return nvmlDeviceGetBoardPartNumber(Device device, char* part, std::uint32_t length) {
  return ask(__func__, device, [&](View& view) { return put_known(part, length, view.gpu.board->part); });
}

Return nvmlDeviceGetVbiosVersion(Device device, char* version, std::uint32_t length) {
  return ask(__func__, device, [&](View& view) {
    return put_known(version, length, text_or(view, "vbios", view.gpu.board->vbios));
  });
}

Return nvmlDeviceGetInforomImageVersion(Device device, char* version, std::uint32_t length) {
  return ask(__func__, device,
             [&](View& view) { return put_known(version, length, view.gpu.board->inforom); });
}

Return nvmlDeviceGetGspFirmwareVersion(Device device, char* version) {
  return ask(__func__, device,
             [&](View& view) { return put_text(version, kVersionSize, view.world.driver); });
}

Return nvmlDeviceGetGspFirmwareMode(Device device, std::uint32_t* enabled, std::uint32_t* by_default) {
  return ask(__func__, device, [&](View&) {
    if (enabled == nullptr || by_default == nullptr) return Return::InvalidArgument;
    *enabled = *by_default = 1;
    return Return::Success;
  });
}

Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  return ask(__func__, device, [&](View& view) { return put(info, pci_of(view.gpu)); });
}

Return nvmlDeviceGetPciInfo_v2(Device device, PciInfoV2* info) {
  return put_old_pci(__func__, device, info, sizeof(PciInfoV2));
}

Return nvmlDeviceGetPciInfo(Device device, PciInfoV2* info) {
  return put_old_pci(__func__, device, info, offsetof(PciInfoV2, subsystem_id));
}

Return nvmlDeviceGetBrand(Device device, std::uint32_t* brand) {
  return ask(__func__, device, [&](View& view) { return put(brand, view.gpu.board->brand); });
}

Return nvmlDeviceGetArchitecture(Device device, std::uint32_t* architecture) {
  return ask(__func__, device, [&](View& view) { return put(architecture, view.gpu.board->architecture); });
}

Return nvmlDeviceGetCudaComputeCapability(Device device, std::int32_t* major, std::int32_t* minor) {
  return ask(__func__, device, [&](View& view) {
    if (major == nullptr || minor == nullptr) return Return::InvalidArgument;
    *major = view.gpu.board->capability_major;
    *minor = view.gpu.board->capability_minor;
    return Return::Success;
  });
}

Return nvmlDeviceGetNumGpuCores(Device device, std::uint32_t* cores) {
  return ask(__func__, device, [&](View& view) { return put(cores, view.gpu.board->cores); });
}

Return nvmlDeviceGetMemoryBusWidth(Device device, std::uint32_t* bits) {
  return ask(__func__, device, [&](View& view) { return put(bits, view.gpu.board->bus_bits); });
}

Return nvmlDeviceGetMultiGpuBoard(Device device, std::uint32_t* is_multi) {
  return ask(__func__, device, [&](View&) { return put(is_multi, 0); });
}

Return nvmlDeviceGetBoardId(Device device, std::uint32_t* id) {
  return ask(__func__, device, [&](View& view) { return put(id, view.gpu.bus << 8); });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
