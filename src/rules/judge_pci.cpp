// Judges lspci listings: links that trained narrower or slower than both ends can, devices that answer with
// all ones, memory windows that were never assigned, access control that sends GPU traffic through the root
// complex. A GPU lowers its link speed (never its width) when idle, so speed alone is no fault. Two ends of a
// link share width and speed: when the slot above cannot do more, the slot is the limit, not the link.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_pci.h"

#include "base/ids.h"
#include "model/pci_report.h"
#include "rules/net_events.h"

#include <fmt/core.h>

#include <optional>

namespace gpuwright::rules {
namespace {

using model::Event;
using model::EventLevel;
using model::PciDevice;
using model::SubjectKind;

constexpr const char* kId = "pci";
constexpr double kIdleSpeed = 2.5;           // GT/s: the lowest, to which idle GPUs go
constexpr std::int64_t kFabricNicLanes = 8;  // narrower adapters are for management

model::Subject subject_of(const PciDevice& device) {
  if (device.address.empty()) return {};
  if (device.is_gpu() || device.is_nvswitch()) {
    const SubjectKind kind = device.is_gpu() ? SubjectKind::Gpu : SubjectKind::Switch;
    return device_subject(kind, device.address.substr(0, device.address.size() - 2));
  }
  return device_subject(device.is_nic() ? SubjectKind::Nic : SubjectKind::Pci, device.address);
}

/// The devices whose links matter here. One without a name may be anything: its link was shown for a reason.
bool is_fabric_nic(const PciDevice& device) {
  const bool virtual_function = device.name.find("Virtual Function") != std::string::npos;
  return device.is_nic() && !virtual_function && device.link.capable_width.known() &&
         device.link.capable_width.value() >= kFabricNicLanes;
}
bool link_matters(const PciDevice& device) {
  return device.is_gpu() || device.is_nvswitch() || is_fabric_nic(device) || device.address.empty();
}

/// The bridge right above the device, if the listing shows it.
const PciDevice* upstream_of(const PciDevice& device, const std::vector<PciDevice>& all) {
  const auto address = base::PciAddress::parse(device.address);
  if (!address) return nullptr;
  for (const PciDevice& bridge : all) {
    const auto above = base::PciAddress::parse(bridge.address);
    if (!above || above->domain != address->domain || !bridge.secondary_bus.known()) continue;
    if (bridge.secondary_bus.value() == static_cast<std::int64_t>(address->bus) &&
        bridge.evidence.input == device.evidence.input)
      return &bridge;
  }
  return nullptr;
}

std::string known_text(const model::Field<std::int64_t>& value) {
  return value.known() ? fmt::format("{}", value.value()) : std::string();
}
std::string known_text(const model::Field<double>& value) {
  return value.known() ? fmt::format("{:g}", value.value()) : std::string();
}

Event link_event(const std::string& signal, const PciDevice& device) {
  Event event = derived_event(signal, kId, subject_of(device), device.link.evidence);
  if (!device.address.empty()) event.evidence.insert(event.evidence.begin(), device.evidence);
  event.params["width"] = known_text(device.link.width);
  event.params["capable_width"] = known_text(device.link.capable_width);
  event.params["speed"] = known_text(device.link.speed);
  event.params["capable_speed"] = known_text(device.link.capable_speed);
  event.params["device"] = device.address;
  return event;
}

/// True when the port above the device cannot do more than what is running.
bool slot_is_the_limit(const PciDevice& device, const std::vector<PciDevice>& all, bool width) {
  const PciDevice* bridge = upstream_of(device, all);
  if (bridge == nullptr) return false;
  if (width) {
    return bridge->link.capable_width.known() &&
           bridge->link.capable_width.value() <= device.link.width.value();
  }
  return bridge->link.capable_speed.known() &&
         bridge->link.capable_speed.value() <= device.link.speed.value();
}

std::optional<Event> judge_width(const PciDevice& device, const std::vector<PciDevice>& all) {
  const auto& link = device.link;
  if (!link.width.known() || link.width.value() == 0) return std::nullopt;
  const bool below = link.capable_width.known() && link.width.value() < link.capable_width.value();
  if (!below && !link.width_downgraded) return std::nullopt;
  const bool slot = slot_is_the_limit(device, all, true);
  return link_event(slot ? "pcie.slot_narrow" : "pcie.link_width_reduced", device);
}

std::optional<Event> judge_speed(const PciDevice& device, const std::vector<PciDevice>& all) {
  const auto& link = device.link;
  if (!link.speed.known()) return std::nullopt;
  const bool below = link.capable_speed.known() && link.speed.value() < link.capable_speed.value();
  if (!below && !link.speed_downgraded) return std::nullopt;
  if (slot_is_the_limit(device, all, false)) return link_event("pcie.slot_slow", device);
  const bool may_idle = device.is_gpu() || device.address.empty();
  if (may_idle && link.speed.value() <= kIdleSpeed) return link_event("pcie.link_speed_idle", device);
  return link_event("pcie.link_speed_reduced", device);
}

void judge_link(const PciDevice& device, const std::vector<PciDevice>& all, std::vector<Event>& events) {
  if (device.gone || !link_matters(device)) return;
  const auto width = judge_width(device, all);
  if (width) {
    events.push_back(*width);
    return;  // a narrow link is the fault; what its speed does adds nothing
  }
  const auto speed = judge_speed(device, all);
  if (speed) events.push_back(*speed);
}

void judge_presence(const PciDevice& device, std::vector<Event>& events) {
  if (device.gone && (device.is_gpu() || device.is_nvswitch() || device.is_nic())) {
    events.push_back(derived_event("pcie.device_gone", kId, subject_of(device), device.evidence));
    events.back().params["device"] = device.address;
  }
  if (device.gone) return;
  if (!device.unassigned_regions.empty() && (device.is_gpu() || device.is_nic())) {
    events.push_back(
        derived_event("pcie.bar_unassigned", kId, subject_of(device), device.unassigned_regions.front()));
    events.back().params["device"] = device.address;
  }
  if (!device.is_gpu() || !device.driver.known()) return;
  const std::string& driver = device.driver.value();
  if (driver == "nvidia") return;
  const std::string signal = driver.empty()         ? "pcie.gpu_without_driver"
                             : driver == "vfio-pci" ? "pcie.gpu_passed_through"
                                                    : "pcie.gpu_foreign_driver";
  events.push_back(derived_event(signal, kId, subject_of(device), device.evidence));
  events.back().params["driver"] = driver;
  if (driver == "vfio-pci") events.back().level = EventLevel::Context;
}

/// Error bits that a healthy boot does not leave behind. UnsupReq is set by ordinary probing.
void judge_latched_errors(const PciDevice& device, std::vector<Event>& events) {
  if (device.gone || !(device.is_gpu() || device.is_nvswitch())) return;
  for (const std::string& bit : device.uncorrectable) {
    if (bit != "DLP" && bit != "SDES" && bit != "CmpltTO" && bit != "MalfTLP" && bit != "TLP") continue;
    events.push_back(derived_event("pcie.error_latched", kId, subject_of(device), device.error_evidence));
    events.back().params["bit"] = bit;
    return;
  }
}

bool gpu_behind(const PciDevice& bridge, const std::vector<PciDevice>& all) {
  const auto above = base::PciAddress::parse(bridge.address);
  if (!above || !bridge.secondary_bus.known() || !bridge.subordinate_bus.known()) return false;
  for (const PciDevice& device : all) {
    const auto address = device.is_gpu() ? base::PciAddress::parse(device.address) : std::nullopt;
    if (!address || address->domain != above->domain || device.evidence.input != bridge.evidence.input)
      continue;
    const auto bus = static_cast<std::int64_t>(address->bus);
    if (bus >= bridge.secondary_bus.value() && bus <= bridge.subordinate_bus.value()) return true;
  }
  return false;
}

/// One event for the whole machine: the remedy is one.
void judge_access_control(const std::vector<PciDevice>& all, std::vector<Event>& events) {
  std::optional<Event> event;
  for (const PciDevice& bridge : all) {
    const bool redirects = bridge.acs_redirect.known() && bridge.acs_redirect.value();
    if (!redirects || !gpu_behind(bridge, all)) continue;
    if (!event) {
      event = derived_event("pcie.acs_redirect", kId, {}, bridge.acs_evidence);
      event->params["device"] = bridge.address;
    } else {
      add_occurrence(*event, bridge.acs_evidence);
    }
  }
  if (event) events.push_back(*event);
}

void judge_switches(const std::vector<PciDevice>& all, std::vector<Event>& events) {
  std::optional<Event> event;
  for (const PciDevice& device : all) {
    if (!device.is_nvswitch() || device.gone) continue;
    if (event) {
      add_occurrence(*event, device.evidence);
      continue;
    }
    event = derived_event("pcie.nvswitch_present", kId, {}, device.evidence);
    event->level = EventLevel::Context;
  }
  if (event) events.push_back(*event);
}

}  // namespace

std::vector<Event> judge_pci(const model::Observations& observations, const catalog::Catalog&) {
  std::vector<Event> events;
  const std::vector<PciDevice>& all = observations.pci_devices;
  for (const PciDevice& device : all) {
    judge_presence(device, events);
    judge_link(device, all, events);
    judge_latched_errors(device, events);
  }
  judge_access_control(all, events);
  judge_switches(all, events);
  return events;
}

}  // namespace gpuwright::rules
