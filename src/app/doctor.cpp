// `gpuwright doctor`: any evidence in, root cause and what to do out.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/compare.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "base/text.h"
#include "facts/collector.h"
#include "model/fact_tree.h"
#include "parse/recogniser.h"
#include "report/doctor_json.h"
#include "report/doctor_text.h"
#include "rules/diagnose.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>

namespace gpuwright::app {

namespace {

struct DoctorOptions {
  std::vector<std::string> paths;
  bool json = false;
  bool quiet = false;
  bool checks = false;
  bool facts = false;
  bool compare = false;
  std::string language = "en";
  std::string fail_on = "error";
  std::string data;
  std::string sysroot;
  std::string demo;
  std::string workload;
  std::string since;
};

/// What was looked at, and what the last line should suggest.
struct Look {
  host::Inputs inputs;
  std::string label;  ///< printed above the verdict
  bool live = false;  ///< this machine, not files
  bool no_gpu = false;
};

model::Severity threshold(const std::string& word) {
  if (word == "info") return model::Severity::Info;
  if (word == "warning") return model::Severity::Warning;
  return word == "critical" ? model::Severity::Critical : model::Severity::Error;
}

base::Result<Look> look_at_demo(const std::string& name, const catalog::Catalog& catalog) {
  Look look;
  std::vector<std::string> names;
  for (const catalog::DemoRow& demo : catalog.demos()) {
    names.push_back(demo.name);
    if (demo.name != name) continue;
    look.inputs.documents.push_back(
        host::Document{"demo:" + name, std::make_unique<base::MemoryStream>(demo.text)});
    look.label = "demonstration: " + demo.title.en + " (no machine wrote these lines)";
  }
  if (!look.inputs.documents.empty()) return look;
  return base::make_error(
      base::ErrorKind::NotFound,
      fmt::format("no demo '{}'; there are: {}", base::printable(name, 60), base::join(names, ", ")));
}

base::Result<Look> look(const DoctorOptions& options, const catalog::Catalog& catalog,
                        const Console& console) {
  if (!options.demo.empty()) return look_at_demo(options.demo, catalog);
  Look look;
  GPUWRIGHT_TRY(look.inputs, gather(options.paths, options.sysroot, console));
  look.live = options.paths.empty() && options.sysroot.empty();
  if (look.live) {
    const base::Result<std::int64_t> gpus = host::count_nvidia_gpus(*look.inputs.machines.front());
    look.no_gpu = gpus && *gpus == 0;
  }
  return look;
}

/// What to try next: every verdict ends with a command.
std::string next_command(const model::Diagnosis& diagnosis, const Look& look) {
  const bool recognised = std::any_of(diagnosis.inputs.begin(), diagnosis.inputs.end(),
                                      [](const model::RecognisedInput& input) { return input.events > 0; });
  if (look.no_gpu && diagnosis.findings.empty()) {
    return "gpuwright doctor FILE (a log from another machine), or gpuwright doctor --demo gpu-lost";
  }
  if (!diagnosis.findings.empty() && look.live) return "gpuwright capture (packs this evidence for others)";
  if (!diagnosis.findings.empty()) return "gpuwright explain " + diagnosis.findings.front().cause;
  if (!recognised) return "gpuwright doctor --help (what it reads), or gpuwright explain \"the message\"";
  return {};
}

/// Reads every document. One that was named and gives nothing is an error; a member that gives nothing is
/// told.
base::Result<model::Observations> recognise(host::Inputs& inputs, const DoctorOptions& options,
                                            const catalog::Catalog& catalog, const Console& console) {
  parse::Recogniser recogniser(catalog);
  ProgressLine progress(console);
  constexpr std::size_t kShowEvery = 32 << 20;
  std::size_t shown_at = 0;
  for (host::Document& document : inputs.documents) {
    const auto show = [&](std::size_t bytes) {
      if (bytes < shown_at + kShowEvery) return;
      shown_at = bytes;
      progress.show(fmt::format("reading {}: {} MB", document.name, bytes / 1'000'000));
    };
    shown_at = 0;
    const base::Status status = recogniser.add(document.name, *document.content, show);
    document.content.reset();
    if (status) continue;
    const bool named =
        std::find(options.paths.begin(), options.paths.end(), document.name) != options.paths.end();
    if (named) return base::make_error(status.error().kind, status.error().message, document.name);
    inputs.could_not_look.push_back(base::printable(document.name + ": " + status.error().message));
  }
  return recogniser.finish();
}

/// The facts of the machine that was looked at. Two machines are compared, not mixed.
std::optional<model::Machine> facts_of(host::Inputs& inputs, const catalog::Catalog& catalog) {
  if (inputs.machines.empty()) return std::nullopt;
  if (inputs.machines.size() > 1) {
    inputs.could_not_look.push_back(
        fmt::format("facts of {} machines: name one at a time, their settings are not checked together",
                    inputs.machines.size()));
    return std::nullopt;
  }
  return facts::collect_machine(*inputs.machines.front(), catalog);
}

/// What this user was not allowed to see, in one line.
void tell_denied(const model::Machine& machine, model::Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 6;
  std::set<std::string> denied;
  for (const model::Fact& fact : model::flatten(machine)) {
    const bool timed_out = !fact.known && fact.reason == model::AbsentReason::TimedOut;
    if (timed_out) diagnosis.could_not_look.push_back(fact.path + ": " + fact.place.text);
    if (!fact.known && fact.reason == model::AbsentReason::Denied) denied.insert(fact.place.input);
  }
  if (denied.empty()) return;
  std::vector<std::string> shown(denied.begin(), denied.end());
  const std::size_t more = shown.size() > kShown ? shown.size() - kShown : 0;
  shown.resize(std::min(shown.size(), kShown));
  diagnosis.could_not_look.push_back(fmt::format("denied, root sees it: {}{}", base::join(shown, ", "),
                                                 more == 0 ? "" : fmt::format(" and {} more", more)));
}

int exit_code(const model::Diagnosis& diagnosis, const DoctorOptions& options) {
  const bool found =
      !diagnosis.findings.empty() && diagnosis.findings.front().severity >= threshold(options.fail_on);
  return found ? kFindings : kFine;
}

void add_options(CommandLine& line, DoctorOptions& options) {
  line.positionals("PATH", options.paths,
                   "files, folders, bundles or bug reports to look at; - is standard input");
  line.flag("--json", options.json, "print JSON (docs/schema/doctor.schema.json)");
  line.flag("-q,--quiet", options.quiet, "print the verdict alone");
  line.flag("--checks", options.checks, "list every check of the machine with its answer");
  line.flag("--facts", options.facts, "add the machine's facts to the JSON");
  line.flag("--compare", options.compare,
            "which of the machines at PATH..., or which GPU of one, differs from its peers");
  line.option("--since", options.since, "PATH", "what changed since that bundle, the guiltiest first");
  line.choice("--lang", options.language, {"en", "zh"}, "language of the text");
  line.choice("--fail-on", options.fail_on, {"info", "warning", "error", "critical"},
              "lowest severity that makes the exit code 1");
  line.option("--data", options.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.option("--sysroot", options.sysroot, "DIR", "look at the files of the disk mounted at DIR");
  line.choice("--workload", options.workload, {"training", "inference", "hpc", "shared-workstation"},
              "what the machine is for: also judge what that asks of host, network and storage");
  line.option("--demo", options.demo, "NAME", "show an embedded case: gpu-lost, nvlink-peer, nccl-shm ...");
  line.example("gpuwright doctor", "this machine");
  line.example("gpuwright doctor /var/log/kern.log error.txt", "files, whatever they are");
  line.example("dmesg -T | gpuwright doctor -", "standard input");
  line.example("gpuwright doctor nvidia-bug-report.log.gz --json", "a bug report, for a program");
  line.example("gpuwright doctor --compare n1.tar.gz n2.tar.gz n3.tar.gz", "the odd one out");
  line.example("gpuwright doctor --since last-week.tar.gz", "what changed before it broke");
}

/// Adds what changed since the bundle, where one was named.
base::Status add_changes(const DoctorOptions& options, const std::optional<model::Machine>& facts,
                         const catalog::Catalog& catalog, model::Diagnosis& diagnosis) {
  if (options.since.empty()) return base::Done{};
  if (!facts) {
    return base::make_error(base::ErrorKind::Malformed,
                            "--since compares one machine: name a bundle, a fixture or a root folder");
  }
  GPUWRIGHT_TRY(diagnosis.changes, changes_since(options.since, *facts, diagnosis, catalog));
  return base::Done{};
}

/// The diagnosis as JSON, with the facts where they were asked for.
std::string as_json(const model::Diagnosis& diagnosis, const std::optional<model::Machine>& facts,
                    const DoctorOptions& options, const catalog::Catalog& catalog) {
  std::optional<model::FactNode> tree;
  if (options.facts && facts) tree = model::fact_tree(*facts);
  return report::render_doctor_json(diagnosis, catalog, language_of(options.language),
                                    tree ? &*tree : nullptr);
}

}  // namespace

int run_doctor(const std::vector<std::string>& arguments, const Console& console) {
  DoctorOptions options;
  CommandLine line("doctor", "Find what is wrong, why, and what to do.");
  add_options(line, options);
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(options.data);
  if (!catalog) return console.usage_error(catalog.error());
  if (options.compare) {
    return compare_machines(
        {options.paths, options.sysroot, language_of(options.language), options.json, options.quiet},
        *catalog, console);
  }
  base::Result<Look> looked = look(options, *catalog, console);
  if (!looked) return console.usage_error(looked.error());
  base::Result<model::Observations> observations = recognise(looked->inputs, options, *catalog, console);
  if (!observations) return console.usage_error(observations.error());
  const bool gpus_told = !observations->gpus.empty();  // a simulated driver holds GPUs that no bus shows
  const std::optional<model::Machine> facts = facts_of(looked->inputs, *catalog);
  rules::Background background;
  background.machine = facts ? &*facts : nullptr;
  background.today_s = ::time(nullptr);
  background.workload = options.workload;
  model::Diagnosis diagnosis = rules::diagnose(std::move(*observations), *catalog, background);
  if (looked->no_gpu && !gpus_told)
    diagnosis.could_not_look.emplace_back("GPUs: there is no NVIDIA GPU on this machine");
  for (std::string& reason : looked->inputs.could_not_look) {
    diagnosis.could_not_look.push_back(std::move(reason));
  }
  if (facts) tell_denied(*facts, diagnosis);
  if (const base::Status added = add_changes(options, facts, *catalog, diagnosis); !added)
    return console.usage_error(added.error());
  const catalog::Language language = language_of(options.language);
  if (options.json) {
    console.print(as_json(diagnosis, facts, options, *catalog));
  } else if (options.quiet) {
    console.print(report::verdict_line(diagnosis, *catalog, language) + "\n");
  } else {
    report::TextOptions text;
    text.language = language;
    text.color = console.color;
    text.width = console.width;
    text.label = looked->label;
    text.next_command = next_command(diagnosis, *looked);
    text.all_checks = options.checks;
    console.print(report::render_doctor_text(diagnosis, *catalog, text));
  }
  return exit_code(diagnosis, options);
}

}  // namespace gpuwright::app
