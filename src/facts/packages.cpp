// Installed packages of the driver, container and RDMA stacks, and the driver's device nodes. Source:
// dpkg-query(1), rpm(8); driver README (device nodes).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

constexpr std::array<const char*, 15> kPatterns = {
    "*nvidia*",  "cuda-drivers*", "cuda-keyring", "cuda-compat*", "cuda-toolkit*", "libcudnn*",
    "libnccl*",  "docker-ce",     "containerd*",  "doca-*",       "mlnx-*",        "datacenter-gpu-manager*",
    "docker.io", "moby-engine",   "podman"};
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

/// A machine that can only be read, not asked: dpkg's own list. Paragraphs of "Package:", "Status: install ok
/// installed" and "Version:".
Field<std::string> read_of_dpkg(Probe& probe) {
  const auto matches = [](std::string_view name) {
    return std::any_of(kPatterns.begin(), kPatterns.end(), [name](std::string_view pattern) {
      const bool front = pattern.starts_with('*'), back = pattern.ends_with('*');
      const std::string_view core =
          pattern.substr(front ? 1 : 0, pattern.size() - (front ? 1 : 0) - (back ? 1 : 0));
      return front ? base::contains(name, core) : back ? name.starts_with(core) : name == core;
    });
  };
  const auto list = probe.text("/var/lib/dpkg/status", std::size_t{16} << 20);
  return Probe::read_as<std::string>(list, [&](const std::string& text) {
    std::string table;
    std::string_view name, status;
    for (const std::string_view line : base::lines(text)) {
      if (line.starts_with("Package: ")) name = line.substr(9);
      if (line.starts_with("Status: ")) status = line.substr(8);
      if (!line.starts_with("Version: ") || !matches(name)) continue;
      const std::string_view state = status.ends_with(" installed")         ? "i"
                                     : status.ends_with(" unpacked")        ? "U"
                                     : status.ends_with(" half-configured") ? "F"
                                     : status.ends_with(" half-installed")  ? "H"
                                                                            : "n";
      table +=
          fmt::format("{}{} |{}|{}\n", status.starts_with("hold") ? 'h' : 'i', state, name, line.substr(9));
    }
    return std::optional(table);
  });
}

/// "ii  libnvidia-compute-550:amd64  550.127.05-0ubuntu1  amd64 ..." of `dpkg -l`.
std::string row_of_list(std::string_view line) {
  const auto words = base::words(line);
  const bool row = words.size() >= 3 && words[0].size() >= 2 && words[0].size() <= 3 &&
                   words[0].find_first_not_of("uirphnUFHWtcR") == std::string_view::npos;
  return row ? fmt::format("{} |{}|{}\n", words[0], words[1].substr(0, words[1].find(':')), words[2]) : "";
}

/// "nvidia-fabricmanager-580.95.05-1.x86_64" of `rpm -qa`: name, version, release and architecture.
std::string row_of_rpm(std::string_view line) {
  const std::string_view text = base::trim(line);
  const std::size_t release = text.rfind('-');
  const std::size_t version =
      release == std::string_view::npos || release == 0 ? release : text.rfind('-', release - 1);
  if (version == std::string_view::npos || text.find_first_of(" |") != std::string_view::npos) return {};
  std::string_view tail = text.substr(version + 1);
  for (const std::string_view machine : {".x86_64", ".noarch", ".aarch64"})
    if (tail.ends_with(machine)) tail.remove_suffix(machine.size());
  return fmt::format("ii |{}|{}\n", text.substr(0, version), tail);
}

/// "libnvidia-compute-580/noble-updates,now 580.95.05-0ubuntu1 amd64 [installed]" of `apt list`, and
/// "nvidia-driver.x86_64   3:580.95.05-1.el9   @cuda" of `dnf list`.
std::string row_of_names(std::string_view line) {
  const auto words = base::words(line);
  if (words.size() < 3) return {};
  const std::size_t slash = words[0].find('/'), dot = words[0].rfind('.');
  if (slash != std::string_view::npos && base::contains(line, "[installed"))
    return fmt::format("ii |{}|{}\n", words[0].substr(0, slash), words[1]);
  const bool rpm =
      dot != std::string_view::npos &&
      (words[0].ends_with(".x86_64") || words[0].ends_with(".noarch") || words[0].ends_with(".aarch64"));
  return rpm && words[2].starts_with('@') ? fmt::format("ii |{}|{}\n", words[0].substr(0, dot), words[1])
                                          : "";
}

/// "i+ | nvidia-open-driver-G06 | package | 580.95.05-1 | x86_64 | repo" of `zypper search -si`.
std::string row_of_zypper(std::string_view line) {
  const auto cells = base::split(line, '|');
  if (cells.size() < 4 || !base::trim(cells[0]).starts_with('i')) return {};
  return fmt::format("ii |{}|{}\n", base::trim(cells[1]), base::trim(cells[3]));
}

