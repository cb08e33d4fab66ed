// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/cgroup_path.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace gpuwright::parse {

namespace {

constexpr std::size_t kMostLines = 64;
constexpr std::size_t kMostPath = 4096;
constexpr std::size_t kMostParts = 64;
constexpr std::size_t kMostName = 128;
constexpr std::size_t kContainerId = 64;
constexpr std::size_t kLeastPodUid = 32;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool is_container_id(std::string_view text) {
  return text.size() == kContainerId && std::all_of(text.begin(), text.end(), is_hex);
}

bool is_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 19;
  return !text.empty() && text.size() <= kMostDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A name that may be shown and published: no control bytes, no blanks, bounded.
std::string name_of(std::string_view text) {
  return base::printable(text, kMostName);
}

/// Undoes what systemd does to names of units: "\x2d" is '-'.
std::string unescaped(std::string_view text) {
  constexpr std::size_t kDigits = 2;
  std::string plain;
  while (!text.empty()) {
    const bool escape = text.starts_with("\\x") && text.size() >= 2 + kDigits;
    const auto code = escape ? base::parse_hex(text.substr(2, kDigits)) : std::nullopt;
    plain += code ? static_cast<char>(*code) : text.front();
    text.remove_prefix(code ? 2 + kDigits : 1);
  }
  return plain;
}

std::string_view without(std::string_view text, std::string_view prefix, std::string_view suffix) {
  text.remove_prefix(prefix.size());
  text.remove_suffix(suffix.size());
  return text;
}

/// What has been seen on the way down one path.
struct Walk {
  CgroupOwner owner;
  std::size_t depth = 0;    ///< of the last part that told something, 1 for the first
  bool kubernetes = false;  ///< below kubepods
  bool slurm = false;       ///< below a group of Slurm's
  bool delegated = false;   ///< below a user's own systemd, where the user names groups at will
  std::string_view above;   ///< the part before
};

void found_container(Walk& walk, std::string_view id, const char* runtime) {
  walk.owner.container = std::string(id);
  walk.owner.runtime = runtime;
}

// ---- a group with the container's id in its name ----

struct ContainerForm {
  const char* prefix;
  const char* suffix;
  const char* runtime;
};
constexpr std::array<ContainerForm, 9> kContainerForms = {{
    {"docker-", ".scope", "docker"},
    {"cri-containerd-", ".scope", "containerd"},
    {"nerdctl-", ".scope", "containerd"},
    {"containerd-", ".scope", "containerd"},
    {"crio-", ".scope", "crio"},
    {"crio-", "", "crio"},
    {"libpod-", ".scope", "podman"},
    {"libpod-", "", "podman"},
    {"buildah-", ".scope", "podman"},
}};

bool take_container(Walk& walk, std::string_view part) {
  for (const ContainerForm& form : kContainerForms) {
    const std::string_view prefix = form.prefix, suffix = form.suffix;
    if (part.size() != prefix.size() + kContainerId + suffix.size()) continue;
    if (!part.starts_with(prefix) || !part.ends_with(suffix)) continue;
    const std::string_view id = without(part, prefix, suffix);
    if (!is_container_id(id)) continue;
    found_container(walk, id, form.runtime);
    return true;
  }
  return false;
}

/// Folders in which a runtime names groups by the bare id.
struct ContainerFolder {
  const char* name;
  const char* runtime;
};
constexpr std::array<ContainerFolder, 6> kContainerFolders = {{{"docker", "docker"},
                                                               {"moby", "docker"},
                                                               {"default", "containerd"},
                                                               {"k8s.io", "containerd"},
                                                               {"libpod_parent", "podman"},
                                                               {"garden", "garden"}}};

bool take_bare_id(Walk& walk, std::string_view part) {
  if (!is_container_id(part)) return false;
  const char* runtime = "";
  for (const ContainerFolder& folder : kContainerFolders) {
    if (walk.above == folder.name) runtime = folder.runtime;
  }
  if (*runtime == '\0' && !walk.kubernetes) return false;
  found_container(walk, part, runtime);
  return true;
}

// ---- Kubernetes ----

/// "8-4-4-4-12" of a UUID that systemd's naming wrote with underscores; static pods have 32 digits.
std::optional<std::string> pod_uid_of(std::string_view text) {
  constexpr std::size_t kMost = 64;
  if (text.size() < kLeastPodUid || text.size() > kMost) return std::nullopt;
  std::string uid(text);
  std::replace(uid.begin(), uid.end(), '_', '-');
  const bool good = std::all_of(uid.begin(), uid.end(), [](char c) { return is_hex(c) || c == '-'; });
  return good ? std::optional(uid) : std::nullopt;
}

bool take_pod_uid(Walk& walk, std::string_view text) {
  const auto uid = pod_uid_of(text);
  if (!uid) return false;
  walk.owner.pod_uid = *uid;
  if (walk.owner.pod_qos.empty()) walk.owner.pod_qos = "guaranteed";
  walk.owner.container.clear();  // of a node that is itself a container
  walk.owner.runtime.clear();
  return true;
}

bool take_kubernetes(Walk& walk, std::string_view part) {
  std::string_view slice = part;
  if (slice.starts_with("kubelet-")) slice.remove_prefix(8);  // a kubelet with a root of its own, as kind's
  if (slice == "kubepods" || slice == "kubepods.slice") {
    walk.kubernetes = true;
    walk.owner.pod_qos.clear();
    return true;
  }
  // runc's cgroupfs driver under a systemd name: "SLICE:cri-containerd:ID"
  constexpr std::string_view kColon = ".slice:cri-containerd:";
  const std::size_t colon = slice.find(kColon);
  const std::string_view id = colon == std::string_view::npos ? "" : slice.substr(colon + kColon.size());
  if (colon != std::string_view::npos) slice = slice.substr(0, colon + 6);
  if (slice.starts_with("kubepods-") && slice.ends_with(".slice")) {
    slice = without(slice, "kubepods-", ".slice");
    walk.kubernetes = true;
    for (const std::string_view qos : {"burstable", "besteffort"}) {
      if (!slice.starts_with(qos)) continue;
      walk.owner.pod_qos = std::string(qos);
      slice.remove_prefix(qos.size());
      if (slice.starts_with("-")) slice.remove_prefix(1);
    }
    if (slice.starts_with("pod")) take_pod_uid(walk, slice.substr(3));
    if (is_container_id(id)) found_container(walk, id, "containerd");
    return true;
  }
  if (!walk.kubernetes) return false;
  if (part == "burstable" || part == "besteffort") {
    walk.owner.pod_qos = std::string(part);
    return true;
  }
  return part.starts_with("pod") && take_pod_uid(walk, part.substr(3));
}

// ---- Slurm ----

bool take_slurm(Walk& walk, std::string_view part) {
  constexpr std::string_view kScope = "slurmstepd.scope";
  if (walk.delegated) return false;
  if (part == "slurm" || part == kScope || part.ends_with("_slurmstepd.scope") ||
      part.starts_with("slurm_")) {
    walk.slurm = true;
    if (part.ends_with(kScope) && part != kScope)
      walk.owner.slurm_node = name_of(part.substr(0, part.size() - kScope.size() - 1));
    else if (part.starts_with("slurm_"))
      walk.owner.slurm_node = name_of(part.substr(6));
    return true;
  }
  if (!walk.slurm) return false;
  CgroupOwner& owner = walk.owner;
  if (part.starts_with("job_") && is_number(part.substr(4))) {
    owner.slurm_job = std::string(part.substr(4));
  } else if (part.starts_with("step_") && !owner.slurm_job.empty()) {
    owner.slurm_step = name_of(part.substr(5));
  } else if (part.starts_with("task_") && !owner.slurm_job.empty()) {
    owner.slurm_task = is_number(part.substr(5)) ? std::string(part.substr(5)) : std::string();
  } else {
    return part.starts_with("uid_") || part == "user";
  }
  return true;
}

// ---- whole machines ----

/// libvirt's "qemu-3-name" is the third that was started since boot.
std::string libvirt_name(std::string_view text) {
  const std::size_t number = text.find('-');
  const std::size_t name = number == std::string_view::npos ? number : text.find('-', number + 1);
  if (name == std::string_view::npos || !is_number(text.substr(number + 1, name - number - 1)))
    return name_of(text);
  return name_of(text.substr(name + 1));
}

bool take_machine(Walk& walk, std::string_view part) {
  if (part.starts_with("machine-") && part.ends_with(".scope")) {
    const std::string name = unescaped(without(part, "machine-", ".scope"));
    if (name.starts_with("qemu-") || name.starts_with("lxc-")) {
      walk.owner.machine = libvirt_name(name);
    } else {
      found_container(walk, name_of(name), "nspawn");
    }
    return true;
  }
  const std::size_t suffix = part.find(".libvirt-");
  if (suffix != std::string_view::npos && walk.above == "machine") {
    const std::string_view name = part.substr(0, suffix);
    walk.owner.machine = name.starts_with("qemu-") ? libvirt_name(name) : name_of(name);
    return true;
  }
  if (part.starts_with("systemd-nspawn@") && part.ends_with(".service")) {
    found_container(walk, name_of(unescaped(without(part, "systemd-nspawn@", ".service"))), "nspawn");
    return true;
  }
  return false;
}

bool take_lxc(Walk& walk, std::string_view part) {
  if (part.starts_with("lxc.payload.") && part.size() > 12) {
    found_container(walk, name_of(part.substr(12)), "lxc");
    return true;
  }
  const bool below = walk.above == "lxc" || walk.above == "lxc.payload";
  if (below && part != "ns" && !part.empty()) found_container(walk, name_of(part), "lxc");
  return below || part == "lxc" || part == "lxc.payload";
}

// ---- systemd ----

bool take_systemd(Walk& walk, std::string_view part) {
  if (part.ends_with(".slice")) {
    walk.owner.slice = name_of(unescaped(part));
    return true;
  }
  if (!part.ends_with(".service") && !part.ends_with(".scope")) return false;
  walk.owner.unit = name_of(unescaped(part));
  if (part.starts_with("user@")) walk.delegated = true;
  if (part.starts_with("session-") && part.ends_with(".scope"))
    walk.owner.session = name_of(without(part, "session-", ".scope"));
  return true;
}

/// What a part of the path may be, the most telling first. A part that one takes is not shown to the others.
using Take = bool (*)(Walk& walk, std::string_view part);
constexpr std::array<Take, 7> kForms = {take_container, take_kubernetes, take_bare_id, take_slurm,
                                        take_machine,   take_lxc,        take_systemd};

/// Processes of the runtime itself, not of a container.
bool is_helper(std::string_view part) {
  return part.starts_with("crio-conmon-") || part.starts_with("libpod-conmon-") ||
         part.starts_with("lxc.monitor") || part.ends_with(".mount");
}

CgroupOwner read_path(std::string_view path, std::string& group) {
  Walk walk;
  const auto parts = base::split(path.substr(1), '/');
  std::size_t job_end = 0, unit_end = 0, at = 1;
  for (std::size_t i = 0; i < parts.size() && i < kMostParts; ++i) {
    const std::string_view part = parts[i];
    const bool was_job = walk.owner.is_job();
    const std::string job_before = walk.owner.slurm_job + walk.owner.container + walk.owner.pod_uid;
    if (is_helper(part)) {
      walk.above = part;
      at += part.size() + 1;
      continue;
    }
    const std::string unit_before = walk.owner.unit;
    for (const Take take : kForms) {
      if (take(walk, part)) break;
    }
    at += part.size();
    if (walk.owner.is_job() &&
        (!was_job || job_before != walk.owner.slurm_job + walk.owner.container + walk.owner.pod_uid))
      job_end = at;
    if (walk.owner.unit != unit_before) unit_end = at;
    ++at;
    walk.above = part;
  }
  const std::size_t end = job_end != 0 ? job_end : unit_end;
  group = std::string(end == 0 ? path : path.substr(0, end));
  return walk.owner;
}

/// How much a path tells; lines of one process may differ, as unused v1 controllers stay in the root.
int worth(const CgroupOwner& owner) {
  const std::array<const std::string*, 7> told = {&owner.container,  &owner.pod_uid,    &owner.slurm_job,
                                                  &owner.slurm_step, &owner.slurm_task, &owner.machine,
                                                  &owner.unit};
  constexpr int kUnit = 1, kOther = 2;
  int sum = 0;
  for (const std::string* one : told) {
    if (!one->empty()) sum += one == &owner.unit ? kUnit : kOther;
  }
  return sum;
}

bool names_controller(std::string_view list, std::string_view wanted) {
  for (const std::string_view one : base::split(list, ',')) {
    if (one == wanted) return true;
  }
  return false;
}

}  // namespace

CgroupOwner read_cgroup(std::string_view text) {
  CgroupOwner best;
  std::string unified, cpu;
  std::size_t count = 0;
  for (const std::string_view line : base::lines(text)) {
    if (++count > kMostLines) break;
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string_view path = line.substr(second + 1);
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    if (!path.starts_with('/') || path.size() > kMostPath) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string group;
    CgroupOwner owner = read_path(path, group);
    if (controllers.empty()) unified = group;
    if (names_controller(controllers, "cpu")) cpu = group;
    if (worth(owner) > worth(best)) best = std::move(owner);
  }
  best.unified_path = std::move(unified);
  best.cpu_path = std::move(cpu);
  return best;
}

}  // namespace gpuwright::parse
