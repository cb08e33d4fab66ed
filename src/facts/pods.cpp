// Pods of this node, which GPUs kubelet gave to them, and where the GPU operator's driver upgrade stands.
// What kubelet keeps on disk tells most; labels and reasons only the API server knows, which is asked for
// this node alone. Source: kubelet's checkpoint of device plugins, Kubernetes API v1 (Node, Pod), GPU
// operator documentation (driver upgrades).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "kit/json.h"

#include <chrono>
#include <map>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;
using Pods = std::vector<model::PodFacts>;

constexpr std::size_t kMostPods = 512;
constexpr const char* kLogs = "/var/log/pods";
constexpr const char* kCheckpoint = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";
constexpr const char* kUpgradeLabel = "nvidia.com/gpu-driver-upgrade-state";

std::optional<kit::Node> json_of(const std::string& text) {
  auto parsed = kit::parse_json(text, "answer");
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
}

/// "2026-11-29T08:00:00Z" as unix time.
std::optional<std::int64_t> unix_time_of(std::string_view text) {
  const auto number = [text](std::size_t at, std::size_t size) {
    return text.size() >= 20 ? base::parse_int(text.substr(at, size)).value_or(-1) : -1;
  };
  const std::int64_t year = number(0, 4), month = number(5, 2), day = number(8, 2);
  const std::int64_t hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  if (year < 1970 || month < 1 || day < 1 || hour < 0 || minute < 0 || second < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * 86400 + hour * 3600 + minute * 60 + second;
}

/// When a manager of the node's fields last wrote the label: metadata.managedFields of Node.
std::optional<std::int64_t> label_written(const kit::Node& node) {
  std::optional<std::int64_t> newest;
  for (const kit::Node& entry : node["metadata"]["managedFields"].items) {
    const kit::Node& labels = entry["fieldsV1"]["f:metadata"]["f:labels"];
    if (labels[std::string("f:") + kUpgradeLabel].is_null() && labels.entries.empty()) continue;
    bool ours = false;
    for (const auto& label : labels.entries) ours = ours || label.first == std::string("f:") + kUpgradeLabel;
    const auto time = unix_time_of(entry["time"].text());
    if (ours && time && (!newest || *time > *newest)) newest = time;
  }
  return newest;
}

void collect_node(Probe& probe, const std::string& name, model::KubernetesFacts& facts) {
  const auto node = Probe::read_as<kit::Node>(
      probe.said({"kubectl", "get", "node", name, "-o", "json", "--show-managed-fields"}), json_of);
  const auto absent_label = [&] {
    return probe.absent<std::string>(AbsentReason::NotFound, "kubectl get node",
                                     "the node has no such label");
  };
  facts.driver_upgrade_state = Probe::read_as<std::string>(node, [](const kit::Node& root) {
    return std::optional(base::printable(root["metadata"]["labels"][kUpgradeLabel].text(), 60));
  });
  if (facts.driver_upgrade_state.known() && facts.driver_upgrade_state.value().empty())
    facts.driver_upgrade_state = absent_label();
  facts.driver_upgrade_since = Probe::read_as<std::int64_t>(node, label_written);
}

/// How many GPUs and MIG devices kubelet gave to each pod, by the pod's uid.
Field<std::map<std::string, std::int64_t>> gpus_by_pod(Probe& probe) {
  using Counts = std::map<std::string, std::int64_t>;
  return Probe::read_as<Counts>(
      probe.text(kCheckpoint, Probe::kLarge), [](const std::string& text) -> std::optional<Counts> {
        const auto root = json_of(text);
        if (!root || (*root)["Data"].is_null()) return std::nullopt;
        Counts counts;
        for (const kit::Node& entry : (*root)["Data"]["PodDeviceEntries"].items) {
          // Other plugins share GPUs under names of their own.
          const std::string& resource = entry["ResourceName"].text();
          if (!base::contains(resource, "nvidia") && !base::contains(resource, "gpu")) continue;
          std::int64_t devices = 0;
          // A list by NUMA node since Kubernetes 1.20, a plain list before.
          for (const auto& node : entry["DeviceIDs"].entries)
            devices += static_cast<std::int64_t>(node.second.items.size());
          devices += static_cast<std::int64_t>(entry["DeviceIDs"].items.size());
          counts[entry["PodUID"].text()] += devices;
        }
        return counts;
      });
}

/// "gpu-operator_nvidia-driver-daemonset-x2k4p_3f1c...": namespace, name, uid.
std::optional<model::PodFacts> pod_of_folder(Probe& probe, const std::string& name) {
  const auto parts = base::split(name, '_');
  if (parts.size() != 3) return std::nullopt;
  model::PodFacts pod;
  const auto containers = probe.names(std::string(kLogs) + "/" + name);
  pod.uid = Field<std::string>(base::printable(parts[2], 80), containers.provenance());
  pod.name_space = Field<std::string>(base::printable(parts[0], 80), containers.provenance());
  pod.name = Field<std::string>(base::printable(parts[1], 200), containers.provenance());
  pod.containers = containers;
  const auto not_asked =
      probe.absent<std::string>(AbsentReason::NotFound, kLogs, "only the API server knows");
  pod.owner = pod.waiting = pod.waiting_image = not_asked;
  return pod;
}

/// What the API server adds: who owns the pod, and why a container does not start.
void add_api(const kit::Node& item, const Field<std::string>& said, model::PodFacts& pod) {
  const auto text = [&said](const std::string& value) {
    return Probe::derived(base::printable(value, 200), said);
  };
  const kit::Node& owners = item["metadata"]["ownerReferences"];
  pod.owner = text(owners.items.empty() ? "none" : owners.items.front()["kind"].text());
  std::string waiting = "none", image = "none";
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const kit::Node& status : item["status"][list].items) {
      const std::string& reason = status["state"]["waiting"]["reason"].text();
      if (reason.empty() || reason == "PodInitializing" || reason == "ContainerCreating") continue;
      waiting = reason;
      image = status["image"].text();
    }
  }
  pod.waiting = text(waiting);
  pod.waiting_image = text(image);
}

