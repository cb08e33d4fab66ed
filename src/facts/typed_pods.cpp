// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "facts/typed_pods.h"

#include "base/text.h"
#include "kit/json.h"
#include "kit/yaml.h"

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

constexpr std::string_view kStateLabel = "nvidia.com/gpu-driver-upgrade-state";
constexpr const char* kVisible = "NVIDIA_VISIBLE_DEVICES";

bool is_gpu_resource(std::string_view name) {
  return name.starts_with("nvidia.com/") || base::contains(name, ".nvidia.com/");
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end() && list.size() < 16)
    list.push_back(std::move(text));
}

bool shows_devices(std::string_view path) {
  return path == "/dev" || path == "/" || path.starts_with("/dev/nvidia");
}

/// One object of the API as YAML or JSON.
class Objects {
 public:
  std::vector<TypedPod> pods;
  std::vector<TypedNode> nodes;

  void read(const std::string& place, const std::string& text) {
    const std::string_view trimmed = base::trim(text);
    if (trimmed.starts_with('{') || trimmed.starts_with('[')) {
      const auto root = kit::parse_json(trimmed, place);
      if (root) object(place, *root);
    } else if (base::contains(text, "kind: ") || base::contains(text, "apiVersion:")) {
      for (const kit::Node& document : kit::read_yaml(text).documents) object(place, document);
    }
  }

 private:
  void object(const std::string& place, const kit::Node& root) {
    for (const kit::Node& item : root.is_sequence() ? root.items : root["items"].items) object(place, item);
    const std::string& kind = root["kind"].text();
    if (kind == "Pod" || (kind.empty() && root["spec"]["containers"].is_sequence())) pod(place, root);
    if (kind == "Node" || (kind.empty() && !root["metadata"]["labels"][kStateLabel].text().empty()))
      node(place, root);
  }

  void pod(const std::string& place, const kit::Node& root) {
    if (pods.size() >= 512) return;
    const kit::Node& meta = root["metadata"];
    const kit::Node& spec = root["spec"];
    TypedPod pod;
    pod.place = place;
    pod.uid = base::printable(meta["uid"].text(), 80);
    pod.name_space = base::printable(meta["namespace"].text(), 80);
    pod.name = base::printable(meta["name"].text(), 200);
    if (!meta["ownerReferences"].items.empty())
      pod.owner = base::printable(meta["ownerReferences"].items.front()["kind"].text(), 40);
    pod.gpus = 0;
    for (const char* list : {"initContainers", "containers"}) {
      for (const kit::Node& container : spec[list].items) add_container(pod, container);
    }
    if (spec["resourceClaims"].is_sequence()) pod.gpus.reset();  // given by claims, which stand elsewhere
    for (const kit::Node& volume : spec["volumes"].items) {
      const std::string& path = volume["hostPath"]["path"].text();
      if (shows_devices(path)) add_once(pod.access, "hostPath " + base::printable(path, 60));
    }
    if (!spec["hostUsers"].text().empty()) pod.host_users = spec["hostUsers"].text() == "true";
    for (const kit::Node& status : root["status"]["containerStatuses"].items) {
      const std::string& reason = status["state"]["waiting"]["reason"].text();
      if (reason.empty()) continue;
      pod.waiting = base::printable(reason, 80);
      pod.image = base::printable(status["image"].text(), 200);
    }
    pods.push_back(std::move(pod));
  }

  static void add_container(TypedPod& pod, const kit::Node& container) {
    for (const char* kind : {"limits", "requests"}) {
      for (const auto& [name, amount] : container["resources"][kind].entries) {
        if (is_gpu_resource(name) && (kind[0] == 'l' || *pod.gpus == 0))
          pod.gpus = *pod.gpus + base::parse_int(amount.text()).value_or(1);
      }
    }
    for (const kit::Node& item : container["env"].items) {
      if (item["name"].text() == kVisible) pod.visible_devices = base::printable(item["value"].text(), 100);
    }
    if (container["securityContext"]["privileged"].text() == "true") add_once(pod.access, "privileged");
  }

  void node(const std::string& place, const kit::Node& root) {
    TypedNode node;
    node.place = place;
    node.name = base::printable(root["metadata"]["name"].text(), 100);
    node.upgrade_state = base::printable(root["metadata"]["labels"][kStateLabel].text(), 60);
    for (const kit::Node& manager : root["metadata"]["managedFields"].items) {
      const kit::Node& labels = manager["fieldsV1"]["f:metadata"]["f:labels"];
      for (const auto& entry : labels.entries) {
        if (entry.first == "f:" + std::string(kStateLabel)) node.upgrade_time = manager["time"].text();
      }
    }
    if (!node.upgrade_state.empty() && nodes.size() < 512) nodes.push_back(std::move(node));
  }
};

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? line.size() : at;
}

