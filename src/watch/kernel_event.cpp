// See the header. Source: https://docs.nvidia.com/deploy/xid-errors/ ("NVRM: Xid"); NVIDIA Fabric Manager
// user guide, appendix D ("nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, ...").
// SPDX-License-Identifier: Apache-2.0
#include "watch/kernel_event.h"

#include "base/ids.h"
#include "base/text.h"
#include "parse/xid_line.h"

#include <string_view>

namespace gpuwright::watch {

namespace {

std::string device_of(std::string_view address) {
  const auto pci = base::PciAddress::parse(address);
  if (!pci) return {};
  const std::string text = pci->text();
  return text.substr(0, text.rfind('.'));
}

/// "20034" of "SXid (PCI:0000:c1:00.0): 20034, Non-fatal".
std::string sxid_code(std::string_view message) {
  constexpr std::string_view kBefore = "): ";
  const std::size_t at = message.find(kBefore, message.find("SXid"));
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + kBefore.size());
  const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  return std::string(digits);
}

/// The GPU whose address stands in the message.
const model::GpuState* gpu_in(std::string_view message, const model::NodeState& state) {
  for (const auto& entry : state.gpus) {
    const std::string device = device_of(entry.second.identity.pci);
    if (!device.empty() && base::contains(message, device)) return &entry.second;
  }
  return nullptr;
}

}  // namespace

std::optional<model::HistoryEvent> kernel_event(const host::KernelRecord& record,
                                                const model::NodeState& state) {
  model::HistoryEvent event;
  event.text = record.message;
  event.origin = record.of_kernel ? model::Origin::Verified : model::Origin::Unverified;
  const model::GpuState* gpu = nullptr;
  if (const auto xid = parse::read_xid_line(record.message)) {
    event.kind = "xid";
    event.code = std::to_string(xid->code);
    event.pci = device_of(xid->pci);
    const auto index = model::gpu_at(state, event.pci);
    if (index) gpu = &state.gpus.at(*index);
  } else if (base::contains(record.message, "SXid")) {
    event.kind = "sxid";
    event.code = sxid_code(record.message);
  } else if (base::contains(record.message, "NVRM:") ||
             (record.of_kernel && base::contains(record.message, "nvidia-"))) {
    event.kind = "driver";
    gpu = gpu_in(record.message, state);
  } else if (record.of_kernel) {
    gpu = gpu_in(record.message, state);
    if (gpu != nullptr) event.kind = "pci";
  }
  if (event.kind.empty()) return std::nullopt;
  if (gpu != nullptr) {
    event.uuid = gpu->identity.uuid;
    event.pci = device_of(gpu->identity.pci);
  }
  return event;
}

}  // namespace gpuwright::watch
