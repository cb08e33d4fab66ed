// Container engines, the NVIDIA container toolkit and its CDI specifications. Source: dockerd(8) daemon.json,
// containerd-config.toml(5), NVIDIA container toolkit documentation, CDI specification 1.0.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "facts/toml_text.h"
#include "kit/json.h"
#include "kit/yaml.h"

#include <algorithm>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

/// The first word that begins with a digit, perhaps behind "v": "Docker version 27.5.1, build 9f9e405".
std::optional<std::string> version_in(const std::string& text) {
  for (const std::string_view word : base::words(text)) {
    const std::string_view number = word.starts_with('v') ? word.substr(1) : word;
    if (!number.empty() && number.front() >= '0' && number.front() <= '9' && base::contains(number, "."))
      return base::printable(number.substr(0, number.find(',')), 60);
  }
  return std::nullopt;
}

Field<std::string> tool_version(Probe& probe, const char* tool) {
  return Probe::read_as<std::string>(probe.said({tool, "--version"}), version_in);
}

void collect_docker(Probe& probe, model::ContainerFacts& facts) {
  facts.docker_version = tool_version(probe, "docker");
  auto text = probe.text("/etc/docker/daemon.json");
  // Without the file all defaults hold.
  if (!text.known() && text.reason() == AbsentReason::NotFound && facts.docker_version.known())
    text = Field<std::string>("{}", text.provenance());
  const auto root = Probe::read_as<kit::Node>(text, [](const std::string& json) -> std::optional<kit::Node> {
    auto parsed = kit::parse_json(json, "/etc/docker/daemon.json");
    return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
  });
  const auto take = [&root](const char* key, const char* otherwise) {
    return Probe::read_as<std::string>(root, [&](const kit::Node& node) {
      const std::string& word = node[key].text();
      return std::optional(word.empty() ? std::string(otherwise) : base::printable(word, 60));
    });
  };
  facts.docker_default_runtime = take("default-runtime", "runc");
  facts.docker_live_restore = take("live-restore", "false");
  facts.docker_runtimes = Probe::read_as<List>(root, [](const kit::Node& node) {
    List names;
    for (const auto& entry : node["runtimes"].entries) names.push_back(base::printable(entry.first, 60));
    return std::optional(names);
  });
  facts.docker_user_namespaces = take("userns-remap", "off");
  facts.docker_cdi = Probe::read_as<bool>(root, [](const kit::Node& node) -> std::optional<bool> {
    const std::string& word = node["features"]["cdi"].text();
    return word.empty() ? std::nullopt : std::optional(word == "true");
  });
  // Docker's default follows the cgroup version: systemd with v2, cgroupfs with v1.
  facts.docker_cgroup_driver =
      Probe::read_as<std::string>(root, [&facts](const kit::Node& node) -> std::optional<std::string> {
        for (const std::string& option : node["exec-opts"].texts()) {
          if (option.starts_with("native.cgroupdriver=")) return base::printable(option.substr(20), 40);
        }
        if (!facts.cgroup_version.known()) return std::nullopt;
        return facts.cgroup_version.value() == 2 ? "systemd" : "cgroupfs";
      });
}

/// Its tools are of one version; people ask any of them.
Field<std::string> toolkit_version_of(Probe& probe) {
  auto version = tool_version(probe, "nvidia-ctk");
  for (const char* asked :
       {"nvidia-ctk", "nvidia-container-cli", "nvidia-container-runtime", "nvidia-container-toolkit"}) {
    if (version.known()) break;
    for (const auto& [name, text] : probe.written_beside(asked)) {
      const bool asks = base::contains(name, "version") || name.ends_with("_-v") || name.ends_with("_-V");
      const auto number = asks ? version_in(text) : std::nullopt;
      if (number) version = probe.found(*number, name, text);
    }
  }
  return version;
}

void collect_toolkit(Probe& probe, model::ContainerFacts& facts) {
  facts.toolkit_version = toolkit_version_of(probe);
  const auto text = probe.text("/etc/nvidia-container-runtime/config.toml");
  const auto flag = [&text](const char* key, bool otherwise) {
    return Probe::read_as<bool>(text, [&](const std::string& content) {
      const auto word = toml_value(content, key);
      return std::optional(word ? *word == "true" : otherwise);
    });
  };
  // Defaults of the toolkit where a line is missing or commented out.
  facts.toolkit_no_cgroups = flag("no-cgroups", false);
  facts.toolkit_unprivileged_env = flag("accept-nvidia-visible-devices-envvar-when-unprivileged", true);
  facts.toolkit_volume_mounts = flag("accept-nvidia-visible-devices-as-volume-mounts", false);
  facts.toolkit_mode = Probe::read_as<std::string>(text, [](const std::string& content) {
    return std::optional(toml_value(content, "mode").value_or("auto"));
  });
  facts.toolkit_ldconfig = Probe::read_as<std::string>(text, [](const std::string& content) {
    return std::optional(toml_value(content, "ldconfig").value_or("default"));
  });
}

