// Which GPUs and processors are near each other. The simulated server has two sockets of 56 cores; the first
// half of the GPUs hangs on the first.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::Gpu;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::View;

namespace {

constexpr std::uint32_t kCoresOfSocket = 56;

std::uint32_t socket_of(const View& view, const Gpu& gpu) {
  return gpu.index < (view.world.gpus.size() + 1) / 2 ? 0 : 1;
}

/// As nvmlGpuTopologyLevel_t: the same, one bridge apart up to across sockets.
std::uint32_t level(const View& view, const Gpu& other) {
  if (view.gpu.index == other.index) return 0;
  return socket_of(view, view.gpu) == socket_of(view, other) ? 40 : 50;
}

/// As nvmlGpuP2PStatus_t: 0 is fine, 1 the chipset cannot, 5 not supported.
std::uint32_t peer_status(const View& view, const Gpu& other, std::uint32_t which) {
  const bool linked = !view.gpu.links.empty() && !other.links.empty();
  if (which == 2) return linked ? 0 : 5;
  const bool consumer = view.gpu.board->part.empty() || other.board->part.empty();
  return consumer ? 1 : 0;
}

template <class Answer>
Return ask_pair(const char* call, Device one, Device other, Answer answer) {
  return ask(call, one, [&](View& view) {
    const Gpu* peer = Simulator::instance().look_up(other);
    if (peer == nullptr) return Return::InvalidArgument;
    return peer->lost ? Return::GpuIsLost : answer(view, *peer);
  });
}

/// Sets bits from..to-1 of a mask of 64-bit words, as far as it goes.
void set_bits(std::uint64_t* mask, std::uint32_t words, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t word = 0; word < words; ++word) mask[word] = 0;
  for (std::uint32_t bit = from; bit < to && bit / 64 < words; ++bit) mask[bit / 64] |= 1ULL << bit % 64;
}

}  // namespace

extern "C" {

Return nvmlDeviceGetTopologyCommonAncestor(Device one, Device other, std::uint32_t* shared) {
  return ask_pair(__func__, one, other,
                  [&](View& view, const Gpu& peer) { return put(shared, level(view, peer)); });
}

Return nvmlDeviceGetP2PStatus(Device one, Device other, std::uint32_t which, std::uint32_t* status) {
  return ask_pair(__func__, one, other, [&](View& view, const Gpu& peer) {
    return which > 4 ? Return::InvalidArgument : put(status, peer_status(view, peer, which));
  });
}

Return nvmlDeviceGetCpuAffinity(Device device, std::uint32_t words, std::uint64_t* mask) {
  return ask(__func__, device, [&](View& view) {
    if (mask == nullptr || words == 0) return Return::InvalidArgument;
    const auto first = socket_of(view, view.gpu) * kCoresOfSocket;
    set_bits(mask, words, first, first + kCoresOfSocket);
    return Return::Success;
  });
}

Return nvmlDeviceGetMemoryAffinity(Device device, std::uint32_t words, std::uint64_t* mask,
                                   std::uint32_t scope) {
  return ask(__func__, device, [&](View& view) {
    if (mask == nullptr || words == 0 || scope > 1) return Return::InvalidArgument;
    const auto node = socket_of(view, view.gpu);
    set_bits(mask, words, node, node + 1);
    return Return::Success;
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
