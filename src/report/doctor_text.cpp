// SPDX-License-Identifier: Apache-2.0
#include "report/doctor_text.h"

#include "base/text.h"
#include "report/checks_text.h"
#include "report/differences.h"
#include "report/layout.h"
#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::report {

namespace {

using catalog::Cause;
using catalog::Language;
using model::Evidence;
using model::Finding;
using model::Severity;

constexpr std::size_t kShownFollowers = 6;
constexpr std::size_t kShownSubjects = 8;

class DoctorText {
 public:
  DoctorText(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog, const TextOptions& options)
      : diagnosis_(diagnosis), catalog_(catalog), options_(options), layout_(options.width, options.color) {}

  std::string render() {
    if (!options_.label.empty()) layout_.line(Style::Dim, options_.label);
    layout_.line(verdict_style(), verdict_line(diagnosis_, catalog_, options_.language));
    int number = 1;
    for (const Finding& finding : diagnosis_.findings) incident(number++, finding);
    changes();
    harmless();
    inputs();
    could_not_look();
    beside_spec();
    left_behind();
    const std::string checks = checks_text(diagnosis_.checks, options_.language, options_.all_checks);
    if (!checks.empty()) {
      layout_.blank();
      for (const std::string_view line : base::lines(checks)) layout_.line(Style::Plain, line);
    }
    if (!options_.next_command.empty()) {
      layout_.blank();
      layout_.line(Style::Plain, say("next: ", "下一步：") + options_.next_command);
    }
    return layout_.text();
  }

 private:
  std::string say(const char* en, const char* zh) const {
    return options_.language == Language::Chinese ? zh : en;
  }

  Style verdict_style() const {
    if (diagnosis_.findings.empty()) return Style::Good;
    return diagnosis_.findings.front().severity >= Severity::Error ? Style::Bad : Style::Warn;
  }

  void incident(int number, const Finding& finding) {
    const Cause* cause = catalog_.cause(finding.cause);
    if (cause == nullptr) return;
    const Language language = options_.language;
    layout_.blank();
    layout_.line(finding.severity >= Severity::Error ? Style::Bad : Style::Warn,
                 fmt::format("{}. {}: {}", number, severity_text(finding.severity, language),
                             fill_in(cause->title.in(language), finding.params)));
    layout_.field(say("where", "位置"), where_text(finding, *cause));
    if (const std::string since = since_text(finding); !since.empty())
      layout_.field(say("since", "时间"), since);
    layout_.field(say("sure", "把握"),
                  fmt::format("{} %{}", finding.sure,
                              finding.sure < 60 ? say(" (a symptom: see what would decide)",
                                                      "（只是症状，见“可定论的证据”）")
                                                : ""));
    layout_.field(say("why", "原因"), fill_in(cause->why.in(language), finding.params));
    evidence(say("proof", "证据"), finding.evidence);
    followers(finding);
    evidence(say("but", "相反证据"), finding.contradicted);
    if (!finding.rivals.empty()) layout_.field(say("or", "也可能是"), rival_titles(finding));
    steps(say("now", "现在"), cause->now.in(language), finding);
    steps(say("later", "再发生时"), cause->later.in(language), finding);
    if (finding.sure < 60 || !finding.rivals.empty() || cause->action_now == "gather-more") {
      steps(say("decide", "可定论的证据"), cause->decide.in(language), finding);
    }
    layout_.field(say("more", "更多"), fmt::format("gpuwright explain {}", finding.cause));
  }

  std::string where_text(const Finding& finding, const Cause& cause) const {
    std::string text = subject_text(finding.subject, options_.language);
    for (std::size_t i = 0; i < finding.also.size() && i < kShownSubjects; ++i)
      text += ", " + subject_text(finding.also[i], options_.language);
    if (finding.also.size() > kShownSubjects)
      text += fmt::format(" + {}", finding.also.size() - kShownSubjects);
    return text + fmt::format(" ({}: {})", say("fault lies in", "故障所在"),
                              place_text(cause.at, options_.language));
  }

  std::string since_text(const Finding& finding) const {
    std::string text = time_text(finding.first, options_.language);
    const std::string last = time_text(finding.last, options_.language);
    if (!last.empty() && last != text) text += say(" to ", " 至 ") + last;
    if (finding.count > 1)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", finding.count, say("times", "次"));
    return text;
  }

