// What a guest needs of its host to use a GPU, judged before it fails. Source: Linux
// Documentation/driver-api/vfio (groups); OVMF (X-PciMmio64Mb, window from the address width); QEMU 7.1
// changelog (AMD HyperTransport range below 1 TiB); NVIDIA confidential computing deployment guide (resets).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_passthrough.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace gpuwright::rules {

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

const model::PciFunction* function_at(const model::Machine& machine, const std::string& address) {
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (function.key() == address) return &function;
  }
  return nullptr;
}

bool is_vfio(std::string_view driver) {
  return base::contains(driver, "vfio") || driver == "pci-stub";
}

/// "0000:3b:00.1 snd_hda_intel": the first member that a host driver keeps and the guest does not get.
std::optional<std::string> intruder(const model::PciFunction& function,
                                    const std::vector<std::string>& given) {
  for (const std::string& member : model::each(function.group_members)) {
    const std::size_t blank = member.find(' ');
    const std::string address = member.substr(0, blank), driver = member.substr(blank + 1);
    const bool harmless = driver == "none" || driver == "pcieport" || is_vfio(driver);
    const bool is_given = std::find(given.begin(), given.end(), address) != given.end();
    if (address != function.key() && !harmless && !is_given) return member;
  }
  return std::nullopt;
}

/// GPUs and NVSwitches that a guest has or that wait for one.
bool is_passed(const model::PciFunction& function, const std::vector<model::GuestFacts>& guests,
               const std::vector<std::string>*& given) {
  given = nullptr;
  for (const model::GuestFacts& guest : guests) {
    const auto& devices = model::each(guest.devices);
    if (std::find(devices.begin(), devices.end(), function.key()) != devices.end()) given = &devices;
  }
  return given != nullptr || is_vfio(model::key_text(function.driver));
}

}  // namespace

model::Verdict check_group_viable(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const auto& guests = model::each(machine.virtual_machines.guests);
  bool any = false;
  for (const model::PciFunction& function : model::each(machine.pci)) {
    const std::vector<std::string>* given = nullptr;
    if (model::key_text(function.vendor) != "10de" || !is_passed(function, guests, given)) continue;
    any = true;
    // Where nothing else of its folder is known either, somebody wrote down the list alone.
    const bool looked = function.numa_node.known();
    if (looked && !function.iommu_group.known() &&
        function.iommu_group.reason() == model::AbsentReason::NotFound) {
      look.fails("host.iommu_group_absent").with("device", function.key()).proof(function.iommu_group);
      break;
    }
    if (look.need(function.group_members) == nullptr) continue;
    const auto other = intruder(function, given == nullptr ? std::vector<std::string>() : *given);
    if (!other) continue;
    look.fails("host.iommu_group_shared")
        .with("group", model::key_text(function.iommu_group))
        .with("device", function.key())
        .with("other", *other)
        .proof(function.group_members)
        .proof(function.driver);
    break;
  }
  return any ? look.conclude() : look.not_applicable();
}

namespace {

struct Windows {
  std::int64_t placed = 0, missing = 0, bars = 0;
  const model::PciFunction* first_missing = nullptr;
};

Windows windows_of(const model::Machine& machine) {
  Windows windows;
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (!is_gpu(function)) continue;
    const bool lacks = function.unassigned_bars.known() && function.unassigned_bars.value() > 0;
    (lacks ? windows.missing : windows.placed) += 1;
    if (lacks && windows.first_missing == nullptr) windows.first_missing = &function;
    if (function.bars.known()) windows.bars += function.bars.value().count();
  }
  return windows;
}

/// Memory and windows each end at a power of two, as firmware aligns a window to its own size.
std::int64_t bits_needed(std::int64_t memory_bytes, std::int64_t bars_bytes) {
  const auto sum = std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(memory_bytes, 1))) +
                   std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bars_bytes, 1)));
  return static_cast<std::int64_t>(std::bit_width(sum - 1));
}

}  // namespace

