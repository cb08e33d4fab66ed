// Waiting for events: Xids, memory errors, clock changes. A set tells each event once to whoever waits on it;
// the sets of a process do not share.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace gpuwright::host::nvml {

/// What a set waits for, and how far it has read the world's events.
struct EventSetHandle {
  struct Registration {
    std::uint32_t gpu = 0;
    std::uint64_t types = 0;
    std::size_t since = 0;
  };
  std::vector<Registration> registrations;
  std::size_t next = 0;
};

using fakegpu::ask;
using fakegpu::put;
using fakegpu::Simulator;
using fakegpu::View;
using fakegpu::World;

namespace {

constexpr std::uint64_t kAllTypes =
    kEventSingleBit | kEventDoubleBit | kEventPState | kEventXid | kEventClock;

struct Sets {
  std::mutex mutex;
  std::map<EventSet, std::unique_ptr<EventSetHandle>> live;
};

Sets& sets() {
  static Sets* all = new Sets;  // never destroyed, as the simulator
  return *all;
}

bool waits_for(const EventSetHandle& set, const fakegpu::Event& event, std::size_t number) {
  for (const auto& one : set.registrations) {
    if (one.gpu == event.gpu && (one.types & event.type) != 0 && number >= one.since) return true;
  }
  return false;
}

/// The next event that the set waits for; Timeout where none is there yet.
Return take(EventSetHandle& set, const World& world, EventData& data) {
  while (set.next < world.events.size()) {
    const auto number = set.next++;
    const auto& event = world.events[number];
    if (!waits_for(set, event, number)) continue;
    data = {Simulator::instance().handle(event.gpu), event.type, event.data, fakegpu::kNoInstance,
            fakegpu::kNoInstance};
    return Return::Success;
  }
  for (const auto& one : set.registrations) {
    if (one.gpu < world.gpus.size() && world.gpus[one.gpu].lost) return Return::GpuIsLost;
  }
  return Return::Timeout;
}

Return take_now(const char* call, EventSet set, EventData& data) {
  return Simulator::instance().ask_system(call, [&](World& world, double) {
    const std::lock_guard<std::mutex> lock(sets().mutex);
    const auto found = sets().live.find(set);
    return found == sets().live.end() ? Return::InvalidArgument : take(*found->second, world, data);
  });
}

Return wait(const char* call, EventSet set, EventData* data, std::uint32_t timeout_ms) {
  if (data == nullptr) return Return::InvalidArgument;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    const Return taken = take_now(call, set, *data);
    if (taken != Return::Timeout || std::chrono::steady_clock::now() >= until) return taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

extern "C" {

Return nvmlEventSetCreate(EventSet* set) {
  return Simulator::instance().ask_system(__func__, [&](World& world, double) {
    if (set == nullptr) return Return::InvalidArgument;
    auto made = std::make_unique<EventSetHandle>();
    made->next = world.events.size();
    const std::lock_guard<std::mutex> lock(sets().mutex);
    *set = made.get();
    sets().live[made.get()] = std::move(made);
    return Return::Success;
  });
}

Return nvmlEventSetFree(EventSet set) {
  const std::lock_guard<std::mutex> lock(sets().mutex);
  return sets().live.erase(set) == 0 ? Return::InvalidArgument : Return::Success;
}

Return nvmlDeviceGetSupportedEventTypes(Device device, std::uint64_t* types) {
  return ask(__func__, device, [&](View&) { return put(types, kAllTypes); });
}

Return nvmlDeviceRegisterEvents(Device device, std::uint64_t types, EventSet set) {
  return ask(__func__, device, [&](View& view) {
    const std::lock_guard<std::mutex> lock(sets().mutex);
    const auto found = sets().live.find(set);
    if (found == sets().live.end()) return Return::InvalidArgument;
    if ((types & ~kAllTypes) != 0) return Return::NotSupported;
    found->second->registrations.push_back({view.gpu.index, types, view.world.events.size()});
    return Return::Success;
  });
}

Return nvmlEventSetWait_v2(EventSet set, EventData* data, std::uint32_t timeout_ms) {
  return wait(__func__, set, data, timeout_ms);
}

Return nvmlEventSetWait(EventSet set, EventDataV1* data, std::uint32_t timeout_ms) {
  if (data == nullptr) return Return::InvalidArgument;
  EventData today{};
  const Return result = wait(__func__, set, &today, timeout_ms);
  if (result == Return::Success) *data = {today.device, today.type, today.data};
  return result;
}

}  // extern "C"
}  // namespace gpuwright::host::nvml
