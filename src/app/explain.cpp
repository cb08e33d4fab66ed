// `gpuwright explain`: the catalog entry behind an id, a code or an error text.
// SPDX-License-Identifier: Apache-2.0
#include "report/explain.h"

#include "app/command_line.h"
#include "app/explain_compat.h"
#include "app/knowledge.h"
#include "base/day.h"
#include "base/text.h"
#include "catalog/spec_key.h"
#include "parse/recogniser.h"
#include "report/spec_docs.h"
#include "rules/diagnose.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace gpuwright::app {

namespace {

struct Request {
  std::string text;  ///< what was asked, words joined by one space
  bool json = false;
  report::ExplainOptions options;
};

/// "xid 79", "Xid79", "xid.79": the number behind the word; nothing if it is something else.
std::optional<std::int64_t> code_behind(const std::string& text, const std::string& word) {
  if (!base::starts_with_ignoring_case(text, word)) return std::nullopt;
  std::string_view rest = base::trim(std::string_view(text).substr(word.size()));
  while (!rest.empty() &&
         (rest.front() == '.' || rest.front() == ':' || rest.front() == '#' || rest.front() == ' '))
    rest.remove_prefix(1);
  return base::parse_int(rest);
}

/// The entry of an id or code; nothing when the words are neither.
std::optional<std::string> entry(const Request& request, const catalog::Catalog& catalog) {
  const catalog::Language language = request.options.language;
  if (const catalog::Cause* cause = catalog.cause(request.text)) {
    return request.json ? report::explain_cause_json(*cause, language)
                        : report::explain_cause_text(*cause, request.options);
  }
  // A bare number is the code that a tired operator has just read: an Xid, or an SXid where the table has it.
  const std::optional<std::int64_t> bare = base::parse_int(request.text);
  if (const auto code = bare && catalog.xid(*bare) ? bare : code_behind(request.text, "xid")) {
    const catalog::XidRow* row = catalog.xid(*code);
    if (row == nullptr) return std::nullopt;
    return request.json ? report::explain_xid_json(*row, catalog, language)
                        : report::explain_xid_text(*row, catalog, request.options);
  }
  if (const auto code = bare && catalog.sxid(*bare) ? bare : code_behind(request.text, "sxid")) {
    const catalog::SxidRow* row = catalog.sxid(*code);
    if (row == nullptr) return std::nullopt;
    return request.json ? report::explain_sxid_json(*row, catalog, language)
                        : report::explain_sxid_text(*row, catalog, request.options);
  }
  if (const catalog::SpecKey* key = catalog.spec_keys().find(request.text)) {
    return request.json ? report::explain_spec_key_json(*key, language)
                        : report::explain_spec_key_text(*key, catalog, request.options);
  }
  const auto signature = std::find_if(
      catalog.signatures().begin(), catalog.signatures().end(), [&](const catalog::Signature& row) {
        return row.id == request.text || (!row.signal.empty() && row.signal == request.text);
      });
  if (signature == catalog.signatures().end()) return std::nullopt;
  return request.json ? report::explain_signature_json(*signature, catalog, language)
                      : report::explain_signature_text(*signature, catalog, request.options);
}

/// The causes that the words raise when they are taken for an error message.
std::string entries_for_message(const Request& request, const catalog::Catalog& catalog) {
  parse::Recogniser recogniser(catalog);
  base::MemoryStream stream(request.text + "\n");
  if (!recogniser.add("text", stream)) return {};
  const model::Diagnosis diagnosis = rules::diagnose(recogniser.finish(), catalog);
  std::string out;
  std::set<std::string> shown;
  for (const auto* list : {&diagnosis.findings, &diagnosis.harmless}) {
    for (const model::Finding& finding : *list) {
      const catalog::Cause* cause = catalog.cause(finding.cause);
      if (cause == nullptr || !shown.insert(finding.cause).second) continue;
      if (!out.empty() && !request.json) out += '\n';
      out += request.json ? report::explain_cause_json(*cause, request.options.language)
                          : report::explain_cause_text(*cause, request.options);
    }
  }
  return out;
}

/// Drivers, CUDA releases and GPUs.
std::string entries_of_tables(const Request& request, const catalog::Catalog& catalog) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  std::string out;
  for (const report::FactSheet& sheet :
       compat_sheets(request.text, catalog, request.options.language, base::day_text(now))) {
    if (!out.empty() && !request.json) out += '\n';
    out +=
        request.json ? report::explain_sheet_json(sheet) : report::explain_sheet_text(sheet, request.options);
  }
  return out;
}

}  // namespace

int run_explain(const std::vector<std::string>& arguments, const Console& console) {
  Request request;
  std::vector<std::string> words;
  std::string language = "en", data;
  CommandLine line("explain", "Explain a code, cause, signal, text, spec key, driver, CUDA release or GPU.");
  line.positionals(
      "WHAT", words,
      "a cause's id, Xid N, SXid N, a signal, a key of a spec, an error message, a driver (R580), "
      "CUDA release or GPU");
  line.flag("--json", request.json, "print JSON");
  line.choice("--lang", language, {"en", "zh"}, "language of the text");
  line.option("--data", data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright explain Xid 79", "what the driver means by it, and what may be behind it");
  line.example("gpuwright explain gpu-lost-from-bus", "one cause, with what to do and its sources");
  line.example("gpuwright explain \"Failed to initialize NVML: Unknown Error\"", "the causes of a message");
  line.example("gpuwright explain R580",
               "a driver branch: its end, its CUDA, its GPUs; also `CUDA 13.0` and `H100`");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  request.text = std::string(base::trim(base::join(words, " ")));
  request.options = {language_of(language), console.color, console.width};
  if (request.text.empty())
    return console.usage_error(base::make_error(base::ErrorKind::Malformed, "explain what? (try --help)"));

  const base::Result<catalog::Catalog> catalog = load_catalog(data);
  if (!catalog) return console.usage_error(catalog.error());
  std::string text = entry(request, *catalog).value_or(std::string());
  if (text.empty()) text = entries_of_tables(request, *catalog);
  const std::string answer = text.empty() ? entries_for_message(request, *catalog) : text;
  if (answer.empty()) {
    return console.usage_error(
        base::make_error(base::ErrorKind::NotFound,
                         fmt::format("nothing is known about '{}'", base::printable(request.text, 120))));
  }
  console.print(answer);
  return kFine;
}

}  // namespace gpuwright::app
