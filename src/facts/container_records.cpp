// Containers as their engines wrote them down: which GPUs and verbs devices each may open, and the CUDA that
// its image asks for. Source: OCI runtime specification (config.json), Docker (config.v2.json),
// containers/storage (userdata), CRI (inspect).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "kit/json.h"

#include <fmt/core.h>

#include <set>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;
using Records = std::vector<model::ContainerRecord>;

constexpr std::size_t kMostRecords = 128;

std::string variable(const kit::Node& environment, std::string_view name) {
  for (const kit::Node& item : environment.items) {
    const std::string& line = item.text();
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return base::printable(line.substr(name.size() + 1), 300);
  }
  return {};
}

/// JSON documents that were printed one after the other: each begins with a bracket at the start of a line,
/// behind an empty one.
List documents_of(const std::string& text) {
  List all;
  std::string_view rest = text;
  while (!base::trim(rest).empty()) {
    const std::size_t next = std::min(rest.find("\n\n{"), rest.find("\n\n["));
    all.emplace_back(rest.substr(0, next));
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 2);
  }
  return all;
}

class Reader {
 public:
  explicit Reader(Probe& probe) : probe_(probe) {}
  Records records;

  /// Each folder below `top` is one container with an OCI configuration in `file`.
  void folders(const std::string& top, const std::string& file) {
    const auto names = probe_.source().list_directory(top);
    if (!names) {
      if (names.error().kind != base::ErrorKind::NotFound && !refused.has_value())
        refused = probe_.absent<Records>(reason_of(names.error().kind), top, names.error().message);
      return;
    }
    for (const std::string& id : *names) {
      const std::string path = std::string(top).append("/").append(id).append("/").append(file);
      const auto text = probe_.text(path, Probe::kLarge);
      if (text.known()) document(id, text, path);
    }
  }

  /// A recording may hold what an inspecting tool printed. A live machine is not asked so: its files tell.
  void inspected(const char* tool) {
    if (probe_.source().live()) return;
    for (const std::string& text : documents_of(probe_.written(std::string(tool) + " inspect")))
      document(fmt::format("{} {}", tool, ++inspected_), probe_.found(text, std::string(tool) + " inspect"),
               tool);
  }

  std::optional<Field<Records>> refused;

 private:
  void document(const std::string& id, const Field<std::string>& text, const std::string& name) {
    const auto root = kit::parse_json(text.value(), name);
    if (!root) return;
    if (!root->is_sequence()) return one(id, *root, text);
    for (const kit::Node& node : root->items)
      one(node["Id"].text().empty() ? id : node["Id"].text(), node, text);
  }

  void one(const std::string& id, const kit::Node& root, const Field<std::string>& text) {
    if (records.size() >= kMostRecords || !seen_.insert(id.substr(0, 64)).second) return;
    const kit::Node& inner = root["info"]["runtimeSpec"];
    const kit::Node& spec = inner.is_null() ? root : inner;
    const kit::Node& environment = spec["Config"].is_null() ? spec["process"]["env"] : spec["Config"]["Env"];
    const auto said = [&](std::string value) {
      return value.empty() ? Field<std::string>(Absent{AbsentReason::NotFound}, text.provenance())
                           : Probe::derived(std::move(value), text);
    };
    model::ContainerRecord record;
    record.id = Probe::derived(base::printable(id, 64), text);
    record.name = said(name_of(root, spec));
    record.cuda = said(variable(environment, "CUDA_VERSION"));
    record.requirement = said(variable(environment, "NVIDIA_REQUIRE_CUDA"));
    record.visible_devices = said(variable(environment, "NVIDIA_VISIBLE_DEVICES"));
    record.rdma_for_all = Probe::derived(variable(environment, "MOFED_ENABLED") == "true", text);
    const kit::Node& mappings = spec["linux"]["uidMappings"];
    record.user_namespace =
        Probe::derived(!mappings.items.empty() && mappings.items.front()["hostID"].text() != "0", text);
    List gpus, verbs;
    for (const kit::Node& device : spec["linux"]["devices"].items) add(device["path"].text(), gpus, verbs);
    for (const kit::Node& device : spec["HostConfig"]["Devices"].items)
      add(device["PathOnHost"].text(), gpus, verbs);
    record.gpu_devices = Probe::derived(std::move(gpus), text);
    record.rdma_devices = Probe::derived(std::move(verbs), text);
    records.push_back(std::move(record));
  }

  static void add(const std::string& path, List& gpus, List& verbs) {
    constexpr std::size_t kMostDevices = 64;
    if (path.starts_with("/dev/nvidia") && gpus.size() < kMostDevices) gpus.push_back(base::printable(path));
    if (path.starts_with("/dev/infiniband/") && verbs.size() < kMostDevices)
      verbs.push_back(base::printable(path));
  }

  static std::string name_of(const kit::Node& root, const kit::Node& spec) {
    const kit::Node& notes = spec["annotations"];
    for (const std::string* name :
         {&root["Name"].text(), &root["status"]["metadata"]["name"].text(),
          &notes["io.kubernetes.cri.container-name"].text(),
          &notes["io.kubernetes.cri-o.ContainerName"].text(), &notes["nerdctl/name"].text()}) {
      if (!name->empty()) return base::printable(name->front() == '/' ? name->substr(1) : *name, 100);
    }
    return {};
  }

  Probe& probe_;
  std::size_t inspected_ = 0;
  std::set<std::string> seen_;
};

}  // namespace

void collect_container_records(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  Reader reader(probe);
  for (const char* run : {"/run/containerd", "/run/k3s/containerd"}) {
    for (const char* space : {"moby", "k8s.io", "default"})
      reader.folders(std::string(run) + "/io.containerd.runtime.v2.task/" + space, "config.json");
  }
  reader.folders("/var/lib/docker/containers", "config.v2.json");
  for (const char* store :
       {"/run/containers/storage/overlay-containers", "/var/lib/containers/storage/overlay-containers"})
    reader.folders(store, "userdata/config.json");
  for (const char* tool : {"docker", "crictl", "podman"}) reader.inspected(tool);
  if (reader.records.empty() && reader.refused) {
    machine.containers.records = *reader.refused;
    return;
  }
  machine.containers.records = probe.found(
      std::move(reader.records), "/run/containerd, /var/lib/docker/containers and containers/storage");
}

}  // namespace gpuwright::facts
