// Values by field number: many in one call, each with a return code of its own. Numbers: NVML API reference,
// Field Value Enums.
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

#include <chrono>
#include <cmath>

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

/// Leaves NotSupported where this board has nothing to say.
void answer_field(const View& view, FieldValue& field) {
  const auto number = field.field;
  const auto& board = *view.gpu.board;
  if (number >= 3 && number <= 6) return answer_ecc(view, field);
  if (number >= 142 && number <= 145) return answer_remap(view, field);
  if (number >= 164 && number <= 166) return answer_link(view, field);
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
