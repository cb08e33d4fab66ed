// Values by field number: many in one call, each with a return code of its own. Numbers: NVML API reference,
// Field Value Enums.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace gpuwright::host::nvml {

using fakegpu::ask;
using fakegpu::Repair;
using fakegpu::View;

namespace {

void set(FieldValue& field, std::uint64_t value) {
  field.type = kUnsignedLongLong;
  field.value.u64 = value;
  field.result = Return::Success;
}

void set_small(FieldValue& field, double value) {
  field.type = kUnsignedInt;
  field.value.u64 = 0;
  field.value.u32 = static_cast<std::uint32_t>(std::llround(value));
  field.result = Return::Success;
}

/// ECC totals: fields 3 to 6 are corrected and uncorrected, volatile and then aggregate.
void answer_ecc(const View& view, FieldValue& field) {
  if (view.quantity("ecc-mode") == 0) return;
  const std::uint32_t type = (field.field - 3) % 2;
  const std::uint32_t counter = (field.field - 3) / 2;
  set(field, view.gpu.dram[type][counter] + view.gpu.sram[type][counter]);
}

/// Remapped rows: corrected, uncorrected, pending, failed.
void answer_remap(const View& view, FieldValue& field) {
  if (view.gpu.board->repair != Repair::RemapRows || !view.gpu.slices.empty()) return;
  const std::uint32_t values[] = {view.gpu.remapped_corrected, view.gpu.remapped_uncorrected,
                                  view.gpu.remap_pending ? 1U : 0U, view.gpu.remap_failed ? 1U : 0U};
  set_small(field, values[field.field - 142]);
}

/// Speed, state, version of the link that the scope names.
void answer_link(const View& view, FieldValue& field) {
  if (field.scope >= view.gpu.links.size()) return;
  const bool up = view.gpu.links[field.scope].up;
  if (field.field == kFieldLinkSpeed) set_small(field, up ? view.gpu.board->link_mbs : 0);
  if (field.field == 165) set_small(field, up ? 1 : 0);
  if (field.field == 166) set_small(field, view.gpu.board->link_version);
}

/// Time in nanoseconds for which a reason has held the clocks. Fields 74 to 76 as nvmlPerfPolicyType_t, 269
/// to 271 the newer names.
void answer_held(const View& view, FieldValue& field) {
  constexpr std::pair<std::uint32_t, std::uint64_t> kReasons[] = {
      {74, kReasonSoftwarePowerCap}, {75, kReasonHardwareThermal},  {76, kReasonSyncBoost},
      {269, kReasonSoftwareThermal}, {270, kReasonHardwareThermal}, {271, kReasonPowerBrake}};
  for (const auto& [number, reason] : kReasons) {
    constexpr double kNano = 1e9;
    if (number == field.field)
      set(field, static_cast<std::uint64_t>(fakegpu::violation_seconds(view.gpu, reason, view.now) * kNano));
  }
}

/// Retired pages: after single-bit errors, after double-bit errors, pending.
void answer_retired(const View& view, FieldValue& field) {
  if (view.gpu.board->repair != Repair::RetirePages) return;
  const std::uint32_t values[] = {view.gpu.retired_single, view.gpu.retired_double,
                                  view.gpu.retire_pending ? 1U : 0U};
  set_small(field, values[field.field - 29]);
}

/// Bytes over links grow with the energy, which never falls: KiB over NVLink (138 sent, 139 received), bytes
/// over PCIe (197, 198).
void answer_traffic(const View& view, FieldValue& field) {
  constexpr double kNvlinkKibPerJoule = 400'000, kPcieBytesPerJoule = 5'000'000;
  const double energy = view.quantity("energy");
  const bool nvlink = field.field <= 139;
  if (nvlink && view.gpu.links.empty()) return;
  set(field, static_cast<std::uint64_t>(energy * (nvlink ? kNvlinkKibPerJoule : kPcieBytesPerJoule)));
}

/// Errors of all links together: flits, data, replays, recoveries (38, 45, 52, 59).
void answer_link_errors(const View& view, FieldValue& field) {
  if (view.gpu.links.empty()) return;
  const LinkCounter counter = field.field == 38   ? kLinkCrcFlit
                              : field.field == 45 ? kLinkCrcData
                              : field.field == 52 ? kLinkReplay
                                                  : kLinkRecovery;
  std::uint64_t all = 0;
  for (const auto& link : view.gpu.links) all += link.errors[counter];
  set(field, all);
}

/// Leaves NotSupported where this board has nothing to say.
void answer_field(const View& view, FieldValue& field) {
  const auto number = field.field;
  const auto& board = *view.gpu.board;
  if (number >= 3 && number <= 6) return answer_ecc(view, field);
  if (number >= 142 && number <= 145) return answer_remap(view, field);
  if (number >= 164 && number <= 166) return answer_link(view, field);
  if (number >= 29 && number <= 31) return answer_retired(view, field);
  if ((number >= 74 && number <= 76) || (number >= 269 && number <= 271)) return answer_held(view, field);
  if (number == 138 || number == 139 || number == 197 || number == 198) return answer_traffic(view, field);
  if (number == 38 || number == 45 || number == 52 || number == 59) return answer_link_errors(view, field);
  switch (number) {
    case kFieldMemoryTemperature:
      if (board.memory_max_c != 0) set_small(field, view.quantity("memory-temperature"));
      break;
    case kFieldTotalEnergy:
      set(field, static_cast<std::uint64_t>(view.quantity("energy") * 1000));
      break;
    case kFieldLinkSpeedCommon:
      if (board.links != 0) set_small(field, board.link_mbs);
      break;
    case 91:
      set_small(field, board.links);
      break;
    case kFieldPcieReplay:
      set_small(field, view.gpu.pcie_replays);
      break;
    case kFieldRecoveryAction:
      set_small(field, view.gpu.recovery_action);
      break;
    case 195:  // distance to the slowdown temperature
      if (board.slowdown_c != 0)
        set_small(field, std::max(0.0, board.slowdown_c - view.quantity("temperature")));
      break;
    case 185:  // power, average over a second
    case 186:
      set_small(field, view.quantity("power") * 1000);
      break;
    default:
      break;
  }
}

}  // namespace

extern "C" Return nvmlDeviceGetFieldValues(Device device, std::int32_t count, FieldValue* values) {
  return ask(__func__, device, [&](View& view) {
    if (values == nullptr || count <= 0) return Return::InvalidArgument;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    for (std::int32_t at = 0; at < count; ++at) {
      values[at].result = Return::NotSupported;
      values[at].timestamp_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
      values[at].latency_us = 0;
      answer_field(view, values[at]);
    }
    return Return::Success;
  });
}

}  // namespace gpuwright::host::nvml
