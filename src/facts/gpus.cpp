// GPUs as the driver tells of them through NVML, with their NVLinks. The answers are a text that the parser
// of the evidence reads too, so that facts and findings never disagree. Source: NVML API reference.
// SPDX-License-Identifier: Apache-2.0
#include "base/stream.h"
#include "facts/collector.h"
#include "parse/recogniser.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::facts {

namespace {

const char* word_of(model::LinkCondition condition) {
  switch (condition) {
    case model::LinkCondition::Up:
      return "up";
    case model::LinkCondition::Down:
      return "down";
    case model::LinkCondition::Disabled:
      return "disabled";
    case model::LinkCondition::NotSupported:
      return "not supported";
    case model::LinkCondition::Unknown:
      break;
  }
  return "unknown";
}

model::NvlinkFacts link_of(Probe& probe, const model::LinkState& state) {
  const auto place = probe.note(state.evidence.input, state.evidence.text);
  const auto counter = [&](const char* name) {
    const auto at = state.errors.find(name);
    return at == state.errors.end() ? Field<std::int64_t>(Absent{AbsentReason::NotFound}, place)
                                    : Field<std::int64_t>(at->second, place);
  };
  model::NvlinkFacts link;
  link.number = Field<std::int64_t>(state.number, place);
  link.state = state.condition == model::LinkCondition::Unknown
                   ? Field<std::string>(Absent{AbsentReason::Malformed}, place)
                   : Field<std::string>(word_of(state.condition), place);
  link.remote = state.remote.empty() ? Field<std::string>(Absent{AbsentReason::NotFound}, place)
                                     : Field<std::string>(state.remote, place);
  link.replay = counter("replay");
  link.recovery = counter("recovery");
  link.crc = counter("crc");
  return link;
}

/// The links of the GPU with that index. A GPU without any has an empty list.
Field<std::vector<model::NvlinkFacts>> links_of(Probe& probe, const model::GpuReport& gpu,
                                                const std::vector<model::GpuLinkReport>& reports) {
  const bool none = !gpu.link_count.known() && gpu.link_count.reason() == AbsentReason::Unsupported;
  if (!gpu.link_count.known() && !none) return {Absent{gpu.link_count.reason()}, gpu.link_count.provenance()};
  std::vector<model::NvlinkFacts> links;
  for (const model::GpuLinkReport& report : reports) {
    if (!(report.index == gpu.index)) continue;
    for (const model::LinkState& state : report.links) links.push_back(link_of(probe, state));
  }
  return Field<std::vector<model::NvlinkFacts>>(std::move(links), gpu.link_count.provenance());
}

/// A list that was asked for: `count` says whether it was told. A board that does not have such things has
/// none.
template <class T>
Field<std::vector<T>> list_of(std::vector<T> list, const Field<std::int64_t>& count) {
  const bool has_none = !count.known() && count.reason() == AbsentReason::Unsupported;
  if (count.known() || has_none) return {std::move(list), count.provenance()};
  return {Absent{count.reason()}, count.provenance()};
}

/// After an answer that did not come, or a GPU that is lost, nothing more was asked of it.
const model::UnreadableCell* where_it_ended(const model::GpuReport& report) {
  for (const model::UnreadableCell& cell : report.unreadable) {
    for (const char* end : {"no answer after", "ended the process", "GPU is lost"})
      if (base::contains(cell.text, end)) return &cell;
  }
  return nullptr;
}

/// What NVML has no answer for, or is not asked for, says so.
void explain_absences(model::GpuReport& report, const std::string& input) {
  const model::UnreadableCell* end = where_it_ended(report);
  const AbsentReason reason = end == nullptr                                 ? AbsentReason::Unsupported
                              : base::contains(end->text, "no answer after") ? AbsentReason::TimedOut
                                                                             : AbsentReason::Malformed;
  model::Evidence silent;
  silent.input = input;
  silent.text = end == nullptr ? input + " said nothing of this"
                               : fmt::format("not asked after {}: {}", end->field, end->text);
  report.lines.push_back(silent);
  const auto place = static_cast<std::int32_t>(report.lines.size());
  model::GpuReport::each_field(report, [place, reason](const char* /*name*/, auto& field) {
    if constexpr (requires { field.provenance(); }) {
      if (!field.known() && field.provenance() == 0) field = {Absent{reason}, place};
    }
  });
}

/// nvidia-smi prints the same GPUs in several forms. The fullest is kept; `-L` adds what MIG devices there
/// are, for it always tells all of them.
void keep_fullest(std::vector<model::GpuReport>& reports) {
  const auto rank = [](const model::GpuReport& report) {
    return report.format == "nvidia-smi-q" || report.format == "nvidia-smi-xml" ? 0
           : report.format == "nvidia-smi-table"                                ? 1
                                                                                : 2;
  };
  std::vector<model::GpuReport> listed, kept;
  int best = 2;
  for (const model::GpuReport& report : reports) best = std::min(best, rank(report));
  for (model::GpuReport& report : reports) {
    const auto same = [&report](const model::GpuReport& other) {
      return (report.pci.known() && report.pci == other.pci) ||
             (!report.pci.known() && report.index == other.index);
    };
    if (report.format == "nvidia-smi-list") listed.push_back(report);
    if (rank(report) == best && std::none_of(kept.begin(), kept.end(), same))
      kept.push_back(std::move(report));
  }
  for (std::size_t at = 0; at < kept.size() && at < listed.size(); ++at) {  // both in the order of the driver
    kept[at].mig = listed[at].mig;
    if (!kept[at].uuid.known()) kept[at].uuid = listed[at].uuid;
    kept[at].mig_count =
        Field<std::int64_t>(static_cast<std::int64_t>(listed[at].mig.size()), kept[at].index.provenance());
  }
  reports = std::move(kept);
}

}  // namespace

void collect_gpus(Probe& probe, const catalog::Catalog& catalog, model::Machine& machine) {
  auto answers = probe.source().gpu_answers();
  const std::string written = answers ? std::string() : probe.written("nvidia-smi");
  const std::string input = written.empty() ? "NVML" : "nvidia-smi";
  if (!written.empty()) answers = written;
  if (!answers) {
    machine.gpus = probe.absent<std::vector<model::GpuFacts>>(reason_of(answers.error().kind), "NVML",
                                                              answers.error().message);
    machine.simulated = Probe::as_absent<bool>(machine.gpus);
    return;
  }
  const bool simulated = base::contains(answers->substr(0, 400), "\nsimulated: ");
  machine.simulated = probe.found(simulated, simulated ? "NVML (simulated)" : input);
  parse::Recogniser recogniser(catalog);
  base::MemoryStream stream(std::move(*answers));
  const std::int32_t place = probe.note(input, "");
  if (const base::Status status = recogniser.add(input, stream); !status) {
    machine.gpus =
        probe.absent<std::vector<model::GpuFacts>>(AbsentReason::Malformed, input, status.error().message);
    return;
  }
  model::Observations seen = recogniser.finish();
  if (!written.empty()) keep_fullest(seen.gpus);
  std::vector<model::GpuFacts> gpus;
  for (model::GpuReport& report : seen.gpus) {
    model::GpuFacts facts;
    facts.nvlinks = links_of(probe, report, seen.gpu_links);
    facts.processes = list_of(std::move(report.processes), report.process_count);
    facts.mig = list_of(std::move(report.mig), report.mig_count);
    facts.report = std::move(report);
    explain_absences(facts.report, input);
    gpus.push_back(std::move(facts));
  }
  machine.gpus = Field<std::vector<model::GpuFacts>>(std::move(gpus), place);
}

}  // namespace gpuwright::facts