/// `kubectl describe pod`: indented "Key:  value" lines.
class Description {
 public:
  void read(const std::string& place, std::string_view text) {
    for (const std::string_view line : base::lines(text)) take(place, line);
    finish();
  }
  std::vector<TypedPod> pods;

 private:
  void take(const std::string& place, std::string_view line) {
    const std::size_t indent = indent_of(line), colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = line.substr(indent, colon > indent ? colon - indent : 0);
    const std::string value = base::printable(base::trim(line.substr(colon + 1)), 200);
    if (indent == 0) top(place, key, value);
    if (pod_.name.empty()) return;
    if (value.empty()) section_ = key, section_indent_ = indent;
    if (indent <= section_indent_ && !value.empty()) section_.clear();
    if (section_ == "Limits" && is_gpu_resource(line.substr(indent, line.rfind(':') - indent)))
      pod_.gpus =
          pod_.gpus.value_or(0) + base::parse_int(base::trim(line.substr(line.rfind(':') + 1))).value_or(1);
    if (key == kVisible) pod_.visible_devices = value;
    if (key == "Image") image_ = value;
    if (key == "Reason" && waits_) pod_.waiting = value, pod_.image = image_;
    if (key == "State") waits_ = value == "Waiting";
    if (key == "Type") host_path_ = value.starts_with("HostPath");
    if (key == "Path" && host_path_ && shows_devices(value)) add_once(pod_.access, "hostPath " + value);
  }

  void top(const std::string& place, std::string_view key, const std::string& value) {
    if (key == "Name") {
      finish();
      pod_.place = place;
      pod_.name = value;
    }
    if (key == "Namespace") pod_.name_space = value;
    if (key == "UID") pod_.uid = value;
    if (key == "Controlled By") pod_.owner = value.substr(0, value.find('/'));
    is_pod_ = is_pod_ || key == "Containers";
  }

  void finish() {
    if (is_pod_ && !pod_.name.empty() && pods.size() < 512) {
      if (!pod_.gpus) pod_.gpus = 0;
      pods.push_back(pod_);
    }
    pod_ = {};
    is_pod_ = waits_ = host_path_ = false;
  }

  TypedPod pod_;
  std::string section_, image_;
  std::size_t section_indent_ = 0;
  bool is_pod_ = false, waits_ = false, host_path_ = false;
};

/// The cell under a head's word. The columns in question stand before any that holds blanks.
std::string cell_of(const std::vector<std::string_view>& row, const std::vector<std::string>& columns,
                    std::string_view name) {
  const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  return at < columns.size() && at < row.size() ? base::printable(row[at], 200) : std::string();
}

/// The value behind "-n" or "--namespace" in a command's name.
std::string namespace_in(std::string_view name) {
  const auto words = base::split(name, '_');
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    if (words[at] == "-n" || words[at] == "--namespace") return std::string(words[at + 1]);
    if (words[at].starts_with("--namespace=")) return std::string(words[at].substr(12));
  }
  return {};
}

void read_pod_table(const std::string& place, std::string_view text, std::vector<TypedPod>& pods) {
  std::vector<std::string> columns;
  for (const std::string_view line : base::lines(text)) {
    const auto words = base::words(line);
    const bool head = words.size() > 3 && (words[0] == "NAME" || words[0] == "NAMESPACE") &&
                      base::contains(line, " READY ");
    if (head) columns.assign(words.begin(), words.end());
    const std::string name = head ? "" : cell_of(words, columns, "NAME");
    if (name.empty() || pods.size() >= 512) continue;
    TypedPod pod;
    pod.place = place;
    pod.name = name;
    pod.name_space = cell_of(words, columns, "NAMESPACE");
    if (pod.name_space.empty()) pod.name_space = namespace_in(place);
    const std::string status = cell_of(words, columns, "STATUS");
    if (base::contains(status, "ImagePull")) pod.waiting = base::replace_all(status, "Init:", "");
    pods.push_back(std::move(pod));
  }
}

bool is_upgrade_state(std::string_view word) {
  return word == "upgrade-done" || word == "upgrade-failed" ||
         (word.ends_with("-required") && !base::contains(word, "="));
}

