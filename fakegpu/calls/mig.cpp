// MIG: the instances of a GPU, each with a handle of its own.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::Takes;
using fakegpu::View;

namespace {

template <class Answer>
Return ask_instance(const char* call, Device instance, Answer answer) {
  return Simulator::instance().ask(call, instance, Takes::Instance, answer);
}

}  // namespace

extern "C" {

Return nvmlDeviceGetMaxMigDeviceCount(Device device, std::uint32_t* count) {
  return ask(__func__, device,
             [&](View& view) { return put(count, view.gpu.board->mig.empty() ? 0 : fakegpu::kMostSlices); });
}

Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, std::uint32_t index, Device* instance) {
  return ask(__func__, device, [&](View& view) {
    if (view.gpu.board->mig.empty()) return Return::NotSupported;
    if (index >= fakegpu::kMostSlices) return Return::InvalidArgument;
    if (index >= view.gpu.slices.size()) return Return::NotFound;
    return put(instance, Simulator::instance().handle(view.gpu.index, index + 1));
  });
}

Return nvmlDeviceIsMigDeviceHandle(Device device, std::uint32_t* is_instance) {
  return Simulator::instance().ask(__func__, device, Takes::GpuOrInstance, [&](View& view) {
    return put(is_instance, view.slice != nullptr ? 1 : 0);
  });
}

Return nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device instance, Device* device) {
  return ask_instance(__func__, instance,
                      [&](View& view) { return put(device, Simulator::instance().handle(view.gpu.index)); });
}

Return nvmlDeviceGetGpuInstanceId(Device instance, std::uint32_t* id) {
  return ask_instance(__func__, instance, [&](View& view) { return put(id, view.slice->instance); });
}

Return nvmlDeviceGetComputeInstanceId(Device instance, std::uint32_t* id) {
  return ask_instance(__func__, instance, [&](View&) { return put(id, 0); });
}

Return nvmlDeviceGetAttributes_v2(Device instance, DeviceAttributes* attributes) {
  return ask_instance(__func__, instance, [&](View& view) {
    const auto& share = view.slice->share;
    const auto& board = *view.gpu.board;
    DeviceAttributes all{};
    all.multiprocessors = share.compute_slices == fakegpu::kMostSlices
                              ? board.multiprocessors
                              : board.multiprocessors / 8 / 2 * 2 * share.compute_slices;
    all.copy_engines = share.memory_eighths;
    all.decoders = share.memory_eighths;
    all.jpeg = share.memory_eighths;
    all.gpu_instance_slices = all.compute_instance_slices = share.compute_slices;
    all.memory_mib = fakegpu::slice_bytes(view.gpu, *view.slice) >> 20;
    return put(attributes, all);
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