namespace {

/// GPUs for which the kernel found no room, by their addresses without function.
std::set<std::string> refused_gpus(const Situation& situation, const model::Event*& first) {
  std::set<std::string> gpus;
  for (const model::Event& event : situation.observations.events) {
    const auto bar = event.params.find("bar");
    const bool rom = bar != event.params.end() && base::parse_int(bar->second).value_or(0) > 5;
    if (event.signal != "pcie.bar_unassigned" || rom) continue;
    for (const model::PciFunction& function : model::each(situation.machine.pci)) {
      const std::string& id = event.subject.id;  // with or without function
      if (!is_gpu(function) || id.empty() || !function.key().starts_with(id)) continue;
      gpus.insert(event.subject.id);
      if (first == nullptr) first = &event;
    }
  }
  return gpus;
}

}  // namespace

model::Verdict check_guest_bars(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const model::Event* refused = event_of(situation.observations, "driver.bar_invalid");
  if (refused == nullptr) refused = event_of(situation.observations, "driver.bar_invalid_notice");
  Windows windows = windows_of(machine);
  const auto gpus = static_cast<std::int64_t>(refused_gpus(situation, refused).size());
  if (gpus > windows.missing) {
    windows.placed -= gpus - windows.missing;
    windows.missing = gpus;
  }
  if (!is_guest(machine) || (windows.placed + windows.missing == 0 && refused == nullptr))
    return look.not_applicable();
  if (windows.missing == 0 && refused == nullptr) return look.conclude();
  const auto& bits = machine.cpu.physical_address_bits;
  const std::int64_t memory = machine.memory.total.known() ? machine.memory.total.value().count() : 0;
  const bool too_wide = bits.known() && bits_needed(memory, windows.bars) > bits.value();
  // A log may tell of the first GPU alone; a register window (BAR0) that is missing is the firmware's doing.
  const bool registers = event_of(situation.observations, "driver.bar_invalid") != nullptr;
  const bool some_fit = windows.missing > 0 && windows.placed > 0 && !registers;
  auto failure = look.fails(too_wide || some_fit ? "guest.address_width" : "guest.bar_unassigned");
  failure.with("bits", model::key_text(bits))
      .with("needs_bits", std::to_string(bits_needed(memory, windows.bars)))
      .with("memory_gib", std::to_string(memory / kGiB))
      .with("bars_gib", std::to_string(windows.bars / kGiB));
  if (windows.first_missing != nullptr)
    failure.with("device", windows.first_missing->key()).proof(windows.first_missing->unassigned_bars);
  if (refused != nullptr && !refused->evidence.empty()) failure.proof_at(&refused->evidence.front());
  failure.proof(bits).proof(machine.os.virtualization);
  return look.conclude();
}

namespace {

constexpr std::int64_t kDefaultBits = 40;  // QEMU's own processor models

std::int64_t bars_of(const model::Machine& machine, const model::GuestFacts& guest, std::int64_t& largest) {
  std::int64_t sum = 0;
  for (const std::string& address : model::each(guest.devices)) {
    const model::PciFunction* function = function_at(machine, address);
    if (function == nullptr || !is_gpu(*function) || !function->bars.known()) continue;
    sum += function->bars.value().count();
    if (function->largest_bar.known()) largest = std::max(largest, function->largest_bar.value().count());
  }
  return sum;
}

std::int64_t bits_of(const model::Machine& machine, const model::GuestFacts& guest) {
  const std::string told = model::key_text(guest.address_bits);
  if (const auto number = base::parse_int(told)) return *number;
  if (told == "host")
    return machine.cpu.physical_address_bits.known() ? machine.cpu.physical_address_bits.value() : 0;
  return kDefaultBits;
}

void look_at_window(Look& look, const model::GuestFacts& guest, std::int64_t bars, std::int64_t largest) {
  const bool small = guest.window_mib.known() && guest.window_mib.value() * kMiB < bars;
  const bool bios = model::key_text(guest.firmware) == "bios" && largest >= 16 * kGiB;
  if (!small && !bios) return;
  auto failure = look.fails("guest.window_small");
  failure.with("guest", model::key_text(guest.name))
      .with("bars_gib", std::to_string(bars / kGiB))
      .with("window_mib", std::to_string(std::bit_ceil(static_cast<std::uint64_t>(bars / kMiB)) * 2));
  small ? failure.proof(guest.window_mib) : failure.proof(guest.firmware);
}

}  // namespace