/// The label as a column of its own (-L, custom-columns), among all labels, or in a description.
void read_node_text(const std::string& place, std::string_view text, std::vector<TypedNode>& nodes) {
  std::string name;
  for (const std::string_view line : base::lines(text)) {
    if (line.starts_with("Name: ")) name = base::printable(base::trim(line.substr(6)), 100);
    const auto words = base::words(line);
    std::string state;
    const std::size_t label = line.find(std::string(kStateLabel) + "=");
    if (label != std::string_view::npos) {
      const std::string_view rest = line.substr(label + kStateLabel.size() + 1);
      state = rest.substr(0, rest.find_first_of(", \t"));
    } else if (words.size() > 1 && is_upgrade_state(words.back()) && base::contains(place, "node") &&
               !base::contains(line, " label to ")) {  // an event tells of a state that may be over
      state = words.back();
    }
    if (state.empty() || nodes.size() >= 512) continue;
    const bool row = !line.starts_with(' ') && !words.empty() && !words.front().starts_with("Labels");
    nodes.push_back(
        {place, row ? base::printable(words.front(), 100) : name, base::printable(state, 60), ""});
  }
}

void read_inside(const TypedExec& exec, const std::string& place, std::string_view text,
                 std::vector<TypedPod>& pods) {
  TypedPod pod;
  pod.place = place;
  pod.name = exec.target;
  pod.name_space = exec.name_space;
  std::int64_t gpus = 0;
  for (const std::string_view line : base::lines(text)) {
    if (line.starts_with(std::string(kVisible) + "="))
      pod.visible_devices = base::printable(line.substr(23), 100);
    if (line.starts_with("GPU ") && base::contains(line, "(UUID: ")) ++gpus;
    const auto words = base::words(line);
    if (base::contains(exec.command, "uid_map") && words.size() == 3) pod.host_users = words[0] == words[1];
  }
  if (gpus > 0) pod.gpus_inside = gpus;
  pods.push_back(std::move(pod));
}

}  // namespace

std::optional<TypedExec> typed_exec(std::string_view name) {
  constexpr std::array<std::string_view, 5> kTools = {"kubectl_", "docker_exec_", "podman_exec_",
                                                      "nerdctl_exec_", "crictl_exec_"};
  const bool known = std::any_of(kTools.begin(), kTools.end(),
                                 [name](std::string_view tool) { return name.starts_with(tool); });
  const std::size_t exec = name.find("_exec_");
  if (!known || exec == std::string_view::npos) return std::nullopt;
  TypedExec found;
  found.name_space = namespace_in(name);
  const auto words = base::split(name.substr(exec + 6), '_');
  std::size_t at = 0;
  while (at < words.size() && (words[at].starts_with('-') || words[at] == "pod" || words[at] == "pods")) {
    const bool takes_value = words[at] == "-n" || words[at] == "-c" || words[at] == "--namespace" ||
                             words[at] == "--container" || words[at] == "-u" || words[at] == "-e";
    at += takes_value ? 2 : 1;
  }
  if (at >= words.size()) return std::nullopt;
  found.target = std::string(words[at++]);
  while (at < words.size() && words[at].starts_with('-'))
    at += words[at] == "-n" || words[at] == "-c" ? 2 : 1;
  for (; at < words.size(); ++at)
    found.command += (found.command.empty() ? "" : " ") + std::string(words[at]);
  return found;
}

std::vector<TypedPod> typed_pods(Probe& probe) {
  Objects objects;
  Description described;
  std::vector<TypedPod> pods;
  for (const auto& [name, text] : probe.written_beside("kubectl")) {
    const auto exec = typed_exec(name);
    if (exec) {
      read_inside(*exec, name, text, pods);
    } else if (base::contains(name, "_describe_")) {
      described.read(name, text);
    } else if (base::contains(name, "_get_") || base::contains(name, "kubectl_get")) {
      objects.read(name, text);
      read_pod_table(name, text, pods);
    }
  }
  objects.pods.insert(objects.pods.end(), described.pods.begin(), described.pods.end());
  objects.pods.insert(objects.pods.end(), pods.begin(), pods.end());
  return std::move(objects.pods);
}

std::vector<TypedNode> typed_nodes(Probe& probe) {
  Objects objects;
  std::vector<TypedNode> nodes;
  for (const auto& [name, text] : probe.written_beside("kubectl")) {
    if (typed_exec(name)) continue;
    objects.read(name, text);
    read_node_text(name, text, nodes);
  }
  objects.nodes.insert(objects.nodes.end(), nodes.begin(), nodes.end());
  return std::move(objects.nodes);
}

}  // namespace gpuwright::facts
