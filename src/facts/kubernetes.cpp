// The kubelet on this node. Source: KubeletConfiguration v1beta1, device plugin and pod-resources
// documentation.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "kit/yaml.h"

#include <algorithm>

namespace gpuwright::facts {

void collect_kubernetes(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::KubernetesFacts& facts = machine.kubernetes;
  const std::string folder = "/var/lib/kubelet";
  const auto text = probe.text(folder + "/config.yaml");
  const auto root = Probe::read_as<kit::Node>(text, [](const std::string& yaml) -> std::optional<kit::Node> {
    auto parsed = kit::parse_yaml(yaml, "/var/lib/kubelet/config.yaml");
    return parsed ? std::optional(std::move(*parsed)) : std::nullopt;
  });
  // What a missing line means: KubeletConfiguration's defaults.
  const auto setting = [&root](const char* key, const char* otherwise) {
    return Probe::read_as<std::string>(root, [&](const kit::Node& node) {
      const std::string& word = node[key].text();
      return std::optional(word.empty() ? std::string(otherwise) : base::printable(word, 60));
    });
  };
  facts.cgroup_driver = setting("cgroupDriver", "cgroupfs");
  facts.cpu_manager_policy = setting("cpuManagerPolicy", "none");
  facts.topology_manager_policy = setting("topologyManagerPolicy", "none");
  facts.memory_manager_policy = setting("memoryManagerPolicy", "None");
  facts.fail_swap_on = Probe::read_as<bool>(
      setting("failSwapOn", "true"), [](const std::string& word) { return std::optional(word == "true"); });
  facts.device_plugins = probe.names(folder + "/device-plugins");
  const auto sockets = probe.names(folder + "/pod-resources");
  facts.pod_resources_socket = Probe::read_as<bool>(sockets, [](const std::vector<std::string>& names) {
    return std::optional(std::find(names.begin(), names.end(), "kubelet.sock") != names.end());
  });
  // Pods with hostUsers: false need a range for the user "kubelet".
  facts.user_namespaces = !text.known()
                              ? Probe::as_absent<bool>(text)
                              : Probe::read_as<bool>(probe.text("/etc/subuid"), [](const std::string& ids) {
                                  return std::optional(base::contains("\n" + ids, "\nkubelet:"));
                                });
  const bool asks = !probe.source().live() || text.known() || facts.device_plugins.known();
  facts.kubelet_version =
      !asks ? Probe::as_absent<std::string>(text)
            : Probe::read_as<std::string>(probe.said({"kubelet", "--version"}), [](const std::string& said) {
                const std::size_t at = said.find(" v");
                return at == std::string::npos ? std::nullopt
                                               : std::optional(base::printable(
                                                     base::trim(std::string_view(said).substr(at + 2)), 40));
              });
}

}  // namespace gpuwright::facts
