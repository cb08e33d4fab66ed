// A line that containerd does not read changes nothing and says nothing. Source: containerd documentation of
// config versions and imports; Kubernetes documentation of cgroup drivers (KubeletCgroupDriverFromCRI).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_containerd.h"

#include "base/text.h"
#include "rules/machine_words.h"

#include <algorithm>

namespace gpuwright::rules {

namespace {

using List = std::vector<std::string>;

constexpr std::string_view kOwnPath = "/etc/containerd/config.toml";

bool holds(const List& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// A file beside the configuration adds a runtime that the configuration lacks.
void look_at_unread(Look& look, const model::ContainerFacts& facts) {
  const std::string path = model::key_text(facts.containerd_config_path);
  for (const std::string& unread : model::each(facts.containerd_unread_files)) {
    const std::size_t colon = unread.find(": ");
    const std::string file = unread.substr(0, colon);
    for (const std::string_view runtime : base::words(std::string_view(unread).substr(colon + 2))) {
      if (holds(model::each(facts.containerd_runtimes), runtime)) continue;
      const bool elsewhere = file == kOwnPath && path != kOwnPath;
      if (elsewhere && runtime != "nvidia") continue;
      look.fails(elsewhere ? "k8s.other_containerd_configured" : "container.containerd_file_not_imported")
          .with("file", file)
          .with("runtime", std::string(runtime))
          .with("path", path)
          .proof(facts.containerd_unread_files)
          .proof(facts.containerd_imports);
      break;
    }
  }
}

void look_at_version(Look& look, const model::ContainerFacts& facts) {
  const std::string version = model::key_text(facts.containerd_version);
  // A distribution's containerd is not the one on the path.
  const bool own = model::key_text(facts.containerd_config_path) == kOwnPath;
  if (own && facts.containerd_config_version.known() && facts.containerd_config_version.value() >= 3 &&
      !version.empty() && base::compare_versions(version, "2") < 0)
    look.fails("container.containerd_config_too_new")
        .with("version", version)
        .proof(facts.containerd_config_version)
        .proof(facts.containerd_version);
  const List& foreign = model::each(facts.containerd_foreign_sections);
  if (!foreign.empty())
    look.fails("container.containerd_section_ignored")
        .with("section", foreign.front())
        .proof(facts.containerd_foreign_sections)
        .proof(facts.containerd_config_version);
}

}  // namespace

model::Verdict check_containerd_config(Look look, const Situation& situation) {
  const model::ContainerFacts& facts = situation.machine.containers;
  if (!facts.containerd_config_path.known()) return look.not_applicable();
  look_at_unread(look, facts);
  look_at_version(look, facts);
  const List& runtimes = model::each(facts.containerd_runtimes);
  const std::string chosen = model::key_text(facts.containerd_default_runtime);
  if (is_kubernetes_node(situation.machine) && !chosen.empty() && chosen != "runc" &&
      !holds(runtimes, chosen))
    look.fails("container.containerd_default_runtime_missing")
        .with("runtime", chosen)
        .proof(facts.containerd_default_runtime)
        .proof(facts.containerd_runtimes);
  if (is_kubernetes_node(situation.machine) && holds(model::each(facts.containerd_disabled_plugins), "cri"))
    look.fails("container.cri_disabled").proof(facts.containerd_disabled_plugins);
  return look.conclude();
}

model::Verdict check_cgroup_drivers(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  // k3s and its like start their own containerd with what fits.
  if (!machine.kubernetes.cgroup_driver.known() ||
      model::key_text(machine.containers.containerd_config_path) != kOwnPath)
    return look.not_applicable();
  const std::string kubelet = model::key_text(machine.kubernetes.kubelet_version);
  const std::string containerd = model::key_text(machine.containers.containerd_version);
  const bool kubelet_asks = !kubelet.empty() && base::compare_versions(kubelet, "1.31") >= 0 &&
                            !containerd.empty() && base::compare_versions(containerd, "2") >= 0;
  const bool may_ask = kubelet.empty() && !containerd.empty() && base::compare_versions(containerd, "2") >= 0;
  if (kubelet_asks || may_ask) return look.not_applicable();
  const std::string* wants = look.need(machine.kubernetes.cgroup_driver);
  const std::string* has = look.need(machine.containers.containerd_cgroup_driver);
  if (wants != nullptr && has != nullptr && *wants != *has)
    look.fails("k8s.cgroup_driver_differs")
        .with("kubelet", *wants)
        .with("containerd", *has)
        .proof(machine.kubernetes.cgroup_driver)
        .proof(machine.containers.containerd_cgroup_driver);
  return look.conclude();
}

}  // namespace gpuwright::rules
