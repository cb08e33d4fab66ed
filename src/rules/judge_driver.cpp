// The driver is a set of pieces that must be of one version, built for the running kernel, and of the flavour
// that the GPU takes: the proprietary modules end before Blackwell, the open ones begin with Turing. A log
// may span an upgrade and show two versions of a piece; only pieces that agree in no version are in conflict.
// Source: NVIDIA driver installation guide (module flavours), Fabric Manager user guide (versions), dkms(8).
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_driver.h"

#include "base/text.h"
#include "model/pci_report.h"
#include "rules/compatibility.h"
#include "rules/gpu_identity.h"
#include "rules/net_events.h"

#include <algorithm>
#include <optional>
#include <string>

namespace gpuwright::rules {
namespace {

using model::Event;

constexpr const char* kId = "driver";
constexpr double kFairCoresPerGpu = 8;  // below it a limit throttles a data-bound job

/// A piece of software in one version, and what proves it.
struct Piece {
  std::string version;
  const Event* event = nullptr;
};

std::string param(const Event& event, const char* name) {
  const auto at = event.params.find(name);
  return at == event.params.end() ? std::string() : at->second;
}

std::vector<const Event*> events_of(const model::Observations& observations, std::string_view signal) {
  std::vector<const Event*> out;
  for (const Event& event : observations.events) {
    if (event.signal == signal) out.push_back(&event);
  }
  return out;
}

std::vector<Piece> pieces(const model::Observations& observations, std::string_view signal,
                          const char* version_param) {
  std::vector<Piece> out;
  for (const Event* event : events_of(observations, signal)) {
    const std::string version = param(*event, version_param);
    if (!version.empty()) out.push_back({version, event});
  }
  return out;
}

/// Tools shorten versions: NVML says "580.178" of 580.178.04. One agrees with the other when it begins it.
bool agree(const std::string& a, const std::string& b) {
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  return longer.compare(0, shorter.size(), shorter) == 0 &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '.');
}

bool same_host(const Event& a, const Event& b) {
  return a.subject.host == b.subject.host || a.subject.host.empty() || b.subject.host.empty();
}

/// The conflict of two pieces, when no version of the one agrees with any of the other.
std::optional<Event> conflict(const std::string& signal, const std::vector<Piece>& left,
                              const std::vector<Piece>& right) {
  const Piece* first_left = nullptr;
  const Piece* first_right = nullptr;
  for (const Piece& a : left) {
    for (const Piece& b : right) {
      if (!same_host(*a.event, *b.event)) continue;
      if (agree(a.version, b.version)) return std::nullopt;
      first_left = &a;
      first_right = &b;
    }
  }
  if (first_left == nullptr || first_left->event->evidence.empty()) return std::nullopt;
  Event event = derived_event(signal, kId, first_left->event->subject, first_left->event->evidence.front());
  event.subject.kind = model::SubjectKind::Host;
  event.subject.id.clear();
  event.first = first_right->event->first;
  event.last = first_right->event->last;
  if (!first_right->event->evidence.empty()) event.evidence.push_back(first_right->event->evidence.front());
  event.params = {{"left", first_left->version}, {"right", first_right->version}};
  return event;
}

void judge_versions(const model::Observations& observations, std::vector<Event>& out) {
  const auto modules = pieces(observations, "driver.module_loaded", "version");
  const auto libraries = pieces(observations, "driver.nvml_on_disk", "version");
  if (auto event = conflict("driver.version_conflict", libraries, modules)) {
    event->params["client"] = event->params["left"];
    event->params["module"] = event->params["right"];
    out.push_back(std::move(*event));
  }
  auto managers = pieces(observations, "fm.version", "version");
  for (const Piece& piece : pieces(observations, "driver.package", "version")) {
    const std::string name = param(*piece.event, "package");
    const bool manager = base::contains(name, "fabricmanager") || base::contains(name, "fabric-manager");
    if (manager && param(*piece.event, "state") == "ii") managers.push_back(piece);
  }
  if (auto event = conflict("driver.fabricmanager_version", managers, modules)) {
    event->params["fm_version"] = event->params["left"];
    event->params["driver"] = event->params["right"];
    out.push_back(std::move(*event));
  }
}

/// The running kernel: the last that a log or `uname -a` names. Empty: unknown.
std::string running_kernel(const model::Observations& observations) {
  std::string kernel;
  for (const Event* event : events_of(observations, "driver.kernel")) kernel = param(*event, "kernel");
  return kernel;
}

/// DKMS holds the driver, but has not installed it for the running kernel (for no kernel, if that is
/// unknown).
void judge_dkms(const model::Observations& observations, std::vector<Event>& out) {
  const std::string kernel = running_kernel(observations);
  const Event* waiting = nullptr;
  for (const Event* entry : events_of(observations, "driver.dkms_entry")) {
    const bool installed = param(*entry, "state") == "installed";
    const std::string built_for = param(*entry, "kernel");
    if (installed && (kernel.empty() || built_for == kernel)) return;
    if (waiting == nullptr || built_for == kernel) waiting = entry;
  }
  if (waiting == nullptr || waiting->evidence.empty()) return;
  Event event = derived_event("driver.dkms_not_installed", kId, waiting->subject, waiting->evidence.front());
  event.params = waiting->params;
  if (!kernel.empty()) event.params["kernel"] = kernel;
  out.push_back(std::move(event));
}

void judge_nouveau(const model::Observations& observations, std::vector<Event>& out) {
  const Event* nouveau = nullptr;
  for (const Event* module : events_of(observations, "driver.kernel_module")) {
    if (param(*module, "module") == "nouveau") nouveau = module;
  }
  if (nouveau == nullptr || nouveau->evidence.empty()) return;
  out.push_back(derived_event("driver.nouveau_loaded", kId, nouveau->subject, nouveau->evidence.front()));
}

/// The flavour that is loaded (or, failing that, installed), when all evidence names the same.
const Event* module_flavour(const model::Observations& observations) {
  for (const char* signal : {"driver.module_loaded", "driver.module_file"}) {
    const Event* found = nullptr;
    for (const Event* event : events_of(observations, signal)) {
      if (param(*event, "flavour").empty()) continue;
      if (found != nullptr && param(*found, "flavour") != param(*event, "flavour")) return nullptr;
      found = event;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// A GPU that nvidia-smi reports works; one that only the bus shows may be waiting for the other flavour.
void judge_flavour(const model::Observations& observations, const catalog::Catalog& catalog,
                   std::vector<Event>& out) {
  const Event* module = module_flavour(observations);
  if (module == nullptr || module->evidence.empty() || !observations.gpus.empty()) return;
  const bool open = param(*module, "flavour") == "open";
  for (const model::PciDevice& device : observations.pci_devices) {
    if (!device.is_gpu() || device.gone || model::key_text(device.driver) == "vfio-pci") continue;
    const OpenModules modules = modules_for(catalog.compat(), device.device_id, "");
    if (modules != (open ? OpenModules::Impossible : OpenModules::Required)) continue;
    const std::string signal = open ? "driver.open_on_old_gpu" : "driver.proprietary_on_new_gpu";
    Event event = derived_event(signal, kId, module->subject, device.evidence);
    event.evidence.push_back(module->evidence.front());
    event.params = {{"device", device.device_id}, {"flavour", param(*module, "flavour")}};
    out.push_back(std::move(event));
    return;
  }
}

void judge_pods(const model::Observations& observations, std::vector<Event>& out) {
  for (const Event* pod : events_of(observations, "k8s.pod_resources")) {
    const auto limit = base::parse_double(param(*pod, "cpu_limit"));
    const auto gpus = base::parse_double(param(*pod, "gpus"));
    if (!limit || !gpus || *gpus <= 0 || *limit / *gpus >= kFairCoresPerGpu) continue;
    Event event = *pod;
    event.signal = "k8s.gpu_pod_cpu_limit";
    event.signature = kId;
    event.level = model::EventLevel::Alarm;
    out.push_back(std::move(event));
  }
}

/// A node that should have GPUs advertises none, or fewer than it has: the plugin withdrew some as unhealthy.
void judge_nodes(const model::Observations& observations, std::vector<Event>& out) {
  for (const Event* node : events_of(observations, "k8s.node_resources")) {
    const auto capacity = base::parse_int(param(*node, "capacity"));
    const auto allocatable = base::parse_int(param(*node, "allocatable"));
    const bool withdrawn = capacity && allocatable && *allocatable < *capacity;
    const bool none = param(*node, "expected") == "yes" && capacity.value_or(0) == 0;
    if ((!withdrawn && !none) || node->evidence.empty()) continue;
    Event event = *node;
    event.signal = withdrawn ? "k8s.gpus_withdrawn" : "k8s.node_advertises_none";
    event.signature = kId;
    event.level = model::EventLevel::Alarm;
    out.push_back(std::move(event));
  }
}

/// None of the GPUs sits on a board with NVSwitches: Fabric Manager has nothing to do here, and that it does
/// not run is right.
void judge_boards(const model::Observations& observations, std::vector<Event>& out) {
  const auto alone = [](std::string_view name, std::string_view device) {
    const NvlinkUse use = nvlink_use(name, device);
    return use == NvlinkUse::Bridge || use == NvlinkUse::Never;
  };
  const model::GpuReport* first = nullptr;
  for (const model::GpuReport& gpu : observations.gpus) {
    if (!alone(model::key_text(gpu.name), model::key_text(gpu.device_id))) return;
    if (first == nullptr) first = &gpu;
  }
  if (first == nullptr || first->lines.empty()) return;
  Event event = derived_event("fm.no_switch_board", kId, model::Subject(), first->lines.front());
  event.level = model::EventLevel::Context;
  out.push_back(std::move(event));
}

}  // namespace

std::vector<Event> judge_driver(const model::Observations& observations, const catalog::Catalog& catalog) {
  std::vector<Event> out;
  judge_versions(observations, out);
  judge_dkms(observations, out);
  judge_nouveau(observations, out);
  judge_flavour(observations, catalog, out);
  judge_pods(observations, out);
  judge_nodes(observations, out);
  judge_boards(observations, out);
  return out;
}

}  // namespace gpuwright::rules
