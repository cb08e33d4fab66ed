// Pods of this node, which GPUs kubelet gave to them, and where the GPU operator's driver upgrade stands.
// What kubelet keeps on disk tells most; labels and reasons only the API server knows, which is asked for
// this node alone. Source: kubelet's checkpoint of device plugins, Kubernetes API v1 (Node, Pod), GPU
// operator documentation (driver upgrades).
// SPDX-License-Identifier: Apache-2.0
#include "base/pod_uid.h"
#include "facts/collector.h"
#include "facts/typed_pods.h"
#include "kit/json.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;
using Pods = std::vector<model::PodFacts>;

constexpr std::size_t kMostPods = 512;
constexpr const char* kLogs = "/var/log/pods";
constexpr const char* kCheckpoint = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";

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

/// Asked field by field: a whole node or pod would bring names and secrets that nobody needs.
constexpr const char* kNodeColumns =
    "jsonpath={.metadata.labels.nvidia\\.com/gpu-driver-upgrade-state}{'\\n'}"
    "{range .metadata.managedFields[*]}{.manager}{' '}{.time}{' '}"
    "{.fieldsV1.f:metadata.f:labels.f:nvidia\\.com/gpu-driver-upgrade-state}{'\\n'}{end}";
constexpr const char* kPodColumns =
    "custom-columns=UID:.metadata.uid,NAMESPACE:.metadata.namespace,NAME:.metadata.name,"
    "OWNER:.metadata.ownerReferences[0].kind,WAITING:.status.containerStatuses[*].state.waiting.reason,"
    "IMAGE:.status.containerStatuses[*].image";

/// First the label's value, then a line for each manager of the node's fields, with a third word for who
/// wrote the label: "gpu-operator 2026-11-29T08:00:00Z {}". Source: Kubernetes API v1,
/// ObjectMeta.managedFields.
void collect_node(Probe& probe, model::KubernetesFacts& facts) {
  const auto node =
      probe.said({"kubectl", "get", "node", host::kThisHost, "--show-managed-fields", "-o", kNodeColumns});
  const auto table = Probe::read_as<List>(node, [](const std::string& text) {
    List rows;
    for (const std::string_view line : base::lines(text)) rows.emplace_back(base::trim(line));
    return std::optional(rows);
  });
  facts.driver_upgrade_state = Probe::read_as<std::string>(table, [](const List& rows) {
    const std::string state = rows.empty() ? "" : rows.front();
    const bool word = state.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
    return word ? std::optional(state) : std::nullopt;
  });
  if (facts.driver_upgrade_state.known() && facts.driver_upgrade_state.value().empty())
    facts.driver_upgrade_state =
        probe.absent<std::string>(AbsentReason::NotFound, "kubectl get node", "the node has no such label");
  facts.driver_upgrade_since =
      Probe::read_as<std::int64_t>(table, [](const List& rows) -> std::optional<std::int64_t> {
        std::optional<std::int64_t> newest;
        for (const std::string& row : rows) {
          const auto parts = base::words(row);
          const auto time = parts.size() == 3 ? unix_time_of(parts[1]) : std::nullopt;
          if (time && (!newest || *time > *newest)) newest = time;
        }
        return newest;
      });
}

