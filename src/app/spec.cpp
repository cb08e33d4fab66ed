// `gpuwright spec`: write, check and compare what a machine should be.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "app/spec_file.h"
#include "base/files.h"
#include "base/text.h"
#include "catalog/spec_key.h"
#include "facts/collector.h"
#include "report/spec_docs.h"
#include "report/spec_text.h"
#include "report/spec_words.h"
#include "report/spec_yaml.h"
#include "rules/spec_diff.h"
#include "rules/spec_machine.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace gpuwright::app {

namespace {

using Arguments = std::vector<std::string>;

/// What all of the subcommands take.
struct Common {
  bool json = false;
  bool quiet = false;
  std::string language = "en";
  std::string data;

  void add_to(CommandLine& line, bool with_json) {
    if (with_json) line.flag("--json", json, "print JSON");
    line.choice("--lang", language, {"en", "zh"}, "language of the text");
    line.option("--data", data, "DIR", "use the knowledge in DIR instead of the embedded one");
  }
  catalog::Language in() const { return language_of(language); }
};

base::Error usage(const std::string& message) {
  return base::make_error(base::ErrorKind::Malformed, message);
}

// ---- check ----

int check_file(const std::string& path, const catalog::Catalog& catalog, const Common& common,
               const Console& console) {
  const base::Result<parse::SpecReading> reading = read_spec_file(path, catalog);
  if (!reading) return console.usage_error(reading.error());
  const auto& problems = reading.value().problems;
  const std::int64_t more = reading.value().more_problems;
  if (common.json) {
    console.print(report::spec_problems_json(path, problems, more, common.in()));
  } else if (!problems.empty()) {
    console.talk(std::string(
        base::trim(report::spec_problems_text(base::printable(path), problems, more, common.in()))));
  } else if (!common.quiet) {
    const std::string name = base::printable(path);
    const std::size_t values = reading.value().spec.entries.size();
    console.print(common.language == "zh" ? fmt::format("{}：是有效的 spec（{} 个值）\n", name, values)
                                          : fmt::format("{}: a valid spec ({} values)\n", name, values));
  }
  return problems.empty() ? kFine : kUsage;
}

int run_check(const Arguments& arguments, const Console& console) {
  Common common;
  Arguments paths;
  CommandLine line("spec check", "Say whether a spec is right, and if not, where.");
  line.positionals("FILE", paths, "the spec, gpuwright.yaml where none is named; - is standard input");
  line.flag("-q,--quiet", common.quiet, "say nothing of a spec that is right");
  common.add_to(line, true);
  line.example("gpuwright spec check gpuwright.yaml", "exit code 0 or, with every fault told, 2");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  if (paths.empty()) paths.emplace_back("gpuwright.yaml");
  if (common.json && paths.size() > 1) return console.usage_error(usage("--json takes one spec"));
  const base::Result<catalog::Catalog> catalog = load_catalog(common.data);
  if (!catalog) return console.usage_error(catalog.error());
  int worst = kFine;
  for (const std::string& path : paths) worst = std::max(worst, check_file(path, *catalog, common, console));
  return worst;
}

// ---- diff ----

int run_diff(const Arguments& arguments, const Console& console) {
  Common common;
  Arguments paths;
  CommandLine line("spec diff", "Say what two specs ask for differently.");
  line.positionals("FILE", paths, "two specs");
  common.add_to(line, true);
  line.example("gpuwright spec diff old.yaml new.yaml", "exit code 0 where they say the same, else 1");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  if (paths.size() != 2) return console.usage_error(usage("spec diff takes two files (try --help)"));
  const base::Result<catalog::Catalog> catalog = load_catalog(common.data);
  if (!catalog) return console.usage_error(catalog.error());
  const base::Result<model::Spec> left = load_spec(paths[0], *catalog);
  if (!left) return console.usage_error(left.error());
  const base::Result<model::Spec> right = load_spec(paths[1], *catalog);
  if (!right) return console.usage_error(right.error());
  const auto differences = rules::compare_specs(left.value(), right.value(), *catalog);
  console.print(common.json ? report::spec_differences_json(differences)
                            : report::spec_differences_text(differences, common.in()));
  return differences.empty() ? kFine : kFindings;
}

// ---- keys and schema ----

int run_keys(const Arguments& arguments, const Console& console) {
  Common common;
  Arguments prefixes;
  CommandLine line("spec keys", "List what a spec can say.");
  line.positionals("KEY", prefixes, "only this key and those below it");
  common.add_to(line, true);
  line.example("gpuwright spec keys gpu.mig", "the keys about MIG");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  const base::Result<catalog::Catalog> catalog = load_catalog(common.data);
  if (!catalog) return console.usage_error(catalog.error());
  const std::string prefix = prefixes.empty() ? "" : prefixes.front();
  if (!prefix.empty() && catalog->spec_keys().find(prefix) == nullptr)
    return console.usage_error(usage(fmt::format("a spec has no key '{}'", base::printable(prefix, 60))));
  const report::ExplainOptions options = {common.in(), console.color, console.width};
  console.print(common.json ? report::spec_keys_json(*catalog, prefix, common.in())
                            : report::spec_keys_text(*catalog, prefix, options));
  return kFine;
}

int run_schema(const Arguments& arguments, const Console& console) {
  Common common;
  CommandLine line("spec schema", "Print the JSON Schema of a spec, for editors.");
  line.option("--data", common.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright spec schema > spec.schema.json",
               "then write # yaml-language-server: $schema=spec.schema.json at the top of a spec");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  const base::Result<catalog::Catalog> catalog = load_catalog(common.data);
  if (!catalog) return console.usage_error(catalog.error());
  console.print(report::spec_json_schema(*catalog));
  return kFine;
}

// ---- init ----

struct InitOptions {
  Common common;
  std::string workload_class;
  bool all = false;
  bool from_machine = false;
  std::string from;
  std::string sysroot;
  std::string output;
};

/// The spec of what is here, with what a spec could not be told of it.
base::Result<std::string> spec_of_what_is_here(const InitOptions& options, const catalog::Catalog& catalog,
                                               const Console& console) {
  GPUWRIGHT_TRY(const auto source, open_machine(options.from, options.sysroot));
  ProgressLine progress(console);
  progress.show("reading the machine");
  const model::Machine machine = facts::collect_machine(*source, catalog);
  const rules::SpecOfMachine here = rules::spec_of_machine(machine, options.workload_class, catalog);
  report::SpecStyle style;
  style.language = options.common.in();
  style.comments = report::SpecComments::Meaning;
  const bool zh = options.common.language == "zh";
  const bool simulated = machine.simulated.known() && machine.simulated.value();
  style.heading = zh ? "这台机器现在的样子。删去不作要求的，再运行 gpuwright doctor -f FILE。"
                     : "What this machine is. Drop what you do not ask for, then gpuwright doctor -f FILE.";
  if (simulated) style.heading += zh ? "\n其中的 GPU 是模拟的。" : "\nThe GPUs are simulated.";
  constexpr std::size_t kShown = 20;
  if (!here.unknown.empty())
    style.heading += zh ? "\n未写出，因为不知道：" : "\nNot written, because it is not known:";
  for (std::size_t i = 0; i < here.unknown.size() && i < kShown; ++i)
    style.heading += "\n  " + base::printable(here.unknown[i]);
  if (here.unknown.size() > kShown) style.heading += fmt::format("\n  + {}", here.unknown.size() - kShown);
  return report::spec_yaml(here.spec, catalog, style);
}

std::string first_spec(const InitOptions& options, const catalog::Catalog& catalog) {
  report::SpecStyle style;
  style.language = options.common.in();
  style.comments = options.all ? report::SpecComments::Full : report::SpecComments::Meaning;
  const bool zh = options.common.language == "zh";
  if (options.all) {
    style.heading = zh ? "spec 的全部键，附示例。检查：gpuwright spec check FILE"
                       : "Every key of a spec, with an example. To check one: gpuwright spec check FILE";
    return report::spec_example_yaml(catalog, style);
  }
  style.heading =
      zh ? "起步用的 spec：留下适用的，改动其余的，再运行 gpuwright spec check FILE。\n全部键：gpuwright "
           "spec keys"
         : "A spec to begin with: keep what fits, change the rest, then gpuwright spec check FILE.\n"
           "All keys: gpuwright spec keys";
  const std::string& one = options.workload_class;
  return report::spec_starter_yaml(one.empty() ? "training" : one, catalog, style);
}

/// Prints, or writes the file; one that is there already stays as it is.
int put(const std::string& text, const std::string& output, const Console& console) {
  if (output.empty() || output == "-") {
    console.print(text);
    return kFine;
  }
  if (base::kind_of(output).ok()) {
    console.talk(
        fmt::format("gpuwright: {}: is there already, and is left as it is", base::printable(output)));
    return kRefused;
  }
  const base::Status written = base::write_file_atomically(output, text, 0644);
  if (!written) return console.usage_error(written.error());
  console.talk(fmt::format("wrote {}; next: gpuwright spec check {}", base::printable(output),
                           base::printable(output)));
  return kFine;
}

int run_init(const Arguments& arguments, const Console& console) {
  InitOptions options;
  CommandLine line("spec init", "Write a first spec.");
  line.option("--class", options.workload_class, "CLASS",
              "workload class: training, inference, hpc or shared-workstation");
  line.flag("--from-machine", options.from_machine, "write what this machine is");
  line.option("--from", options.from, "PATH", "the machine in a bundle of `gpuwright capture`");
  line.option("--sysroot", options.sysroot, "DIR", "the machine whose disk is mounted at DIR");
  line.flag("--all", options.all, "every key there is, with an example");
  line.option("-o,--output", options.output, "FILE", "write to FILE; one that is there is not overwritten");
  options.common.add_to(line, false);
  line.example("gpuwright spec init --from-machine -o gpuwright.yaml",
               "what is here, to hold this machine to it");
  line.example("gpuwright spec init --class inference -o gpuwright.yaml", "a short spec for serving nodes");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  const base::Result<catalog::Catalog> catalog = load_catalog(options.common.data);
  if (!catalog) return console.usage_error(catalog.error());
  const std::vector<std::string> classes = report::workload_classes(*catalog);
  const std::string& one = options.workload_class;
  if (!one.empty() && std::find(classes.begin(), classes.end(), one) == classes.end()) {
    return console.usage_error(usage(fmt::format("there is no workload class '{}'; there are {}",
                                                 base::printable(one, 60), base::join(classes, ", "))));
  }
  const bool of_machine = options.from_machine || !options.from.empty() || !options.sysroot.empty();
  const base::Result<std::string> text =
      of_machine ? spec_of_what_is_here(options, *catalog, console) : first_spec(options, *catalog);
  return text ? put(text.value(), options.output, console) : console.usage_error(text.error());
}

constexpr std::array<Command, 5> kSubcommands = {{
    {"init", "write a first spec", run_init},
    {"check", "say whether a spec is right, and if not, where", run_check},
    {"diff", "say what two specs ask for differently", run_diff},
    {"keys", "list what a spec can say", run_keys},
    {"schema", "print the JSON Schema, for editors", run_schema},
}};

std::string overview() {
  std::string text =
      "A spec (gpuwright.yaml) says what a machine, or a fleet of equal machines, should be.\n\n";
  for (const Command& one : kSubcommands)
    text += fmt::format("  gpuwright spec {:<8}{}\n", one.name, one.summary);
  return text + "\ngpuwright explain KEY explains one key, like gpu.power_limit.\n";
}

}  // namespace

