// Slurm on this node: what its files promise and what the controller thinks. Source: slurm.conf(5),
// gres.conf(5), cgroup.conf(5), scontrol(1).
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "facts/collector.h"

#include <array>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

/// The folder of slurm.conf: packages use /etc/slurm, some sites /etc/slurm-llnl or their own prefix.
std::string folder_of(Probe& probe) {
  for (const char* folder :
       {"/etc/slurm", "/etc/slurm-llnl", "/usr/local/etc", "/opt/slurm/etc", "/run/slurm/conf"}) {
    if (probe.exists(std::string(folder) + "/slurm.conf")) return std::string(folder) + "/";
  }
  return "/etc/slurm/";
}

/// Lines that are no comment.
List lines_of(const std::string& text) {
  List list;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line.substr(0, line.find('#')));
    if (!trimmed.empty() && list.size() < 200) list.push_back(base::printable(trimmed, 300));
  }
  return list;
}

/// "Key=Value" among the words of a line, the key in any case.
std::optional<std::string> word_value(std::string_view line, std::string_view key) {
  for (const std::string_view word : base::words(line)) {
    if (word.size() > key.size() && word[key.size()] == '=' && base::starts_with_ignoring_case(word, key))
      return base::printable(word.substr(key.size() + 1), 300);
  }
  return std::nullopt;
}

/// A setting that stands on a line of its own.
Field<std::string> setting(Probe& probe, const Field<std::string>& text, const std::string& path,
                           std::string_view key) {
  if (!text.known()) return text;
  for (const std::string& line : lines_of(text.value())) {
    if (!base::starts_with_ignoring_case(line, key)) continue;
    const std::string_view rest = base::trim(std::string_view(line).substr(key.size()));
    if (rest.starts_with('=')) return probe.found(std::string(base::trim(rest.substr(1))), path, line);
  }
  return probe.absent<std::string>(AbsentReason::NotFound, path, "has no " + std::string(key));
}

void collect_gres(Probe& probe, const std::string& folder, model::SlurmFacts& slurm) {
  const auto text = probe.text(folder + "gres.conf");
  slurm.gres_lines =
      Probe::read_as<List>(text, [](const std::string& content) { return std::optional(lines_of(content)); });
  slurm.gres_files = Probe::read_as<List>(slurm.gres_lines, [](const List& lines) {
    List files;
    for (const std::string& line : lines) {
      if (const auto file = word_value(line, "File")) files.push_back(*file);
    }
    return std::optional(files);
  });
}

/// "NodeName=n1 ... State=IDLE+DRAIN ... Gres=gpu:h100:8 ... Reason=... [root@...]" of `scontrol show node`.
void collect_node(Probe& probe, model::SlurmFacts& slurm) {
  const auto shown = probe.said({"scontrol", "show", "node", host::kThisHost, "--oneliner"});
  const auto word = [&](std::string_view key) {
    return Probe::read_as<std::string>(shown,
                                       [key](const std::string& line) { return word_value(line, key); });
  };
  slurm.node_name = word("NodeName");
  slurm.state = word("State");
  slurm.gres = word("Gres");
  slurm.reason =
      Probe::read_as<std::string>(shown, [](const std::string& line) -> std::optional<std::string> {
        const std::size_t at = line.find(" Reason=");
        return at == std::string::npos
                   ? ""
                   : base::printable(base::trim(std::string_view(line).substr(at + 8)), 300);
      });
}

}  // namespace

void collect_slurm(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  model::SlurmFacts& slurm = machine.slurm;
  const std::string folder = folder_of(probe);
  const auto configuration = probe.text(folder + "slurm.conf", Probe::kLarge);
  slurm.select_type = setting(probe, configuration, folder + "slurm.conf", "SelectType");
  slurm.proctrack_type = setting(probe, configuration, folder + "slurm.conf", "ProctrackType");
  slurm.health_check_program = setting(probe, configuration, folder + "slurm.conf", "HealthCheckProgram");
  const auto cgroup = probe.text(folder + "cgroup.conf");
  slurm.cgroup_options = Probe::read_as<List>(
      cgroup, [](const std::string& content) { return std::optional(lines_of(content)); });
  slurm.constrain_devices = Probe::read_as<bool>(
      setting(probe, cgroup, folder + "cgroup.conf", "ConstrainDevices"),
      [](const std::string& word) { return std::optional(base::equals_ignoring_case(word, "yes")); });
  collect_gres(probe, folder, slurm);
  if (!configuration.known() && probe.source().live()) {  // no Slurm here: nobody to ask
    for (auto* fact : {&slurm.version, &slurm.node_name, &slurm.state, &slurm.reason, &slurm.gres})
      *fact = Probe::as_absent<std::string>(configuration);
    return;
  }
  slurm.version =
      Probe::read_as<std::string>(probe.said({"scontrol", "--version"}), [](const std::string& text) {
        const auto parts = base::words(text);
        return parts.size() < 2 ? std::nullopt : std::optional(base::printable(parts[1], 40));
      });
  collect_node(probe, slurm);
}

}  // namespace gpuwright::facts