model::Verdict check_guest_definition(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  bool any = false;
  for (const model::GuestFacts& guest : model::each(machine.virtual_machines.guests)) {
    std::int64_t largest = 0;
    const std::int64_t bars = bars_of(machine, guest, largest);
    if (bars == 0) continue;
    any = true;
    look_at_window(look, guest, bars, largest);
    const std::int64_t bits = bits_of(machine, guest);
    const auto* memory = look.need(guest.memory);
    if (memory == nullptr || bits == 0) continue;
    const std::int64_t needed = bits_needed(memory->count(), bars);
    if (needed <= bits) continue;
    look.fails("guest.address_width")
        .with("guest", model::key_text(guest.name))
        .with("bits", std::to_string(bits))
        .with("needs_bits", std::to_string(needed))
        .with("memory_gib", std::to_string(memory->count() / kGiB))
        .with("bars_gib", std::to_string(bars / kGiB))
        .proof(guest.address_bits)
        .proof(guest.memory);
  }
  return any ? look.conclude() : look.not_applicable();
}

model::Verdict check_confidential_reset(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const std::string kind = model::key_text(machine.virtual_machines.confidential);
  if (kind.empty() || kind == "none" || kind == "guest") return look.not_applicable();
  bool any = false;
  for (const model::PciFunction& function : model::each(machine.pci)) {
    if (!is_gpu(function) || !is_vfio(model::key_text(function.driver))) continue;
    any = true;
    // The kernel takes the first method that the file names.
    const std::string* methods = look.need(function.reset_methods);
    if (methods == nullptr || !methods->starts_with("flr")) continue;
    look.fails("guest.confidential_flr")
        .on(model::SubjectKind::Gpu, function.key().substr(0, function.key().rfind('.')))
        .with("device", function.key())
        .with("host", kind)
        .proof(function.reset_methods)
        .proof(machine.virtual_machines.confidential);
  }
  return any ? look.conclude() : look.not_applicable();
}

namespace {

/// 1012 GiB: there the range begins that the processor keeps for HyperTransport. Some memory lies above the
/// hole below 4 GiB, so that a guest of 1010 GiB reaches it.
constexpr std::int64_t kReachesHole = 1010 * kGiB;

/// Machine types before QEMU 7.1, and RHEL's before 9.2, do not move memory above it.
bool lacks_relocation(std::string_view machine) {
  const std::size_t rhel = machine.find("rhel");
  if (rhel != std::string_view::npos) {
    const std::string version(machine.substr(rhel + 4));
    return base::compare_versions(version, "9.2") < 0;
  }
  const std::size_t dash = machine.rfind('-');
  if (dash == std::string_view::npos || dash + 1 >= machine.size() || machine[dash + 1] < '0' ||
      machine[dash + 1] > '9')
    return false;  // "q35" is whatever QEMU is installed
  return base::compare_versions(std::string(machine.substr(dash + 1)), "7.1") < 0;
}

}  // namespace

model::Verdict check_terabyte_hole(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  if (model::key_text(machine.cpu.vendor) != "AuthenticAMD") return look.not_applicable();
  bool any = false;
  for (const model::GuestFacts& guest : model::each(machine.virtual_machines.guests)) {
    const bool large = guest.memory.known() && guest.memory.value().count() >= kReachesHole;
    if (!large || model::each(guest.devices).empty()) continue;
    any = true;
    if (!lacks_relocation(model::key_text(guest.machine))) continue;
    look.fails("guest.terabyte_hole")
        .with("guest", model::key_text(guest.name))
        .with("machine", model::key_text(guest.machine))
        .proof(guest.machine)
        .proof(guest.memory);
  }
  // From inside: the firmware and the kernel keep a part of the memory for themselves.
  const bool inside = is_guest(machine) && has_gpu(machine) && machine.memory.total.known() &&
                      machine.memory.total.value().count() >= 990 * kGiB;
  if (inside && lacks_relocation(model::key_text(machine.os.product_version)))
    look.fails("guest.terabyte_hole")
        .with("machine", machine.os.product_version.value())
        .proof(machine.os.product_version)
        .proof(machine.memory.total);
  return any || inside ? look.conclude() : look.not_applicable();
}

}  // namespace gpuwright::rules