base::Result<parse::SpecReading> read_spec_file(const std::string& path, const catalog::Catalog& catalog) {
  // More than is taken, so that the parser sees that the file is too large and says so.
  constexpr std::size_t kLimit = parse::kLargestSpec + (64 << 10);
  base::Fd fd;
  if (path == "-") {
    fd = base::Fd(::dup(STDIN_FILENO));
    if (!fd.valid()) return base::make_error(base::ErrorKind::Io, "standard input is closed", "-");
  } else {
    GPUWRIGHT_TRY(fd, base::open_for_reading(path, base::Pipes::Allow));
  }
  base::FileStream stream(std::move(fd), path);
  GPUWRIGHT_TRY(const std::string text, base::read_all(stream, kLimit));
  return parse::parse_spec(text, path, catalog);
}

base::Result<model::Spec> load_spec(const std::string& path, const catalog::Catalog& catalog) {
  GPUWRIGHT_TRY(parse::SpecReading reading, read_spec_file(path, catalog));
  if (reading.ok()) return std::move(reading.spec);
  const model::SpecProblem& first = reading.problems.front();
  const std::int64_t all = static_cast<std::int64_t>(reading.problems.size()) + reading.more_problems;
  std::string message = report::spec_problem_text(first, catalog::Language::English);
  if (all > 1) message += fmt::format(" ({} faults; gpuwright spec check tells all)", all);
  return base::make_error(base::ErrorKind::Malformed, message,
                          fmt::format("{}:{}:{}", path, first.line, first.column));
}

int run_spec(const Arguments& arguments, const Console& console) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    console.print(overview());
    return kFine;
  }
  for (const Command& one : kSubcommands) {
    if (arguments[0] == one.name) return one.run({arguments.begin() + 1, arguments.end()}, console);
  }
  return console.usage_error(usage(
      fmt::format("spec does not know '{}' (gpuwright spec --help)", base::printable(arguments[0], 60))));
}

}  // namespace gpuwright::app
