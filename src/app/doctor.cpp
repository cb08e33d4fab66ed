// `gpuwright doctor`: any evidence in, root cause and what to do out.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/compare.h"
#include "app/doctor_slurm.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "app/recovered.h"
#include "app/severity.h"
#include "app/spec_doctor.h"
#include "app/spec_file.h"
#include "base/text.h"
#include "facts/collector.h"
#include "model/fact_tree.h"
#include "parse/recogniser.h"
#include "report/doctor_json.h"
#include "report/doctor_text.h"
#include "report/node_problem.h"
#include "rules/check.h"
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
  bool quick = false;
  std::string language = "en";
  std::string fail_on = "error";
  std::string data;
  std::string sysroot;
  std::string demo;
  std::string workload;
  std::string spec;
  std::string format = "text";
  std::string condition;
  SlurmOptions slurm;
  std::string since;
  std::string recovered;
};

/// What was looked at, and what the last line should suggest.
struct Look {
  host::Inputs inputs;
  std::string label;  ///< printed above the verdict
  bool live = false;  ///< this machine, not files
  bool no_gpu = false;
};

/// What came of it.
struct Examined {
  model::Diagnosis diagnosis;
  Look look;
  std::optional<model::Machine> facts;
  bool gpus_told = false;  ///< GPUs answered: through NVML, or in a text of nvidia-smi
};

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

/// What a quick look does not look at, for whoever takes its silence for health; `with_names` for programs.
std::string left_out(bool with_names) {
  std::vector<std::string> names;
  const auto quick = host::quick_evidence_list();
  for (const host::EvidenceItem& item : host::evidence_list()) {
    const bool read = std::any_of(quick.begin(), quick.end(), [&](const host::EvidenceItem& one) {
      return std::string_view(one.what) == item.what;
    });
    if (!read) names.emplace_back(item.what);
  }
  const auto checks = rules::all_checks();
  const auto slow =
      std::count_if(checks.begin(), checks.end(), [](const rules::Check& check) { return !check.quick; });
  return fmt::format("left out by --quick: {} of {} checks, {} kinds of evidence{}", slow, checks.size(),
                     names.size(), with_names ? ": " + base::join(names, ", ") : "");
}

