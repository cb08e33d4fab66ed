// NVLink: each link's state, its far end, its error counts; and the fabric that NVSwitch boards join.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <fmt/format.h>

#include <cstring>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::put_text;
using fakegpu::View;

namespace {

/// A call about one link; an active one where `active` says so.
template <class Answer>
Return ask_link(const char* call, Device device, std::uint32_t link, Answer answer) {
  return ask(call, device, [&](View& view) {
    if (link >= kMaxLinks) return Return::InvalidArgument;
    if (link >= view.gpu.links.size()) return Return::NotSupported;
    return answer(view, view.gpu.links[link]);
  });
}

/// Six NVSwitches on A100 boards, four on later ones. Source: NVIDIA Fabric Manager user guide.
PciInfo far_end(const View& view, std::uint32_t link) {
  const std::uint32_t switches = view.gpu.board->architecture < 9 ? 6 : 4;
  PciInfo info{};
  info.bus = 0x05 + link % switches;
  info.device_id = view.gpu.board->architecture < 9 ? 0x1AF110DE : 0x22A310DE;
  put_text(info.bus_id_legacy, sizeof info.bus_id_legacy, fmt::format("0000:{:02X}:00.0", info.bus));
  put_text(info.bus_id, sizeof info.bus_id, fmt::format("00000000:{:02X}:00.0", info.bus));
  return info;
}

template <class Fabric>
Return put_fabric(const View& view, Fabric& fabric) {
  if (view.gpu.fabric == kFabricNotSupported) return Return::NotSupported;
  std::memset(fabric.cluster_uuid, 0, sizeof fabric.cluster_uuid);
  fabric.clique = 0;
  fabric.state = view.gpu.fabric;
  fabric.status = Return::Success;
  return Return::Success;
}

}  // namespace

extern "C" {

Return nvmlDeviceGetNvLinkState(Device device, std::uint32_t link, std::uint32_t* active) {
  return ask_link(__func__, device, link,
                  [&](View&, const fakegpu::Link& one) { return put(active, one.up ? 1 : 0); });
}

Return nvmlDeviceGetNvLinkVersion(Device device, std::uint32_t link, std::uint32_t* version) {
  return ask_link(__func__, device, link, [&](View& view, const fakegpu::Link&) {
    return put(version, view.gpu.board->link_version);
  });
}

Return nvmlDeviceGetNvLinkCapability(Device device, std::uint32_t link, std::uint32_t capability,
                                     std::uint32_t* has_it) {
  return ask_link(__func__, device, link, [&](View&, const fakegpu::Link&) {
    return capability > 5 ? Return::InvalidArgument : put(has_it, capability == 4 ? 0 : 1);
  });
}

Return nvmlDeviceGetNvLinkRemoteDeviceType(Device device, std::uint32_t link, std::uint32_t* type) {
  return ask_link(__func__, device, link, [&](View&, const fakegpu::Link& one) {
    return put(type, one.up ? kRemoteSwitch : kRemoteUnknown);
  });
}

Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, std::uint32_t link, PciInfo* info) {
  return ask_link(__func__, device, link, [&](View& view, const fakegpu::Link& one) {
    return one.up ? put(info, far_end(view, link)) : Return::NotSupported;
  });
}

Return nvmlDeviceGetNvLinkRemotePciInfo(Device device, std::uint32_t link, PciInfoV2* info) {
  PciInfo today{};
  const Return result = nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, &today);
  if (result != Return::Success) return result;
  if (info == nullptr) return Return::InvalidArgument;
  std::memcpy(static_cast<void*>(info), &today, sizeof *info);
  return Return::Success;
}

Return nvmlDeviceGetNvLinkErrorCounter(Device device, std::uint32_t link, std::uint32_t counter,
                                       std::uint64_t* count) {
  return ask_link(__func__, device, link, [&](View&, const fakegpu::Link& one) {
    return counter > kLinkEccData ? Return::InvalidArgument : put(count, one.errors[counter]);
  });
}

Return nvmlDeviceGetGpuFabricInfo(Device device, FabricInfo* info) {
  return ask(__func__, device,
             [&](View& view) { return info == nullptr ? Return::InvalidArgument : put_fabric(view, *info); });
}

Return nvmlDeviceGetGpuFabricInfoV(Device device, FabricInfoV2* info) {
  return ask(__func__, device, [&](View& view) {
    if (info == nullptr) return Return::InvalidArgument;
    if (info->version != version_of<FabricInfoV2>(2)) return Return::ArgumentVersionMismatch;
    const auto slot = [](bool bad, std::uint32_t shift) {
      return (bad ? kHealthTrue : kHealthFalse) << shift;
    };
    info->health_mask = slot(view.gpu.fabric_degraded, kDegradedBandwidth) | slot(false, kRouteRecovery) |
                        slot(view.gpu.fabric_route_unhealthy, kRouteUnhealthy);
    return put_fabric(view, *info);
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