  std::string rival_titles(const Finding& finding) const {
    std::vector<std::string> titles;
    for (const std::string& id : finding.rivals) {
      const Cause* cause = catalog_.cause(id);
      titles.push_back(cause == nullptr ? id : fill_in(cause->title.in(options_.language), finding.params));
    }
    return base::join(titles, "; ");
  }

  void beside_spec() {
    if (!diagnosis_.spec) return;
    const model::SpecSummary& spec = *diagnosis_.spec;
    layout_.field(
        say("your spec", "spec"),
        options_.language == Language::Chinese
            ? fmt::format("{}：{} 项相符，{} 项不符，{} 项无法查看，{} 项不适用；{} 项供其他命令使用",
                          spec.file, spec.met, spec.differ, spec.unknown, spec.not_applicable, spec.settings)
            : fmt::format("{}: {} met, {} differ, {} could not be looked at, {} do not apply; {} are "
                          "settings for other commands",
                          spec.file, spec.met, spec.differ, spec.unknown, spec.not_applicable,
                          spec.settings));
  }

  void evidence(const std::string& name, const std::vector<Evidence>& list) {
    bool first = true;
    for (const Evidence& line : list) {
      layout_.verbatim(first ? name : "", fmt::format("{}: {}", evidence_where(line), base::trim(line.text)));
      first = false;
    }
  }

  /// Followers whose line does not stand under "proof" already.
  static std::vector<const model::Explained*> further(const Finding& finding) {
    std::vector<const model::Explained*> list;
    for (const model::Explained& follower : finding.explains) {
      const bool shown =
          !follower.evidence.empty() && std::find(finding.evidence.begin(), finding.evidence.end(),
                                                  follower.evidence.front()) != finding.evidence.end();
      if (!shown) list.push_back(&follower);
    }
    return list;
  }

  void followers(const Finding& finding) {
    bool first = true;
    const std::vector<const model::Explained*> list = further(finding);
    for (std::size_t i = 0; i < list.size() && i < kShownFollowers; ++i) {
      const model::Explained& follower = *list[i];
      const std::string line =
          follower.evidence.empty() ? "" : std::string(base::trim(follower.evidence.front().text));
      const std::string place =
          follower.evidence.empty() ? "" : evidence_where(follower.evidence.front()) + ": ";
      const std::string times =
          follower.count > 1 ? fmt::format(" ({} {})", follower.count, say("times", "次")) : "";
      layout_.verbatim(first ? say("follows", "由它引起") : "", place + line + times);
      first = false;
    }
    if (list.size() > kShownFollowers) {
      layout_.verbatim("", fmt::format("+ {} {}", list.size() - kShownFollowers, say("more", "条")));
    }
  }

  void steps(const std::string& name, const std::vector<std::string>& list, const Finding& finding) {
    bool first = true;
    for (const std::string& step : list) {
      layout_.field(first ? name : "", "- " + fill_in(step, finding.params));
      first = false;
    }
  }

  void changes() {
    if (!diagnosis_.changes) return;
    const catalog::FactGuilt guilt(catalog_);
    layout_.blank();
    add_changes(layout_, *diagnosis_.changes, DifferenceWords(guilt, options_.language));
  }

  void harmless() {
    if (diagnosis_.harmless.empty()) return;
    layout_.blank();
    layout_.line(Style::Good, say("harmless, needs nothing:", "无害，无需处理："));
    for (const Finding& finding : diagnosis_.harmless) {
      const Cause* cause = catalog_.cause(finding.cause);
      if (cause == nullptr) continue;
      layout_.field(
          "",
          fmt::format("- {}{}: {}", fill_in(cause->title.in(options_.language), finding.params),
                      finding.evidence.empty() ? "" : " (" + evidence_where(finding.evidence.front()) + ")",
                      fill_in(cause->why.in(options_.language), finding.params)));
    }
  }

