// `gpuwright capture`: everything a verdict uses, packed, redacted and checked, for replay elsewhere or for a
// vendor.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "app/version.h"
#include "base/files.h"
#include "base/text.h"
#include "facts/collector.h"
#include "host/recording.h"
#include "host/redact.h"
#include "kit/hash.h"
#include "parse/recogniser.h"
#include "report/rma_text.h"
#include "rules/diagnose.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

namespace gpuwright::app {

namespace {

struct CaptureOptions {
  std::vector<std::string> paths;
  std::string output;
  std::string sysroot;
  std::string rma;
  bool no_redact = false;
};

constexpr unsigned kOwnerOnly = 0600;  // evidence may hold what others must not see, redacted or not

std::string utc_now(const char* format) {
  const time_t now = ::time(nullptr);
  tm parts = {};
  ::gmtime_r(&now, &parts);
  std::string text(32, '\0');
  text.resize(::strftime(text.data(), text.size(), format, &parts));
  return text;
}

/// What was recorded, and what it says.
struct Captured {
  std::unique_ptr<host::Recording> recording;
  host::Inputs evidence;
  model::Machine facts;
};

/// Records what the machine says, and the further inputs.
base::Result<Captured> record(host::Source& machine, const CaptureOptions& options,
                              const catalog::Catalog& catalog, const Console& console) {
  GPUWRIGHT_TRY(auto spool, host::Spool::create());
  Captured captured;
  captured.recording = std::make_unique<host::Recording>(machine, std::move(spool));
  // The inputs first: a name that does not exist shall be told before a minute of asking.
  GPUWRIGHT_TRY(auto inputs, host::open_inputs(options.paths));
  GPUWRIGHT_TRY([[maybe_unused]] auto added, captured.recording->add_inputs(std::move(inputs)));
  captured.evidence = look_at(*captured.recording, console);
  captured.facts = facts::collect_machine(*captured.recording, catalog);
  return captured;
}

std::string size_text(std::int64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{} KB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

/// What went in, one line each; the four members of a command are one thing.
std::string packed_text(const host::Manifest& manifest) {
  std::vector<std::pair<std::string, std::int64_t>> things;
  for (const host::BundleMember& member : manifest.members) {
    std::string name = member.path;
    if (name.starts_with("commands/")) name.erase(name.rfind('/'));
    if (!member.name.empty()) name += " (" + member.name + ")";
    if (things.empty() || things.back().first != name) things.emplace_back(name, 0);
    const bool about_command = member.path.ends_with("/argv.json") || member.path.ends_with("/status.json");
    things.back().second += about_command ? 0 : member.size;
  }
  std::string text;
  for (const auto& thing : things) {
    text += fmt::format("  {:>8}  {}\n", size_text(thing.second), base::printable(thing.first, 90));
  }
  return text;
}

/// What did not go in: one line a reason, with all that it kept out.
std::string missing_text(const host::Manifest& manifest) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const host::RecordedFailure& failure : manifest.could_not_read) {
    const std::string question = base::printable(failure.question, 60);
    auto reason = std::find_if(reasons.begin(), reasons.end(),
                               [&failure](const auto& known) { return known.first == failure.message; });
    if (reason == reasons.end()) {
      reasons.emplace_back(failure.message, question);
    } else {
      reason->second += "; " + question;
    }
  }
  std::string text;
  for (const auto& reason : reasons)
    text += fmt::format("  {}: {}\n", base::printable(reason.first, 120), reason.second);
  return text;
}

void tell(const host::Manifest& manifest, const std::string& output, const Console& console) {
  console.print("packed:\n" + packed_text(manifest));
  const std::string missing = missing_text(manifest);
  if (!missing.empty()) console.print("could not read:\n" + missing);
  console.print(manifest.redacted
                    ? "Serial numbers, UUIDs, addresses, host, user and process names are replaced.\n"
                    : "NOT redacted: the bundle names machines, users and addresses.\n");
  console.print(fmt::format("Wrote {}\nNext: gpuwright doctor {}\n", output, output));
}

base::Result<host::Manifest> write(const host::Recording& recording, host::Source& machine,
                                   const CaptureOptions& options) {
  GPUWRIGHT_TRY(auto key, kit::random_bytes(32));
  host::Redactor redactor(key, host::known_names(machine));
  host::BundleOptions bundle;
  bundle.created = utc_now("%Y-%m-%dT%H:%M:%SZ");
  bundle.tool = std::string("gpuwright ") + kVersion;
  bundle.source = options.sysroot.empty() ? "live" : "sysroot";
  bundle.redactor = options.no_redact ? nullptr : &redactor;
  GPUWRIGHT_TRY(auto file, base::AtomicFile::create(options.output, kOwnerOnly));
  GPUWRIGHT_TRY(auto manifest, host::write_bundle(recording, file.fd(), bundle));
  GPUWRIGHT_TRY([[maybe_unused]] auto done, file.commit());
  return manifest;
}

/// The vendor's page beside the bundle: it names serial numbers, the bundle does not.
base::Result<std::string> write_rma_page(Captured& captured, const catalog::Catalog& catalog,
                                         const CaptureOptions& options) {
  const std::string gpu = options.rma == "all" ? std::string() : options.rma;
  if (captured.facts.gpus.known() && !report::has_gpu_named(captured.facts, gpu))
    return base::make_error(base::ErrorKind::NotFound, "no GPU has this index, address or UUID",
                            "--rma " + gpu);
  parse::Recogniser recogniser(catalog);
  for (host::Document& document : captured.evidence.documents) {
    const base::Status read = recogniser.add(document.name, *document.content);
    if (!read) captured.evidence.could_not_look.push_back(document.name + ": " + read.error().message);
  }
  rules::Background background;
  background.machine = &captured.facts;
  background.today_s = ::time(nullptr);
  model::Diagnosis diagnosis = rules::diagnose(recogniser.finish(), catalog, background);
  diagnosis.could_not_look = captured.evidence.could_not_look;
  const std::string path = options.output + ".rma.txt";
  GPUWRIGHT_TRY(auto file, base::AtomicFile::create(path, kOwnerOnly));
  const std::string page =
      report::render_rma_text(captured.facts, diagnosis, catalog, gpu, utc_now("%Y-%m-%d %H:%M:%S UTC"));
  GPUWRIGHT_TRY([[maybe_unused]] auto written, base::write_all(file.fd(), page, path));
  GPUWRIGHT_TRY([[maybe_unused]] auto done, file.commit());
  return path;
}

}  // namespace

