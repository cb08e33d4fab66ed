// The PCIe link: generation and lanes now and at most, what flows, what was replayed.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <cmath>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::View;

extern "C" {

Return nvmlDeviceGetCurrPcieLinkGeneration(Device device, std::uint32_t* generation) {
  return ask(__func__, device, [&](View& view) { return put(generation, view.gpu.pcie_generation); });
}

Return nvmlDeviceGetMaxPcieLinkGeneration(Device device, std::uint32_t* generation) {
  return ask(__func__, device, [&](View& view) { return put(generation, view.gpu.board->pcie_generation); });
}

Return nvmlDeviceGetCurrPcieLinkWidth(Device device, std::uint32_t* lanes) {
  return ask(__func__, device, [&](View& view) { return put(lanes, view.gpu.pcie_lanes); });
}

Return nvmlDeviceGetMaxPcieLinkWidth(Device device, std::uint32_t* lanes) {
  return ask(__func__, device, [&](View& view) { return put(lanes, view.gpu.board->pcie_lanes); });
}

Return nvmlDeviceGetPcieThroughput(Device device, std::uint32_t counter, std::uint32_t* kibibytes_per_s) {
  return ask(__func__, device, [&](View& view) {
    if (counter > kPcieReceived) return Return::InvalidArgument;
    const char* name = counter == kPcieSent ? "pcie-sent" : "pcie-received";
    return put(kibibytes_per_s, std::llround(view.quantity(name)));
  });
}

Return nvmlDeviceGetPcieReplayCounter(Device device, std::uint32_t* count) {
  return ask(__func__, device, [&](View& view) { return put(count, view.gpu.pcie_replays); });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