base::Result<Look> look(const DoctorOptions& options, const catalog::Catalog& catalog,
                        const host::LiveLimits& limits, const Console& console) {
  if (!options.demo.empty()) return look_at_demo(options.demo, catalog);
  Look look;
  if (options.quick) {
    GPUWRIGHT_TRY(look.inputs, gather_quickly(options.sysroot, limits));
    look.inputs.could_not_look.push_back(left_out(options.json));
  } else {
    GPUWRIGHT_TRY(look.inputs, gather(options.paths, options.sysroot, console));
  }
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
std::optional<model::Machine> facts_of(host::Inputs& inputs, facts::Extent extent,
                                       const catalog::Catalog& catalog) {
  if (inputs.machines.empty()) return std::nullopt;
  if (inputs.machines.size() > 1) {
    inputs.could_not_look.push_back(
        fmt::format("facts of {} machines: name one at a time, their settings are not checked together",
                    inputs.machines.size()));
    return std::nullopt;
  }
  return facts::collect_machine(*inputs.machines.front(), catalog, extent);
}

/// That the kernel gives no answer to a file is evidence.
void add_unanswered(host::Inputs& inputs) {
  for (const auto& machine : inputs.machines) {
    std::string text = host::unanswered_text(*machine);
    if (text.empty()) continue;
    inputs.documents.push_back(
        host::Document{"files without answer", std::make_unique<base::MemoryStream>(std::move(text))});
  }
}

/// Facts that one silence kept from us.
struct TimedOut {
  std::string first;
  std::string why;
  std::string thing;  ///< "gpus[1]": two GPUs that hang are two lines
  std::size_t count = 1;
};

void note_timed_out(const model::Fact& fact, std::vector<TimedOut>& all) {
  const std::string thing = fact.path.substr(0, fact.path.find(']'));
  const auto known = std::find_if(all.begin(), all.end(), [&](const TimedOut& one) {
    return one.why == fact.place.text && one.thing == thing;
  });
  if (known == all.end()) {
    all.push_back({fact.path, fact.place.text, thing});
  } else {
    ++known->count;
  }
}

/// What this user was not allowed to see, in one line.
void tell_denied(const model::Machine& machine, model::Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 6;
  std::set<std::string> denied;
  std::vector<TimedOut> timed_out;
  for (const model::Fact& fact : model::flatten(machine)) {
    if (!fact.known && fact.reason == model::AbsentReason::TimedOut) note_timed_out(fact, timed_out);
    if (!fact.known && fact.reason == model::AbsentReason::Denied) denied.insert(fact.place.input);
  }
  for (const TimedOut& one : timed_out) {
    const std::string more = one.count == 1 ? "" : fmt::format(" and {} more", one.count - 1);
    diagnosis.could_not_look.push_back(fmt::format("{}{}: {}", one.first, more, one.why));
  }
  if (denied.empty()) return;
  std::vector<std::string> shown(denied.begin(), denied.end());
  const std::size_t more = shown.size() > kShown ? shown.size() - kShown : 0;
  shown.resize(std::min(shown.size(), kShown));
  diagnosis.could_not_look.push_back(fmt::format("denied, root sees it: {}{}", base::join(shown, ", "),
                                                 more == 0 ? "" : fmt::format(" and {} more", more)));
}

/// Processes of ours that cannot be ended.
void tell_left_behind(const host::Inputs& inputs, model::Diagnosis& diagnosis) {
  for (const auto& machine : inputs.machines) {
    for (model::LeftBehind& process : machine->left_behind())
      diagnosis.left_behind.push_back(std::move(process));
  }
}

/// Checks that could not look, one line each.
void tell_blind_checks(model::Diagnosis& diagnosis) {
  for (const model::Verdict& verdict : diagnosis.checks) {
    if (verdict.outcome != model::Outcome::Unknown || verdict.missing.empty()) continue;
    diagnosis.could_not_look.push_back(verdict.check + ": " + verdict.missing.front().place.text);
  }
}

/// The spec that was named; nothing when none was.
base::Result<std::optional<model::Spec>> spec_of(const DoctorOptions& options,
                                                 const catalog::Catalog& catalog) {
  if (options.spec.empty()) return std::optional<model::Spec>();
  GPUWRIGHT_TRY(auto spec, load_spec(options.spec, catalog));
  return std::optional<model::Spec>(std::move(spec));
}

base::Error no_machine(const DoctorOptions& options) {
  return base::make_error(
      base::ErrorKind::Unsupported,
      "a spec is compared with one machine: this one, --sysroot DIR, or a bundle of capture",
      base::printable(options.spec));
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

base::Result<Examined> examine(const DoctorOptions& options, const catalog::Catalog& catalog,
                               const host::LiveLimits& limits, const Console& console) {
  Examined examined;
  GPUWRIGHT_TRY(const auto spec, spec_of(options, catalog));
  GPUWRIGHT_TRY(examined.look, look(options, catalog, limits, console));
  host::Inputs& inputs = examined.look.inputs;
  const facts::Extent extent = options.quick ? facts::Extent::Quick : facts::Extent::All;
  examined.facts = facts_of(inputs, extent, catalog);
  const std::optional<model::Machine>& facts = examined.facts;
  if (spec && !facts) return no_machine(options);
  add_unanswered(inputs);
  GPUWRIGHT_TRY(model::Observations observations, recognise(inputs, options, catalog, console));
  GPUWRIGHT_TRY(const auto recovered, parse_recovered(options.recovered));
  drop_recovered(recovered, observations);
  examined.gpus_told = !observations.gpus.empty();  // a simulated driver holds GPUs that no bus shows
  rules::Background background;
  background.machine = facts ? &*facts : nullptr;
  background.today_s = ::time(nullptr);
  background.workload = options.workload;
  if (background.workload.empty() && spec) background.workload = spec->text("workload.class").value_or("");
  background.quick = options.quick;
  examined.diagnosis = rules::diagnose(std::move(observations), catalog, background);
  model::Diagnosis& diagnosis = examined.diagnosis;
  if (examined.look.no_gpu && !examined.gpus_told)
    diagnosis.could_not_look.emplace_back("GPUs: there is no NVIDIA GPU on this machine");
  for (const std::string& reason : inputs.could_not_look) diagnosis.could_not_look.push_back(reason);
  if (facts) tell_denied(*facts, diagnosis);
  if (options.quick) tell_blind_checks(diagnosis);
  if (spec) add_spec(*spec, *facts, catalog, diagnosis);
  tell_left_behind(inputs, diagnosis);
  GPUWRIGHT_TRY([[maybe_unused]] auto added, add_changes(options, facts, catalog, diagnosis));
  return examined;
}

/// What must have been seen before a node is called healthy, and was not; empty: nothing is missing.
std::string not_seen(const Examined& examined) {
  std::vector<std::string> missing;
  if (!examined.gpus_told) missing.emplace_back("no GPU answered");
  if (!examined.look.inputs.kernel_log_seen) missing.emplace_back("the kernel log was not read");
  return base::join(missing, ", ");
}

int answer_slurm_with(const DoctorOptions& options, const catalog::Catalog& catalog, const Examined& examined,
                      const Console& console) {
  const auto look_of = [](const Examined& one) {
    return SlurmLook{one.diagnosis, not_seen(one).empty(), one.look.inputs.kernel_log_whole};
  };
  const auto look_again = [&]() -> base::Result<SlurmLook> {
    host::LiveLimits patient;
    patient.nvml.call = std::chrono::seconds(10);
    patient.nvml.gpu = std::chrono::seconds(12);
    GPUWRIGHT_TRY(const Examined again, examine(options, catalog, patient, console));
    return look_of(again);
  };
  for (const std::string& reason : examined.diagnosis.could_not_look)
    console.talk("gpuwright: not seen: " + reason);
  return answer_slurm(options.slurm, look_of(examined), look_again, catalog, console);
}

int answer_node_problem(const DoctorOptions& options, const catalog::Catalog& catalog,
                        const Examined& examined, const Console& console) {
  const auto conditions =
      report::node_conditions(examined.diagnosis, catalog, severity_of(options.fail_on), not_seen(examined));
  const report::PluginAnswer answer = report::plugin_answer(conditions, options.condition);
  console.print(options.json ? report::render_conditions_json(conditions) : answer.line + "\n");
  return answer.exit_code;
}

int exit_code(const model::Diagnosis& diagnosis, const DoctorOptions& options) {
  const bool found =
      !diagnosis.findings.empty() && diagnosis.findings.front().severity >= severity_of(options.fail_on);
  if (found) return kFindings;
  return diagnosis.spec && diagnosis.spec->unknown > 0 ? kCouldNotLook : kFine;
}

host::LiveLimits quick_limits() {
  host::LiveLimits limits;
  limits.kernel_log = std::size_t{1} << 20;
  return limits;
}

std::optional<base::Error> wrong_options(const DoctorOptions& options) {
  const SlurmOptions& slurm = options.slurm;
  const auto refuse = [](const char* what, const char* where) {
    return base::make_error(base::ErrorKind::Unsupported, what, where);
  };
  const bool other = !options.paths.empty() || !options.demo.empty();
  if (options.quick && other) return refuse("looks at this machine: name no PATH and no --demo", "--quick");
  if ((slurm.drain || slurm.undrain || slurm.dry_run) && !slurm.slurm)
    return refuse("belong to --slurm", "--drain, --undrain, --dry-run");
  if ((slurm.drain || slurm.undrain) && (other || !options.sysroot.empty()))
    return refuse("act on this machine alone: name no PATH, --demo or --sysroot", "--drain, --undrain");
  if (slurm.slurm && (options.json || options.format != "text"))
    return refuse("prints the reason alone: no --json, no --format", "--slurm");
  const auto types = report::condition_types();
  if (!options.condition.empty() && std::find(types.begin(), types.end(), options.condition) == types.end())
    return base::make_error(base::ErrorKind::NotFound, "one of " + base::join(types, ", "), "--condition");
  return std::nullopt;
}

void print_report(const DoctorOptions& options, const catalog::Catalog& catalog, const Examined& examined,
                  const Console& console) {
  const model::Diagnosis& diagnosis = examined.diagnosis;
  const catalog::Language language = language_of(options.language);
  if (options.json) {
    console.print(as_json(diagnosis, examined.facts, options, catalog));
  } else if (options.quiet) {
    console.print(report::verdict_line(diagnosis, catalog, language) + "\n");
  } else if (options.quick) {
    console.print(report::quick_line(diagnosis, catalog, language) + "\n");
  } else {
    report::TextOptions text;
    text.language = language;
    text.color = console.color;
    text.width = console.width;
    text.label = examined.look.label;
    text.next_command = next_command(diagnosis, examined.look);
    text.all_checks = options.checks;
    console.print(report::render_doctor_text(diagnosis, catalog, text));
  }
}

std::optional<int> parse_options(const std::vector<std::string>& arguments, const Console& console,
                                 DoctorOptions& options) {
  CommandLine line("doctor", "Find what is wrong, why, and what to do.");
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
  line.option("-f,--spec", options.spec, "FILE", "also tell what differs from this spec (gpuwright.yaml)");
  line.option("--demo", options.demo, "NAME", "show an embedded case: gpu-lost, nvlink-peer, nccl-shm ...");
  line.flag("--quick", options.quick,
            "look at this machine for milliseconds, one line out; it says what it left out");
  line.choice(
      "--format", options.format, {"text", "node-problem"},
      "node-problem: one line and exit code of a node-problem-detector plugin, or with --json conditions");
  line.option("--condition", options.condition, "TYPE", "with --format node-problem: this condition alone");
  line.option("--recovered", options.recovered, "GPU=SECONDS",
              "this GPU was reset so long after boot: what its log said before is over");
  add_slurm_options(line, options.slurm);
  line.example("gpuwright doctor", "this machine");
  line.example("gpuwright doctor /var/log/kern.log error.txt", "files, whatever they are");
  line.example("dmesg -T | gpuwright doctor -", "standard input");
  line.example("gpuwright doctor -f gpuwright.yaml", "this machine, beside what it should be");
  line.example("gpuwright doctor nvidia-bug-report.log.gz --json", "a bug report, for a program");
  line.example("gpuwright doctor --compare n1.tar.gz n2.tar.gz n3.tar.gz", "the odd one out");
  line.example("gpuwright doctor --since last-week.tar.gz", "what changed before it broke");
  return line.parse(arguments, console);
}

}  // namespace

int run_doctor(const std::vector<std::string>& arguments, const Console& console) {
  DoctorOptions options;
  if (const std::optional<int> code = parse_options(arguments, console, options)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(options.data);
  if (!catalog) return console.usage_error(catalog.error());
  if (const auto wrong = wrong_options(options)) return console.usage_error(*wrong);
  if (options.compare) {
    return compare_machines(
        {options.paths, options.sysroot, language_of(options.language), options.json, options.quiet},
        *catalog, console);
  }
  const host::LiveLimits limits = options.quick ? quick_limits() : host::LiveLimits();
  base::Result<Examined> examined = examine(options, *catalog, limits, console);
  if (!examined) return console.usage_error(examined.error());
  if (options.slurm.slurm) return answer_slurm_with(options, *catalog, *examined, console);
  if (options.format == "node-problem") return answer_node_problem(options, *catalog, *examined, console);
  print_report(options, *catalog, *examined, console);
  return exit_code(examined->diagnosis, options);
}

}  // namespace gpuwright::app
