// Containers as their engines wrote them down: which GPUs and verbs devices each may open, and the CUDA that
// its image asks for. Source: OCI runtime specification (config.json), Docker (config.v2.json),
// containers/storage (userdata), CRI (inspect).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "facts/typed_pods.h"
#include "kit/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
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
    for (const char* noun : {"inspect", "container inspect", "image inspect"}) {
      const std::string asked = fmt::format("{} {}", tool, noun);
      for (const std::string& text : documents_of(probe_.written(asked)))
        document(fmt::format("{} {}", asked, ++inspected_), probe_.found(text, asked), tool);
    }
  }

  /// What programs inside said: `docker exec`, `kubectl exec`.
  void looked_into() {
    for (const auto& [name, text] : probe_.written_beside("")) {
      auto exec = typed_exec(name);
      constexpr std::string_view kMap = "_uid_map", kProcess = "cat__proc_";
      if (name.starts_with(kProcess) && name.ends_with(kMap) && !name.ends_with("self_uid_map"))
        exec =
            TypedExec{"process " + name.substr(kProcess.size(), name.size() - kProcess.size() - kMap.size()),
                      "", "cat uid_map"};
      if (!exec) continue;
      const auto same = [&exec = *exec](const model::ContainerRecord& record) {
        return record.key() == exec.target || model::key_text(record.name) == exec.target;
      };
      auto known = std::find_if(records.begin(), records.end(), same);
      if (known == records.end()) {
        if (records.size() >= kMostRecords) return;
        records.push_back(empty_record(exec->target, probe_.note(name, text)));
        known = records.end() - 1;
      }
      look_inside(*known, exec->command, text, probe_.note(name, text));
    }
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
    model::ContainerRecord record = empty_record(base::printable(id, 64), text.provenance());
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
    const auto count = gpus_of(spec, environment, gpus);
    if (count) record.gpus = Probe::derived(*count, text);
    record.gpu_devices = Probe::derived(std::move(gpus), text);
    record.rdma_devices = Probe::derived(std::move(verbs), text);
    records.push_back(std::move(record));
  }

  static model::ContainerRecord empty_record(const std::string& id, std::int32_t place) {
    model::ContainerRecord record;
    model::ContainerRecord::each_field(record, [place](const char* /*name*/, auto& field) {
      field = {Absent{AbsentReason::NotFound}, place};
    });
    record.id = Field<std::string>(id, place);
    return record;
  }

  /// By its device nodes, by what docker was asked for, or by the variable; nothing where that says "all".
  static std::optional<std::int64_t> gpus_of(const kit::Node& spec, const kit::Node& environment,
                                             const List& nodes) {
    const auto counted = std::count_if(nodes.begin(), nodes.end(), [](const std::string& node) {
      return node.size() > 11 && node[11] >= '0' && node[11] <= '9';
    });
    if (counted > 0) return counted;
    for (const kit::Node& request : spec["HostConfig"]["DeviceRequests"].items) {
      const auto named = static_cast<std::int64_t>(request["DeviceIDs"].items.size());
      const auto number = base::parse_int(request["Count"].text()).value_or(0);
      if (named > 0 || number > 0) return std::max(named, number);
    }
    const std::string visible = variable(environment, "NVIDIA_VISIBLE_DEVICES");
    if (visible.empty() || visible == "all" || visible == "void" || visible == "none") return std::nullopt;
    return static_cast<std::int64_t>(base::split(visible, ',').size());
  }

  static void look_inside(model::ContainerRecord& record, const std::string& command, const std::string& text,
                          std::int32_t place) {
    List verbs = model::each(record.rdma_devices);
    std::int64_t gpus = 0;
    for (const std::string_view line : base::lines(text)) {
      const auto words = base::words(line);
      if (words.empty()) continue;
      if (line.starts_with("GPU ") && base::contains(line, "(UUID: ")) ++gpus;
      if (line.starts_with("MOFED_ENABLED=true")) record.rdma_for_all = Field<bool>(true, place);
      if (line.starts_with("NVIDIA_VISIBLE_DEVICES="))
        record.visible_devices = Field<std::string>(base::printable(line.substr(23), 300), place);
      for (const std::string_view word : words) {
        const std::size_t at = word.find("uverbs");
        if (at != std::string_view::npos && verbs.size() < 64)
          verbs.push_back("/dev/infiniband/" + base::printable(word.substr(at), 40));
      }
      if (base::contains(command, "ibv_dev") && words[0].starts_with("mlx5_") && verbs.size() < 64)
        verbs.push_back("/dev/infiniband/uverbs of " + base::printable(words[0], 40));
      if (base::contains(command, "uid_map") && words.size() == 3)
        record.user_namespace = Field<bool>(words[0] != words[1], place);
      look_at_owner(record, words, place);
    }
    if (gpus > 0) record.gpus = Field<std::int64_t>(gpus, place);
    if (!verbs.empty()) record.rdma_devices = Field<List>(std::move(verbs), place);
  }

  /// "crw-rw---- 1 nobody nogroup 195, 0 Nov 29 06:00 /dev/nvidia0": its owner has no number in there.
  static void look_at_owner(model::ContainerRecord& record, const std::vector<std::string_view>& words,
                            std::int32_t place) {
    if (words.size() < 9 || !words[0].starts_with("crw") || !base::contains(words.back(), "nvidia")) return;
    const bool nobody = words[2] == "nobody" || words[2] == "65534";
    const bool closed = words[0].size() >= 10 && words[0].substr(7, 3) == "---";
    if (nobody && closed)
      record.unmapped_device =
          Field<std::string>(base::printable(words.back(), 60) + " " + std::string(words[0]), place);
  }

  static void add(const std::string& path, List& gpus, List& verbs) {
    constexpr std::size_t kMostDevices = 64;
    if (path.starts_with("/dev/nvidia") && gpus.size() < kMostDevices) gpus.push_back(base::printable(path));
    if (path.starts_with("/dev/infiniband/") && verbs.size() < kMostDevices)
      verbs.push_back(base::printable(path));
  }

  static std::string name_of(const kit::Node& root, const kit::Node& spec) {
    const kit::Node& notes = spec["annotations"];
    const std::string tag =
        root["RepoTags"].items.empty() ? std::string() : root["RepoTags"].items.front().text();
    for (const std::string* name :
         {&root["Name"].text(), &tag, &root["status"]["metadata"]["name"].text(),
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
  for (const char* tool : {"docker", "crictl", "podman", "nerdctl"}) reader.inspected(tool);
  if (!probe.source().live()) reader.looked_into();
  if (reader.records.empty() && reader.refused) {
    machine.containers.records = *reader.refused;
    return;
  }
  machine.containers.records = probe.found(
      std::move(reader.records), "/run/containerd, /var/lib/docker/containers and containers/storage");
}

}  // namespace gpuwright::facts
