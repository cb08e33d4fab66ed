// containerd's configuration on this node, its own or that of a Kubernetes distribution. Source:
// containerd-config.toml(5), containerd's documentation of config versions; k3s, RKE2, k0s and MicroK8s
// documentation of where theirs lies.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "facts/toml_text.h"

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

constexpr const char* kOwnPath = "/etc/containerd/config.toml";

/// Where a distribution keeps its own, it is the one that the kubelet there uses.
std::string config_path(Probe& probe) {
  constexpr std::array<const char*, 4> kDistributions = {
      "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
      "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
      "/var/snap/microk8s/current/args/containerd.toml", "/etc/k0s/containerd.toml"};
  for (const char* path : kDistributions) {
    if (probe.exists(path)) return path;
  }
  return kOwnPath;
}

/// Names behind `runtimes.` in section heads.
void add_runtimes(const std::string& text, List& names) {
  for (const std::string& section : toml_sections(text)) {
    const std::size_t at = section.find(".runtimes.");
    if (at == std::string::npos || names.size() >= 32) continue;
    const std::string name = section.substr(at + 10, section.find('.', at + 10) - at - 10);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

/// Sections of another version than the file's own: such are ignored. Version 1 calls the plugin "cri", 2
/// "io.containerd.grpc.v1.cri", 3 splits it into "io.containerd.cri.v1.runtime" and ".images".
void add_foreign(const std::string& path, const std::string& text, List& foreign) {
  const std::string version = toml_value(text, "version").value_or("1");
  for (const std::string& section : toml_sections(text)) {
    if (!base::contains(section, ".containerd") || foreign.size() >= 16) continue;
    const bool first = base::contains(section, "plugins.cri.") || base::contains(section, "plugins.\"cri\"");
    const bool second = base::contains(section, "io.containerd.grpc.v1.cri\".containerd");
    const bool third = base::contains(section, "io.containerd.cri.v1.");
    const bool wrong = version == "1" ? second || third : version == "2" ? third || first : first || second;
    if (wrong) foreign.push_back(path + " (version " + version + "): " + section);
  }
}

/// "/etc/containerd/conf.d/*.toml".
bool matches(const std::string& pattern, const std::string& path) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern == path;
  const std::string_view before = std::string_view(pattern).substr(0, star),
                         after = std::string_view(pattern).substr(star + 1);
  return path.size() >= before.size() + after.size() && path.starts_with(before) && path.ends_with(after) &&
         path.find('/', before.size()) == std::string::npos;
}

/// What lies beside the main file: what an import names is read, the rest is not.
class DropIns {
 public:
  DropIns(Probe& probe, const std::string& main, const List& imports) : probe_(probe), imports_(imports) {
    const std::string folder = main.substr(0, main.rfind('/'));
    const auto beside = probe_.source().list_directory(folder);
    for (const std::string& name : beside ? *beside : List()) {
      if (name.ends_with(".d")) look_into(folder + "/" + name);
    }
    if (main != kOwnPath) look_at(kOwnPath);
  }
  List unread, runtimes, foreign;
  std::string systemd_cgroup;  ///< what the last of them says

 private:
  void look_into(const std::string& folder) {
    const auto names = probe_.source().list_directory(folder);
    if (!names) return;
    for (const std::string& name : *names) {
      if (name.ends_with(".toml")) look_at(folder + "/" + name);
    }
  }

  void look_at(const std::string& path) {
    const auto text = probe_.text(path);
    if (!text.known()) return;
    const bool read = std::any_of(imports_.begin(), imports_.end(),
                                  [&](const std::string& pattern) { return matches(pattern, path); });
    List named;
    add_runtimes(text.value(), named);
    if (!read && !named.empty()) unread.push_back(path + ": " + base::join(named, " "));
    if (!read) return;
    systemd_cgroup = toml_value(text.value(), "SystemdCgroup").value_or(systemd_cgroup);
    add_runtimes(text.value(), runtimes);
    add_foreign(path, text.value(), foreign);
  }

  Probe& probe_;
  const List& imports_;
};

Field<std::string> version_of(Probe& probe) {
  return Probe::read_as<std::string>(
      probe.said({"containerd", "--version"}), [](const std::string& text) -> std::optional<std::string> {
        for (const std::string_view word : base::words(text)) {
          const std::string_view number = word.starts_with('v') ? word.substr(1) : word;
          if (!number.empty() && number.front() >= '0' && number.front() <= '9' &&
              base::contains(number, "."))
            return base::printable(number, 60);
        }
        return std::nullopt;
      });
}

}  // namespace

void collect_containerd(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::ContainerFacts& facts = machine.containers;
  facts.containerd_version = version_of(probe);
  const std::string path = config_path(probe);
  const auto text = probe.text(path);
  // What a missing line means: containerd's defaults.
  const auto setting = [&text](const char* key, const char* otherwise) {
    return Probe::read_as<std::string>(text, [&](const std::string& content) {
      return std::optional(toml_value(content, key).value_or(otherwise));
    });
  };
  const auto list = [&text](const char* key) {
    return Probe::read_as<List>(
        text, [key](const std::string& content) { return std::optional(toml_strings(content, key)); });
  };
  facts.containerd_config_path =
      text.known() ? Probe::derived(path, text) : Probe::as_absent<std::string>(text);
  facts.containerd_config_version = Probe::integer_of(setting("version", "1"));
  facts.containerd_imports = list("imports");
  facts.containerd_disabled_plugins = list("disabled_plugins");
  facts.containerd_default_runtime = setting("default_runtime_name", "runc");
  const List imports = model::each(facts.containerd_imports);
  const DropIns beside(probe, path, imports);
  facts.containerd_cgroup_driver = Probe::read_as<std::string>(
      setting("SystemdCgroup", beside.systemd_cgroup.empty() ? "false" : beside.systemd_cgroup.c_str()),
      [](const std::string& word) {
        return std::optional<std::string>(word == "true" ? "systemd" : "cgroupfs");
      });
  const auto joined = [&text, &path](void (*add)(const std::string&, const std::string&, List&),
                                     const List& more) {
    return Probe::read_as<List>(text, [&](const std::string& content) {
      List all;
      add(path, content, all);
      all.insert(all.end(), more.begin(), more.end());
      return std::optional(all);
    });
  };
  facts.containerd_runtimes =
      joined([](const std::string&, const std::string& content, List& all) { add_runtimes(content, all); },
             beside.runtimes);
  facts.containerd_foreign_sections = joined(add_foreign, beside.foreign);
  facts.containerd_unread_files = joined([](const std::string&, const std::string&, List&) {}, beside.unread);
}

}  // namespace gpuwright::facts
