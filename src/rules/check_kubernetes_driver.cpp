// The GPU operator evicts what asked for a GPU, waits, and starts a driver container. Who holds the device
// without asking, a drain without end, and an image that nobody built stop it. Source: GPU operator
// documentation (driver upgrades, precompiled drivers), Kubernetes documentation (device plugins).
// SPDX-License-Identifier: Apache-2.0
#include "rules/check_kubernetes_driver.h"

#include "base/pod_uid.h"
#include "base/text.h"
#include "rules/check_driver.h"

#include <algorithm>
#include <array>

namespace gpuwright::rules {

namespace {

using Pods = std::vector<model::PodFacts>;

const model::PodFacts* pod_of(const Pods& pods, const std::string& uid) {
  const auto found =
      std::find_if(pods.begin(), pods.end(), [&uid](const model::PodFacts& pod) { return pod.key() == uid; });
  return found == pods.end() ? nullptr : &*found;
}

/// Pods of the GPU stack itself hold devices without asking, and the operator stops them.
bool belongs_to_stack(const model::PodFacts& pod) {
  constexpr std::array<std::string_view, 7> kNames = {"nvidia-",
                                                      "dcgm-exporter",
                                                      "dcgm",
                                                      "gpu-feature-discovery",
                                                      "gpu-operator",
                                                      "node-feature-discovery",
                                                      "network-operator"};
  const std::string name = model::key_text(pod.name);
  const std::string space = model::key_text(pod.name_space);
  return base::contains(space, "gpu-operator") || space.starts_with("runai") ||
         std::any_of(kNames.begin(), kNames.end(),
                     [&name](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Where only a process tells of its pod the command must say.
bool is_stack_command(const model::GpuHolder& holder) {
  constexpr std::array<std::string_view, 6> kCommands = {"nvidia-",   "nv-hostengine", "dcgm-exporter",
                                                         "nv-fabric", "gpu-feature-",  "config-manager"};
  const std::string command = model::key_text(holder.command);
  return std::any_of(kCommands.begin(), kCommands.end(),
                     [&command](std::string_view prefix) { return command.starts_with(prefix); });
}

std::string full_name(const model::PodFacts& pod) {
  if (!pod.name.known()) return pod.key();
  return model::key_text(pod.name_space) + "/" + model::key_text(pod.name);
}

}  // namespace

bool is_driver_pod(const model::PodFacts& pod) {
  const std::string name = model::key_text(pod.name);
  return name.starts_with("nvidia-driver-daemonset") || name.starts_with("nvidia-gpu-driver") ||
         name.starts_with("nvidia-vgpu-manager");
}

namespace {

/// A container gets all GPUs by this value, unless the toolkit leaves it to privileged ones.
bool asks_by_variable(const model::PodFacts& pod, const model::Machine& machine) {
  const std::string value = model::key_text(pod.visible_devices);
  const auto& granted = machine.containers.toolkit_unprivileged_env;
  const auto& access = model::each(pod.access);
  const bool privileged = std::find(access.begin(), access.end(), "privileged") != access.end();
  const bool refused = granted.known() && !granted.value() && !privileged;
  return !value.empty() && value != "void" && value != "none" && !refused;
}

/// How a pod to which kubelet gave no GPU has some all the same; empty where nothing says that it has.
std::string way_of(const model::PodFacts& pod, const model::Machine& machine) {
  if (pod.gpus_inside.known())
    return "nvidia-smi in it lists " + std::to_string(pod.gpus_inside.value()) + " GPU(s)";
  if (asks_by_variable(pod, machine)) return "NVIDIA_VISIBLE_DEVICES=" + model::key_text(pod.visible_devices);
  return {};
}

void tell_pod(Look& look, const model::PodFacts& pod, const std::string& way) {
  look.fails("k8s.gpu_pod_without_request")
      .with("pod", full_name(pod))
      .with("way", way)
      .with("access", base::join(model::each(pod.access), ", "))
      .proof(pod.name)
      .proof(pod.gpus);
}

}  // namespace

model::Verdict check_gpu_pods_requested(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const auto& facts = machine.kubernetes;
  const bool none = !facts.pods.known() && facts.pods.reason() == model::AbsentReason::NotFound;
  if (none || (!has_gpu(machine) && !facts.pods.known())) return look.not_applicable();
  look.need(facts.pods);
  if (has_gpu(machine)) look.need(machine.driver.holders);
  std::vector<std::string> told;
  for (const model::GpuHolder& holder : model::each(machine.driver.holders)) {
    const std::string uid = base::pod_uid_of(model::key_text(holder.control_group));
    const model::PodFacts* pod = uid.empty() ? nullptr : pod_of(model::each(facts.pods), uid);
    if (pod == nullptr || belongs_to_stack(*pod) || (!pod->name.known() && is_stack_command(holder)))
      continue;
    const std::int64_t* gpus = look.need(pod->gpus);
    if (gpus == nullptr || *gpus > 0 || std::find(told.begin(), told.end(), uid) != told.end()) continue;
    told.push_back(uid);
    look.fails("k8s.gpu_pod_without_request")
        .with("pod", full_name(*pod))
        .with("way",
              "process " + model::key_text(holder.command) + " (" + holder.key() + ") holds its devices")
        .with("pid", holder.key())
        .with("access", base::join(model::each(pod->access), ", "))
        .proof(holder.command)
        .proof(pod->gpus);
  }
  for (const model::PodFacts& pod : model::each(facts.pods)) {
    const bool given = !pod.gpus.known() || pod.gpus.value() > 0;
    const std::string way = given || belongs_to_stack(pod) ? std::string() : way_of(pod, machine);
    if (!way.empty() && std::find(told.begin(), told.end(), pod.key()) == told.end())
      tell_pod(look, pod, way);
  }
  return look.conclude();
}

namespace {

/// Pods, other than the stack's own, that hold a device now.
std::string pods_in_the_way(const model::Machine& machine) {
  std::vector<std::string> names;
  for (const model::GpuHolder& holder : model::each(machine.driver.holders)) {
    const model::PodFacts* pod =
        pod_of(model::each(machine.kubernetes.pods), base::pod_uid_of(model::key_text(holder.control_group)));
    if (pod == nullptr || belongs_to_stack(*pod)) continue;
    const std::string owner = model::key_text(pod->owner);
    const std::string name = full_name(*pod) + (owner.empty() || owner == "none" ? "" : " (" + owner + ")");
    if (std::find(names.begin(), names.end(), name) == names.end() && names.size() < 8) names.push_back(name);
  }
  return base::join(names, ", ");
}

}  // namespace

model::Verdict check_driver_upgrade_ends(Look look, const Situation& situation) {
  constexpr std::int64_t kPatience_s = 3600;
  const model::Machine& machine = situation.machine;
  const auto& facts = machine.kubernetes;
  const auto& state = facts.driver_upgrade_state;
  if (!state.known()) return look.not_applicable();  // no node of a cluster, or no upgrade was ever asked for
  const bool ends = state.value() == "upgrade-done" || state.value() == "unknown";
  const auto& since = facts.driver_upgrade_since;
  const bool young =
      since.known() && situation.today_s > 0 && situation.today_s - since.value() < kPatience_s;
  const bool failed = state.value() == "upgrade-failed";
  if (!ends && (failed || !young)) {
    look.fails("k8s.driver_upgrade_stuck")
        .with("state", state.value())
        .with("pods", pods_in_the_way(machine))
        .proof(state)
        .proof(since);
  }
  return look.conclude();
}

namespace {

/// "5.15.0-1071-gke-ubuntu22.04" of "nvidia-driver-daemonset-5.15.0-1071-gke-ubuntu22.04-8zx4q".
std::string name_behind_daemonset(const model::PodFacts& pod) {
  constexpr std::string_view kDaemonSet = "nvidia-driver-daemonset-";
  const std::string name = model::key_text(pod.name);
  const std::size_t last = name.rfind('-');
  return name.starts_with(kDaemonSet) && last > kDaemonSet.size()
             ? name.substr(kDaemonSet.size(), last - kDaemonSet.size())
             : "";
}

}  // namespace

model::Verdict check_driver_image_exists(Look look, const Situation& situation) {
  const model::Machine& machine = situation.machine;
  const auto& pods = model::each(machine.kubernetes.pods);
  const bool loaded = loaded_module(machine, "nvidia") != nullptr;
  if (std::none_of(pods.begin(), pods.end(), is_driver_pod)) return look.not_applicable();
  constexpr std::int64_t kBootAndPull_s = 1800;
  const std::string kernel = model::key_text(machine.os.kernel);
  for (const model::PodFacts& pod : pods) {
    if (!is_driver_pod(pod)) continue;
    const std::string waiting = model::key_text(pod.waiting);
    const std::string image = model::key_text(pod.waiting_image);
    if (waiting == "ImagePullBackOff" || waiting == "ErrImagePull") {
      look.fails("k8s.driver_image_missing")
          .with("tag", image.empty() ? name_behind_daemonset(pod) : image.substr(image.rfind(':') + 1))
          .with("pod", full_name(pod))
          .proof(pod.waiting)
          .proof(pod.waiting_image);
      continue;
    }
    // A pod of precompiled drivers carries the kernel in its name. Its driver container never ran, long after
    // the boot, and no driver is loaded.
    const auto& ran = model::each(pod.containers);
    const bool never =
        pod.containers.known() && std::find(ran.begin(), ran.end(), "nvidia-driver-ctr") == ran.end();
    const bool late = machine.os.uptime.known() && machine.os.uptime.value() > kBootAndPull_s;
    const bool precompiled = !kernel.empty() && base::contains(model::key_text(pod.name), kernel);
    if (!loaded && never && late && precompiled && waiting.empty()) {
      look.fails("k8s.driver_image_missing")
          .with("tag", "*-" + kernel)
          .with("pod", full_name(pod))
          .proof(pod.containers)
          .proof(machine.os.kernel);
    }
  }
  return look.conclude();
}

}  // namespace gpuwright::rules