int run_capture(const std::vector<std::string>& arguments, const Console& console) {
  CaptureOptions options;
  CommandLine line("capture", "Pack redacted evidence for replay or for a vendor.");
  line.positionals("PATH", options.paths, "further files and folders to pack; - is standard input");
  line.option("-o,--output", options.output, "FILE", "where to write (gpuwright-TIME.tar.gz)");
  line.option("--sysroot", options.sysroot, "DIR", "look at the files of the disk mounted at DIR");
  line.option("--rma", options.rma, "GPU",
              "also write the page that a vendor asks for before a replacement: index, address, UUID or all");
  line.flag("--no-redact", options.no_redact, "keep names, addresses and serial numbers");
  line.example("gpuwright capture -o node.tar.gz", "this machine, redacted");
  line.example("gpuwright capture --rma 3 -o node.tar.gz", "with node.tar.gz.rma.txt for GPU 3");
  line.example("gpuwright doctor node.tar.gz", "the same findings, anywhere");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  if (options.output.empty()) options.output = utc_now("gpuwright-%Y%m%d-%H%M%S.tar.gz");
  base::Result<std::unique_ptr<host::Source>> machine = open_host(options.sysroot);
  if (!machine) return console.usage_error(machine.error());
  const base::Result<catalog::Catalog> catalog = load_catalog({});
  if (!catalog) return console.usage_error(catalog.error());
  auto captured = record(**machine, options, *catalog, console);
  if (!captured) return console.usage_error(captured.error());
  std::string page;
  if (!options.rma.empty()) {
    auto written = write_rma_page(*captured, *catalog, options);
    if (!written) return console.usage_error(written.error());
    page = std::move(*written);
  }
  const base::Result<host::Manifest> manifest = write(*captured->recording, **machine, options);
  if (!manifest) return console.usage_error(manifest.error());
  tell(*manifest, options.output, console);
  if (!page.empty()) console.print("Wrote " + page + " for the vendor: it names serial numbers\n");
  return kFine;
}

}  // namespace gpuwright::app
