// Installed packages of the driver, container and RDMA stacks, and the driver's device nodes. Source:
// dpkg-query(1), rpm(8), stat(1); driver README (device nodes).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <fmt/core.h>

#include <array>

namespace gpuwright::facts {

namespace {

constexpr std::array<const char*, 12> kPatterns = {
    "*nvidia*", "cuda-drivers*", "cuda-keyring", "cuda-compat*", "cuda-toolkit*", "libcudnn*",
    "libnccl*", "docker-ce",     "containerd*",  "doca-*",       "mlnx-*",        "datacenter-gpu-manager*"};
constexpr std::size_t kMostPackages = 400;

/// dpkg's three letters: wanted, state, error. Source: dpkg-query(1), db:Status-Abbrev.
std::string state_of(std::string_view letters) {
  if (letters.size() < 2) return "unknown";
  const bool held = letters[0] == 'h';
  switch (letters[1]) {
    case 'i':
      return held ? "held" : "installed";
    case 'U':
      return "unpacked";
    case 'F':
      return "half-configured";
    case 'H':
      return "half-installed";
    case 'W':
    case 't':
      return "triggers-pending";
    default:
      return "removed";
  }
}

Field<std::string> asked_of_dpkg(Probe& probe) {
  std::vector<std::string> argv = {"dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Package}|${Version}\\n"};
  argv.insert(argv.end(), kPatterns.begin(), kPatterns.end());
  const auto answer = probe.source().run(argv, std::chrono::seconds(5));
  if (!answer)
    return probe.absent<std::string>(reason_of(answer.error().kind), "dpkg-query", answer.error().message);
  // Status 1: a pattern without a package, which is no failure.
  if (answer->timed_out || answer->status > 1 || answer->status < 0)
    return probe.absent<std::string>(answer->timed_out ? AbsentReason::TimedOut : AbsentReason::Unsupported,
                                     "dpkg-query", answer->errors);
  return probe.found(answer->output, "dpkg-query");
}

Field<std::string> asked_of_rpm(Probe& probe) {
  std::vector<std::string> argv = {"rpm", "-qa", "--qf", "ii |%{NAME}|%{VERSION}-%{RELEASE}\\n"};
  argv.insert(argv.end(), kPatterns.begin(), kPatterns.end());
  return probe.said(argv, std::chrono::seconds(10));
}

Field<std::vector<model::PackageFacts>> packages_of(Probe& probe) {
  auto table = asked_of_dpkg(probe);
  if (!table.known() && table.reason() == AbsentReason::NotFound) table = asked_of_rpm(probe);
  if (!table.known()) return Probe::as_absent<std::vector<model::PackageFacts>>(table);
  std::vector<model::PackageFacts> packages;
  for (const std::string_view line : base::lines(table.value())) {
    const auto parts = base::split(line, '|');
    if (parts.size() != 3 || packages.size() >= kMostPackages) continue;
    const std::string state = state_of(parts[0]);
    if (state == "removed") continue;
    const std::int32_t place = probe.note("packages", line);
    model::PackageFacts package;
    package.name = Field<std::string>(base::printable(parts[1], 100), place);
    package.version = Field<std::string>(base::printable(parts[2], 100), place);
    package.state = Field<std::string>(state, place);
    packages.push_back(std::move(package));
  }
  return Probe::derived(std::move(packages), table);
}

/// "/dev/nvidia0 666 0 0 c3 0": mode, owner and group, then major and minor in hex.
std::optional<model::DeviceNode> node_of(Probe& probe, std::string_view line) {
  const auto parts = base::words(line);
  if (parts.size() != 6) return std::nullopt;
  const auto owner = base::parse_int(parts[2]), group = base::parse_int(parts[3]);
  const auto major = base::parse_hex(parts[4]), minor = base::parse_hex(parts[5]);
  if (!owner || !group || !major || !minor) return std::nullopt;
  model::DeviceNode node;
  node.path = probe.found(base::printable(parts[0], 100), "stat", line);
  node.mode = Probe::derived(fmt::format("{:0>4}", base::printable(parts[1], 8)), node.path);
  node.owner = Probe::derived(*owner, node.path);
  node.group = Probe::derived(*group, node.path);
  node.major = Probe::derived(static_cast<std::int64_t>(*major), node.path);
  node.minor = Probe::derived(static_cast<std::int64_t>(*minor), node.path);
  const std::string link = fmt::format("/dev/char/{}:{}", *major, *minor);
  const auto target = probe.source().read_link(link);
  node.char_link = target ? probe.found(true, link, *target)
                   : target.error().kind == base::ErrorKind::NotFound
                       ? probe.found(false, link, "is not there")
                       : probe.absent<bool>(reason_of(target.error().kind), link, target.error().message);
  return node;
}

Field<std::vector<model::DeviceNode>> nodes_of(Probe& probe) {
  const auto names = probe.names("/dev");
  if (!names.known()) return Probe::as_absent<std::vector<model::DeviceNode>>(names);
  std::vector<std::string> argv = {"stat", "-c", "%n %a %u %g %t %T"};
  for (const std::string& name : names.value()) {
    if (name.starts_with("nvidia") && name != "nvidia-caps" && name != "nvidia-caps-imex-channels" &&
        argv.size() < 64)
      argv.push_back("/dev/" + name);
  }
  if (argv.size() == 3)
    return probe.found(std::vector<model::DeviceNode>(), "/dev", "holds no device of the driver");
  const auto told = probe.said(argv);
  if (!told.known()) return Probe::as_absent<std::vector<model::DeviceNode>>(told);
  std::vector<model::DeviceNode> nodes;
  for (const std::string_view line : base::lines(told.value())) {
    auto node = node_of(probe, line);
    if (node) nodes.push_back(std::move(*node));
  }
  return Probe::derived(std::move(nodes), told);
}

}  // namespace

void collect_packages(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  machine.driver.packages = packages_of(probe);
  machine.driver.device_nodes = nodes_of(probe);
}

}  // namespace gpuwright::facts
