// `gpuwright doctor`: any evidence in, root cause and what to do out.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "base/text.h"
#include "parse/recogniser.h"
#include "report/doctor_json.h"
#include "report/doctor_text.h"
#include "rules/diagnose.h"

#include <algorithm>

namespace gpuwright::app {

namespace {

struct DoctorOptions {
  std::vector<std::string> paths;
  bool json = false;
  bool quiet = false;
  std::string language = "en";
  std::string fail_on = "error";
  std::string data;
  std::string sysroot;
};

model::Severity threshold(const std::string& word) {
  if (word == "info") return model::Severity::Info;
  if (word == "warning") return model::Severity::Warning;
  return word == "critical" ? model::Severity::Critical : model::Severity::Error;
}

/// Reads every document. One that was named and gives nothing is an error; a member that gives nothing is
/// told.
base::Result<model::Observations> recognise(host::Inputs& inputs, const DoctorOptions& options,
                                            const catalog::Catalog& catalog) {
  parse::Recogniser recogniser(catalog);
  for (host::Document& document : inputs.documents) {
    const base::Status status = recogniser.add(document.name, *document.content);
    document.content.reset();
    if (status) continue;
    const bool named =
        std::find(options.paths.begin(), options.paths.end(), document.name) != options.paths.end();
    if (named) return base::make_error(status.error().kind, status.error().message, document.name);
    inputs.could_not_look.push_back(base::printable(document.name + ": " + status.error().message));
  }
  return recogniser.finish();
}

int exit_code(const model::Diagnosis& diagnosis, const DoctorOptions& options) {
  const bool found =
      !diagnosis.findings.empty() && diagnosis.findings.front().severity >= threshold(options.fail_on);
  return found ? kFindings : kFine;
}

}  // namespace

int run_doctor(const std::vector<std::string>& arguments, const Console& console) {
  DoctorOptions options;
  CommandLine line("doctor", "Find what is wrong, why, and what to do.");
  line.positionals("PATH", options.paths,
                   "files, folders, bundles or bug reports to look at; - is standard input");
  line.flag("--json", options.json, "print JSON (docs/schema/doctor.schema.json)");
  line.flag("-q,--quiet", options.quiet, "print the verdict alone");
  line.choice("--lang", options.language, {"en", "zh"}, "language of the text");
  line.choice("--fail-on", options.fail_on, {"info", "warning", "error", "critical"},
              "lowest severity that makes the exit code 1");
  line.option("--data", options.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.option("--sysroot", options.sysroot, "DIR", "look at the files of the disk mounted at DIR");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(options.data);
  if (!catalog) return console.usage_error(catalog.error());
  base::Result<host::Inputs> inputs = gather(options.paths, options.sysroot, console);
  if (!inputs) return console.usage_error(inputs.error());
  base::Result<model::Observations> observations = recognise(*inputs, options, *catalog);
  if (!observations) return console.usage_error(observations.error());
  model::Diagnosis diagnosis = rules::diagnose(std::move(*observations), *catalog);
  for (std::string& reason : inputs->could_not_look) diagnosis.could_not_look.push_back(std::move(reason));
  const catalog::Language language = language_of(options.language);
  if (options.json) {
    console.print(report::render_doctor_json(diagnosis, *catalog, language));
  } else if (options.quiet) {
    console.print(report::verdict_line(diagnosis, *catalog, language) + "\n");
  } else {
    report::TextOptions text;
    text.language = language;
    text.color = console.color;
    text.width = console.width;
    console.print(report::render_doctor_text(diagnosis, *catalog, text));
  }
  return exit_code(diagnosis, options);
}

}  // namespace gpuwright::app