/// "nvidia-container-toolkit:" and below it "  Installed: 1.17.8-1" of `apt-cache policy`.
std::string rows_of_policy(std::string_view text) {
  std::string table;
  std::string_view name;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    if (!line.starts_with(' ') && trimmed.ends_with(':')) name = trimmed.substr(0, trimmed.size() - 1);
    if (trimmed.starts_with("Installed: ") && !base::contains(trimmed, "(none)"))
      table += fmt::format("ii |{}|{}\n", name, trimmed.substr(11));
  }
  return table;
}

/// "nvidia-fabricmanager<tab>590.48.01-1" of `dpkg-query -W`.
std::string row_of_query(std::string_view line) {
  const std::size_t tab = line.find('\t');
  const bool row = tab != std::string_view::npos && tab > 0 && tab + 1 < line.size() && line.find(' ') > tab;
  return row ? fmt::format("ii |{}|{}\n", line.substr(0, std::min(tab, line.find(':'))),
                           base::trim(line.substr(tab + 1)))
             : "";
}

/// The lists that people print, as the table that was asked for.
Field<std::string> written_packages(Probe& probe, const Field<std::string>& not_told) {
  std::string table = rows_of_policy(probe.written("apt-cache policy") + probe.written("apt policy"));
  for (const char* tool : {"apt list", "dnf list", "yum list"}) {
    const std::string text = probe.written(tool);
    for (const std::string_view line : base::lines(text)) table += row_of_names(line);
  }
  const std::string zypper = probe.written("zypper"), query = probe.written("dpkg-query");
  for (const std::string_view line : base::lines(zypper)) table += row_of_zypper(line);
  for (const std::string_view line : base::lines(query)) table += row_of_query(line);
  const std::string dpkg = probe.written("dpkg"), rpm = probe.written("rpm");
  for (const std::string_view line : base::lines(dpkg)) table += row_of_list(line);
  for (const std::string_view line : base::lines(rpm)) table += row_of_rpm(line);
  return table.empty() ? not_told : probe.found(table, "dpkg -l, rpm -qa");
}

Field<std::vector<model::PackageFacts>> packages_of(Probe& probe) {
  auto table = asked_of_dpkg(probe);
  if (!table.known() && table.reason() == AbsentReason::NotFound) table = asked_of_rpm(probe);
  if (!table.known()) {
    auto read = read_of_dpkg(probe);
    if (read.known()) table = std::move(read);
  }
  if (!table.known() || !base::contains(table.value(), "|")) table = written_packages(probe, table);
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

Field<bool> char_link_of(Probe& probe, std::int64_t major, std::int64_t minor) {
  const std::string link = fmt::format("/dev/char/{}:{}", major, minor);
  const auto target = probe.source().read_link(link);
  if (target) return probe.found(true, link, *target);
  if (target.error().kind == base::ErrorKind::NotFound) return probe.found(false, link, "is not there");
  return probe.absent<bool>(reason_of(target.error().kind), link, target.error().message);
}

model::DeviceNode node_of(Probe& probe, const std::string& path) {
  model::DeviceNode node;
  const auto status = probe.source().status_of(path);
  if (!status) {
    node.path = probe.found(path, path);
    node.mode = probe.absent<std::string>(reason_of(status.error().kind), path, status.error().message);
    node.owner = node.group = node.major = node.minor = Probe::as_absent<std::int64_t>(node.mode);
    node.char_link = Probe::as_absent<bool>(node.mode);
    return node;
  }
  node.path = probe.found(path, path, fmt::format("mode {:04o}", status->mode.value_or(0)));
  const std::int32_t place = node.path.provenance();
  const auto number = [place](const auto& value) {
    return value ? Field<std::int64_t>(static_cast<std::int64_t>(*value), place)
                 : Field<std::int64_t>(Absent{AbsentReason::NotFound}, place);
  };
  node.mode = status->mode ? Field<std::string>(fmt::format("{:04o}", *status->mode), place)
                           : Field<std::string>(Absent{AbsentReason::NotFound}, place);
  node.owner = number(status->uid);
  node.group = number(status->gid);
  const auto& device = status->device;
  node.major = number(device ? std::optional(device->major) : std::nullopt);
  node.minor = number(device ? std::optional(device->minor) : std::nullopt);
  node.char_link = device ? char_link_of(probe, device->major, device->minor)
                          : probe.absent<bool>(AbsentReason::Unsupported, path, "is no device");
  return node;
}

Field<std::vector<model::DeviceNode>> nodes_of(Probe& probe) {
  constexpr std::size_t kMostNodes = 64;
  const auto names = probe.names("/dev");
  if (!names.known()) return Probe::as_absent<std::vector<model::DeviceNode>>(names);
  std::vector<model::DeviceNode> nodes;
  for (const std::string& name : names.value()) {
    const bool folder = name == "nvidia-caps" || name == "nvidia-caps-imex-channels";
    if (name.starts_with("nvidia") && !folder && nodes.size() < kMostNodes)
      nodes.push_back(node_of(probe, "/dev/" + name));
  }
  return Probe::derived(std::move(nodes), names);
}

}  // namespace

void collect_packages(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  machine.driver.packages = packages_of(probe);
  machine.driver.device_nodes = nodes_of(probe);
}

}  // namespace gpuwright::facts