/// Of several nodes that a person wrote down, the first whose upgrade is not done.
void take_typed_node(Probe& probe, model::KubernetesFacts& facts) {
  if (facts.driver_upgrade_state.known()) return;
  for (const TypedNode& node : typed_nodes(probe)) {
    const bool done = node.upgrade_state == "upgrade-done";
    if (done && facts.driver_upgrade_state.known()) continue;
    facts.driver_upgrade_state =
        probe.found(node.upgrade_state, node.place, node.name + " " + node.upgrade_state);
    const auto time = unix_time_of(node.upgrade_time);
    if (time) facts.driver_upgrade_since = Probe::derived(*time, facts.driver_upgrade_state);
    if (!done) return;
  }
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

/// What the API server adds, a row for each pod in the order of kPodColumns: who owns the pod, and why a
/// container does not start.
void merge_api(Probe& probe, const Field<std::string>& said, Pods& pods) {
  for (const std::string_view line : base::lines(said.known() ? said.value() : std::string_view())) {
    const auto columns = base::words(line);
    constexpr std::size_t kUid = 36;  // else a table that a person asked for
    if (columns.size() != 6 || columns[0].size() != kUid) continue;
    const auto text = [&](std::size_t at) {
      return Probe::derived(columns[at] == "<none>" ? std::string("none") : base::printable(columns[at], 200),
                            said);
    };
    const auto known = std::find_if(pods.begin(), pods.end(),
                                    [&](const model::PodFacts& pod) { return pod.key() == columns[0]; });
    if (known == pods.end() && pods.size() >= kMostPods) continue;
    model::PodFacts& pod = known == pods.end() ? pods.emplace_back() : *known;
    if (!pod.uid.known()) {
      pod.uid = text(0);
      pod.name_space = text(1);
      pod.name = text(2);
      pod.containers = probe.absent<List>(AbsentReason::NotFound, kLogs, "has no folder of this pod");
    }
    pod.owner = text(3);
    pod.waiting = text(4);
    pod.waiting_image = text(5);
  }
}

/// Processes tell of pods that left no folder of logs and that nobody could ask the API server for.
void add_pods_of_holders(const model::Machine& machine, Pods& pods) {
  for (const model::GpuHolder& holder : model::each(machine.driver.holders)) {
    const std::string uid = base::pod_uid_of(model::key_text(holder.control_group));
    const bool known = std::any_of(pods.begin(), pods.end(),
                                   [&uid](const model::PodFacts& pod) { return pod.key() == uid; });
    if (uid.empty() || known || pods.size() >= kMostPods) continue;
    model::PodFacts pod;
    const std::int32_t place = holder.control_group.provenance();
    const Field<std::string> absent(Absent{AbsentReason::NotFound}, place);
    pod.uid = Field<std::string>(uid, place);
    pod.name_space = pod.name = pod.owner = pod.waiting = pod.waiting_image = absent;
    pod.containers = Probe::as_absent<List>(absent);
    pods.push_back(std::move(pod));
  }
}

/// What a person wrote down of a pod goes to the one of that uid or name.
void merge_typed(Probe& probe, Pods& pods) {
  for (const TypedPod& told : typed_pods(probe)) {
    const auto same = [&told](const model::PodFacts& pod) {
      if (!told.uid.empty() && pod.uid.known()) return pod.uid.value() == told.uid;
      return model::key_text(pod.name) == told.name && (told.name_space.empty() || !pod.name_space.known() ||
                                                        model::key_text(pod.name_space) == told.name_space);
    };
    const auto known = std::find_if(pods.begin(), pods.end(), same);
    if (told.name.empty() || (known == pods.end() && pods.size() >= kMostPods)) continue;
    model::PodFacts& pod = known == pods.end() ? pods.emplace_back() : *known;
    const std::int32_t place =
        probe.note(told.place, told.name_space.empty() ? told.name : told.name_space + "/" + told.name);
    const auto take = [place](Field<std::string>& field, const std::string& value) {
      if (!value.empty()) field = Field<std::string>(value, place);
    };
    take(pod.uid, told.uid);
    take(pod.name_space, told.name_space);
    take(pod.name, told.name);
    take(pod.owner, told.owner);
    take(pod.waiting, told.waiting);
    take(pod.waiting_image, told.image);
    take(pod.visible_devices, told.visible_devices);
    if (!told.access.empty()) pod.access = Field<List>(told.access, place);
    if (told.host_users) pod.host_users = Field<bool>(*told.host_users, place);
    if (told.gpus) pod.gpus = Field<std::int64_t>(*told.gpus, place);
    if (told.gpus_inside) pod.gpus_inside = Field<std::int64_t>(*told.gpus_inside, place);
  }
}

/// What is not known of a pod says so.
void explain_rest(Probe& probe, Pods& pods) {
  const std::int32_t place = probe.note("kubectl", "only the API server knows");
  for (model::PodFacts& pod : pods) {
    model::PodFacts::each_field(pod, [place](const char* /*name*/, auto& field) {
      if (!field.known() && field.provenance() == 0) field = {Absent{AbsentReason::NotFound}, place};
    });
  }
}

Field<Pods> pods_of(Probe& probe, const model::Machine& machine) {
  const auto folders = probe.names(kLogs);
  Pods pods;
  for (const std::string& name : model::each(folders)) {
    auto pod = pods.size() < kMostPods ? pod_of_folder(probe, name) : std::nullopt;
    if (pod) pods.push_back(std::move(*pod));
  }
  const auto said =
      probe.said({"kubectl", "get", "pods", "--all-namespaces", "--no-headers", "--field-selector",
                  std::string("spec.nodeName=") + host::kThisHost, "-o", kPodColumns});
  merge_api(probe, said, pods);
  merge_typed(probe, pods);
  if (folders.known() || said.known() || probe.exists(kCheckpoint)) add_pods_of_holders(machine, pods);
  auto gpus = gpus_by_pod(probe);
  if (probe.exists("/var/lib/kubelet/plugins/gpu.nvidia.com"))
    gpus = probe.absent<std::map<std::string, std::int64_t>>(
        AbsentReason::Unsupported, "/var/lib/kubelet/plugins", "GPUs are given by resource claims");
  for (model::PodFacts& pod : pods) {
    if (pod.gpus.known()) continue;
    pod.gpus = Probe::read_as<std::int64_t>(gpus, [&pod](const std::map<std::string, std::int64_t>& counts) {
      const auto at = counts.find(pod.key());
      return std::optional<std::int64_t>(at == counts.end() ? 0 : at->second);
    });
  }
  explain_rest(probe, pods);
  if (!folders.known() && !said.known() && pods.empty()) return Probe::as_absent<Pods>(folders);
  if (folders.known()) return Probe::derived(std::move(pods), folders);
  return said.known() ? Probe::derived(std::move(pods), said) : probe.found(std::move(pods), "kubectl");
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
  collect_node(probe, facts);
  take_typed_node(probe, facts);
  facts.pods = pods_of(probe, machine);
}

}  // namespace gpuwright::facts