  void inputs() {
    if (diagnosis_.inputs.empty()) return;
    layout_.blank();
    constexpr std::size_t kShown = 12;
    std::size_t shown = 0, silent = 0;
    for (const model::RecognisedInput& input : diagnosis_.inputs) {
      const bool plain = input.events == 0 && input.note.empty();
      if (plain && diagnosis_.inputs.size() > kShown) {
        ++silent;
        continue;
      }
      if (++shown > kShown) continue;
      layout_.field(shown == 1 ? say("looked at", "已查看") : "", input_text(input));
    }
    if (shown > kShown)
      layout_.field("", fmt::format("+ {} {}", shown - kShown, say("more inputs", "个输入")));
    if (silent > 0)
      layout_.field("",
                    fmt::format("+ {} {}", silent,
                                say("inputs in which nothing was recognised", "个输入中没有可识别的内容")));
  }

  std::string input_text(const model::RecognisedInput& input) const {
    std::vector<std::string> names;
    for (const std::string& id : input.formats) {
      const auto row = std::find_if(catalog_.formats().begin(), catalog_.formats().end(),
                                    [&](const auto& format) { return format.id == id; });
      const std::string name = row != catalog_.formats().end() ? row->title.in(options_.language)
                                                               : format_text(id, options_.language);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::string text =
        fmt::format("{}: {} {}", base::printable(input.input, 120), input.lines, say("lines", "行"));
    text +=
        names.empty() ? say(", nothing recognised", "，没有可识别的内容") : ", " + base::join(names, ", ");
    if (input.dropped > 0)
      text += fmt::format(", {} {}", input.dropped,
                          say("further distinct events only counted", "个其他事件只计数"));
    if (!input.note.empty()) text += " (" + base::printable(input.note, 200) + ")";
    return text;
  }

  void could_not_look() {
    bool first = true;
    for (const std::string& reason : diagnosis_.could_not_look) {
      if (first) layout_.blank();
      layout_.field(first ? say("could not look", "未能查看") : "", base::printable(reason, 300));
      first = false;
    }
  }

  void left_behind() {
    bool first = true;
    for (const model::LeftBehind& process : diagnosis_.left_behind) {
      if (first) layout_.blank();
      const std::string what = base::printable(
          process.pci.empty() ? process.what : fmt::format("{} ({})", process.what, process.pci), 200);
      const std::string since = wall_time_text(process.since_ms * 1'000'000);
      layout_.field(
          first ? say("left behind", "遗留进程") : "",
          fmt::format(
              fmt::runtime(say("process {0} asked {1} at {2} and still waits in the kernel; nothing more is "
                               "asked there until it is gone",
                               "进程 {0} 于 {2} 查询 {1}，至今仍在内核中等待；在它消失之前不再查询该处")),
              process.pid, what, since));
      first = false;
    }
  }

  const model::Diagnosis& diagnosis_;
  const catalog::Catalog& catalog_;
  const TextOptions& options_;
  Layout layout_;
};

}  // namespace

std::string verdict_line(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                         Language language) {
  const bool zh = language == Language::Chinese;
  const bool recognised =
      std::any_of(diagnosis.inputs.begin(), diagnosis.inputs.end(),
                  [](const model::RecognisedInput& input) { return !input.formats.empty(); });
  if (!diagnosis.findings.empty()) {
    const Finding& top = diagnosis.findings.front();
    const Cause* cause = catalog.cause(top.cause);
    const std::string title = cause == nullptr ? top.cause : fill_in(cause->title.in(language), top.params);
    const std::size_t others = diagnosis.findings.size() - 1;
    const std::string more = others == 0 ? ""
                             : zh        ? fmt::format("（另有 {} 个）", others)
                                         : fmt::format(" (and {} more)", others);
    return fmt::format("{}: {}: {}{}", severity_text(top.severity, language),
                       subject_text(top.subject, language), title, more);
  }
  if (!recognised) return zh ? "未能从输入中识别出任何内容" : "nothing was recognised in what was given";
  if (!diagnosis.could_not_look.empty() || !diagnosis.left_behind.empty()) {
    return zh ? "在看得到的范围内没有发现问题" : "no problem found in what could be seen";
  }
  return zh ? "没有发现问题" : "no problem found";
}

std::string quick_line(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                       Language language) {
  const bool zh = language == Language::Chinese;
  std::string line = verdict_line(diagnosis, catalog, language);
  if (diagnosis.could_not_look.empty()) return line;
  return line + (zh ? "；未查看：" : "; not seen: ") + base::join(diagnosis.could_not_look, "; ");
}

std::string render_doctor_text(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                               const TextOptions& options) {
  return DoctorText(diagnosis, catalog, options).render();
}

}  // namespace gpuwright::report