class CdiReader {
 public:
  CdiReader(Probe& probe, model::CdiSpec& spec) : probe_(probe), spec_(spec) {}

  void read(const Field<std::string>& content) {
    auto root = kit::parse_yaml(content.value(), spec_.key());  // JSON is YAML
    if (!root) {
      spec_.kind = probe_.absent<std::string>(AbsentReason::Malformed, spec_.key(), root.error().message);
      spec_.devices = Probe::as_absent<List>(spec_.kind);
      spec_.missing_files = Probe::as_absent<List>(spec_.kind);
      spec_.driver_version = spec_.kind;
      return;
    }
    spec_.kind = Probe::derived(base::printable((*root)["kind"].text(), 100), content);
    List devices;
    edits((*root)["containerEdits"]);
    for (const kit::Node& device : (*root)["devices"].items) {
      if (devices.size() < 512) devices.push_back(base::printable(device["name"].text(), 100));
      edits(device["containerEdits"]);
    }
    spec_.devices = Probe::derived(std::move(devices), content);
    spec_.missing_files = Probe::derived(std::move(missing_), content);
    spec_.driver_version = driver_.empty()
                               ? Field<std::string>(Absent{AbsentReason::NotFound}, content.provenance())
                               : Probe::derived(driver_, content);
  }

 private:
  void edits(const kit::Node& node) {
    for (const kit::Node& mount : node["mounts"].items) file(mount["hostPath"].text());
    for (const kit::Node& device : node["deviceNodes"].items)
      file(device["hostPath"].text().empty() ? device["path"].text() : device["hostPath"].text());
  }

  void file(const std::string& path) {
    constexpr std::size_t kMostFiles = 2000;
    if (path.empty() || path.front() != '/' || ++files_ > kMostFiles) return;
    const std::size_t name = path.rfind("libcuda.so.");
    if (name != std::string::npos && path.find('.', name + 11) != std::string::npos)
      driver_ = base::printable(path.substr(name + 11), 40);
    if (missing_.size() < 32 && !probe_.exists(path)) missing_.push_back(base::printable(path));
  }

  Probe& probe_;
  model::CdiSpec& spec_;
  List missing_;
  std::string driver_;
  std::size_t files_ = 0;
};

model::CdiSpec cdi_spec_of(Probe& probe, const std::string& folder, const std::string& name) {
  model::CdiSpec spec;
  spec.path = probe.found(folder + "/" + name, folder);
  const auto content = probe.text(spec.key(), Probe::kLarge);
  if (content.known()) {
    CdiReader(probe, spec).read(content);
  } else {
    spec.kind = spec.driver_version = content;
    spec.devices = spec.missing_files = Probe::as_absent<List>(content);
  }
  return spec;
}

void collect_cdi(Probe& probe, model::ContainerFacts& facts) {
  std::vector<model::CdiSpec> specs;
  for (const char* folder : {"/etc/cdi", "/run/cdi", "/var/run/cdi"}) {
    const auto names = probe.source().list_directory(folder);
    if (!names || (std::string_view(folder) == "/var/run/cdi" && probe.exists("/run/cdi"))) continue;
    for (const std::string& name : *names) {
      const bool is_spec = name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
      if (!is_spec || specs.size() >= 32) continue;
      specs.push_back(cdi_spec_of(probe, folder, name));
    }
  }
  facts.cdi_specs = probe.found(std::move(specs), "/etc/cdi and /run/cdi");
}

}  // namespace

void collect_containers(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::ContainerFacts& facts = machine.containers;
  const auto cgroup = probe.names("/sys/fs/cgroup");
  facts.cgroup_version = Probe::read_as<std::int64_t>(cgroup, [](const List& names) {
    const bool unified = std::find(names.begin(), names.end(), "cgroup.controllers") != names.end();
    return std::optional<std::int64_t>(unified ? 2 : 1);
  });
  collect_docker(probe, facts);
  facts.podman_version = tool_version(probe, "podman");
  collect_toolkit(probe, facts);
  collect_cdi(probe, facts);
}

}  // namespace gpuwright::facts
