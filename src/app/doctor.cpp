// `gpuwright doctor`: any evidence in, root cause and what to do out.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "base/text.h"
#include "parse/recogniser.h"
#include "report/doctor_json.h"
#include "report/doctor_text.h"
#include "rules/diagnose.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gpuwright::app {

namespace {

struct DoctorOptions {
  std::vector<std::string> paths;
  bool json = false;
  bool quiet = false;
  std::string language = "en";
  std::string fail_on = "error";
  std::string data;
};

class DescriptorStream final : public base::ByteStream {
 public:
  explicit DescriptorStream(int fd) : fd_(fd) {}
  base::Result<std::size_t> read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t count = ::read(fd_, buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return base::make_error(base::ErrorKind::Io, std::strerror(errno));
    }
  }

 private:
  int fd_;
};

model::Severity threshold(const std::string& word) {
  if (word == "info") return model::Severity::Info;
  if (word == "warning") return model::Severity::Warning;
  return word == "critical" ? model::Severity::Critical : model::Severity::Error;
}

base::Result<model::Observations> recognise(const DoctorOptions& options, const catalog::Catalog& catalog) {
  parse::Recogniser recogniser(catalog);
  for (const std::string& path : options.paths) {
    const int fd = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return base::make_error(base::ErrorKind::NotFound, std::strerror(errno), path);
    DescriptorStream stream(fd);
    GPUWRIGHT_TRY([[maybe_unused]] auto done, recogniser.add(path, stream));
    if (path != "-") close(fd);
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
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(options.data);
  if (!catalog) return console.usage_error(catalog.error());
  base::Result<model::Observations> observations = recognise(options, *catalog);
  if (!observations) return console.usage_error(observations.error());
  const model::Diagnosis diagnosis = rules::diagnose(std::move(*observations), *catalog);
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