void merge_api(Probe& probe, const Field<std::string>& said, Pods& pods) {
  const auto root = Probe::read_as<kit::Node>(said, json_of);
  if (!root.known()) return;
  for (const kit::Node& item : root.value()["items"].items) {
    const std::string uid = base::printable(item["metadata"]["uid"].text(), 80);
    model::PodFacts* pod = nullptr;
    for (model::PodFacts& known : pods) pod = known.key() == uid ? &known : pod;
    if (pod == nullptr && pods.size() < kMostPods) {
      pod = &pods.emplace_back();
      pod->uid = Probe::derived(uid, said);
      pod->name_space = Probe::derived(base::printable(item["metadata"]["namespace"].text(), 80), said);
      pod->name = Probe::derived(base::printable(item["metadata"]["name"].text(), 200), said);
      pod->containers = probe.absent<List>(AbsentReason::NotFound, kLogs, "has no folder of this pod");
    }
    if (pod != nullptr) add_api(item, said, *pod);
  }
}

Field<Pods> pods_of(Probe& probe, const std::string& node) {
  const auto folders = probe.names(kLogs);
  Pods pods;
  for (const std::string& name : model::each(folders)) {
    auto pod = pods.size() < kMostPods ? pod_of_folder(probe, name) : std::nullopt;
    if (pod) pods.push_back(std::move(*pod));
  }
  const auto said = probe.said({"kubectl", "get", "pods", "--all-namespaces", "--field-selector",
                                "spec.nodeName=" + node, "-o", "json"});
  merge_api(probe, said, pods);
  auto gpus = gpus_by_pod(probe);
  if (probe.exists("/var/lib/kubelet/plugins/gpu.nvidia.com"))
    gpus = probe.absent<std::map<std::string, std::int64_t>>(
        AbsentReason::Unsupported, "/var/lib/kubelet/plugins", "GPUs are given by resource claims");
  for (model::PodFacts& pod : pods) {
    pod.gpus = Probe::read_as<std::int64_t>(gpus, [&pod](const std::map<std::string, std::int64_t>& counts) {
      const auto at = counts.find(pod.key());
      return std::optional<std::int64_t>(at == counts.end() ? 0 : at->second);
    });
  }
  if (!folders.known() && !said.known()) return Probe::as_absent<Pods>(folders);
  return folders.known() ? Probe::derived(std::move(pods), folders) : Probe::derived(std::move(pods), said);
}

}  // namespace

void collect_pods(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::KubernetesFacts& facts = machine.kubernetes;
  const bool node = !probe.source().live() || probe.exists("/var/lib/kubelet");
  if (!node) {
    facts.driver_upgrade_state =
        probe.absent<std::string>(AbsentReason::NotFound, "/var/lib/kubelet", "is not there");
    facts.driver_upgrade_since = Probe::as_absent<std::int64_t>(facts.driver_upgrade_state);
    facts.pods = Probe::as_absent<Pods>(facts.driver_upgrade_state);
    return;
  }
  const std::string name = base::lower(model::key_text(machine.os.host_name));
  collect_node(probe, name, facts);
  facts.pods = pods_of(probe, name);
}

}  // namespace gpuwright::facts
