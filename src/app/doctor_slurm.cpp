// See the header. Source: slurm.conf(5), HealthCheckProgram; scontrol(1).
// SPDX-License-Identifier: Apache-2.0
#include "app/doctor_slurm.h"

#include "app/severity.h"
#include "base/files.h"
#include "base/stream.h"
#include "base/text.h"
#include "host/commands.h"
#include "host/hand.h"
#include "parse/recogniser.h"
#include "report/slurm_reason.h"
#include "rules/slurm_drain.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

namespace gpuwright::app {

namespace {

using base::ErrorKind;
using base::Result;
using model::Finding;
using rules::DrainDecision;
using rules::DrainVerdict;

constexpr std::chrono::seconds kPatience{10};  // for one answer of the controller
// Nodes that drain in the same moment must see each other before they look whether they are too many; Slurm
// keeps the time of a drain in whole seconds.
constexpr std::chrono::milliseconds kSettle{2000};

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::string() : std::string(value);
}

/// The name by which Slurm knows this node. Other characters could name many: "n[1-9]".
Result<std::string> node_name(const SlurmOptions& options) {
  std::string name = options.node.empty() ? environment("SLURMD_NODENAME") : options.node;
  if (name.empty()) {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) return base::system_error(errno, "gethostname");
    name = host.data();
    name = name.substr(0, name.find('.'));
  }
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (name.find_first_not_of(kAllowed) != std::string::npos)
    return base::make_error(ErrorKind::Malformed,
                            fmt::format("'{}' is no name of one node", base::printable(name, 60)), "--node");
  return name;
}

Result<double> percent_of(const std::string& text) {
  const std::string number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  const auto percent = base::parse_double(number);
  if (!percent || !(*percent >= 0 && *percent <= 100))
    return base::make_error(ErrorKind::Malformed, "wants a percentage between 0% and 100%", "--max-drained");
  return *percent;
}

/// Slurm's controller, asked and told by scontrol.
class Controller {
 public:
  explicit Controller(const catalog::Catalog& catalog, host::Hand& hand) : catalog_(catalog), hand_(hand) {}

  /// That node, or all when the name is empty.
  Result<std::vector<model::SlurmNode>> nodes(const std::string& name) {
    std::vector<std::string> argv = scontrol({"show", "node"});
    if (!name.empty()) argv.push_back(name);
    GPUWRIGHT_TRY(const auto answer, host::run_command(argv, kPatience));
    GPUWRIGHT_TRY([[maybe_unused]] const auto fine, check(answer));
    if (answer.output_cut)
      return base::make_error(ErrorKind::Malformed, "told of too many nodes", "scontrol");
    parse::Recogniser recogniser(catalog_);
    base::MemoryStream stream(answer.output);
    GPUWRIGHT_TRY([[maybe_unused]] const auto read, recogniser.add("scontrol", stream));
    return recogniser.finish().slurm_nodes;
  }

  base::Status update(const std::vector<std::string>& settings) {
    std::vector<std::string> argv = scontrol({"update"});
    argv.insert(argv.end(), settings.begin(), settings.end());
    GPUWRIGHT_TRY(const auto answer, hand_.run(argv, kPatience));
    return check(answer);
  }

 private:
  /// Slurm's settings stand in its own variables; a child of ours gets no others (base/process.h).
  static std::vector<std::string> scontrol(const std::vector<std::string>& words) {
    std::vector<std::string> argv = {"env", "SLURM_TIME_FORMAT=%s"};
    const std::string configuration = environment("SLURM_CONF");
    if (!configuration.empty()) argv.push_back("SLURM_CONF=" + configuration);
    argv.emplace_back("scontrol");
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }

  static base::Status check(const host::CommandAnswer& answer) {
    constexpr int kNotFound = 127;  // env(1)
    if (answer.timed_out) return base::make_error(ErrorKind::TimedOut, "gave no answer", "scontrol");
    if (answer.status == kNotFound)
      return base::make_error(ErrorKind::NotFound, "is not installed", "scontrol");
    if (answer.status == 0) return base::Done{};
    const std::string_view said = base::trim(answer.errors.empty() ? answer.output : answer.errors);
    const std::string_view last = said.substr(said.rfind('\n') + 1);
    return base::make_error(ErrorKind::Io,
                            base::printable(base::replace_all(std::string(last), "scontrol: ", ""), 200),
                            "scontrol");
  }

  const catalog::Catalog& catalog_;
  host::Hand& hand_;
};

/// The newest kernel line for which this node was drained, kept until the next boot: "BOOT_ID NANOSECONDS".
class Memory {
 public:
  explicit Memory(std::string folder) : folder_(std::move(folder)) {
    const auto boot = base::read_file("/proc/sys/kernel/random/boot_id", 100);
    boot_ = boot ? std::string(base::trim(*boot)) : "unknown";
    const auto text = base::read_file(path(), 200);
    const auto words = text ? base::words(*text) : std::vector<std::string_view>{};
    if (words.size() == 2 && words[0] == boot_) seen_ns_ = base::parse_int(words[1]);
  }

  /// Nothing: this boot knows of no drain.
  std::optional<std::int64_t> seen_ns() const { return seen_ns_; }

  base::Status note(const std::vector<Finding>& findings) {
    std::int64_t newest = seen_ns_.value_or(0);
    for (const Finding& finding : findings) newest = std::max(newest, finding.last.since_boot_ns.value_or(0));
    if (seen_ns_ && newest == *seen_ns_) return base::Done{};
    seen_ns_ = newest;
    if (::mkdir(folder_.c_str(), 0755) != 0 && errno != EEXIST) return base::system_error(errno, folder_);
    return base::write_file_atomically(path(), fmt::format("{} {}\n", boot_, newest), 0644);
  }

 private:
  std::string path() const { return base::join_path(folder_, "slurm-drain"); }
  std::string folder_;
  std::string boot_;
  std::optional<std::int64_t> seen_ns_;
};

std::string counted(const DrainDecision& decision) {
  return fmt::format("{} of {} nodes of partition {} are drained, {} may be", decision.drained,
                     decision.total, base::printable(decision.partition, 60), decision.allowed);
}

/// What is said of a decision that changes nothing.
std::string words_of(const DrainDecision& decision) {
  switch (decision.verdict) {
    case DrainVerdict::NodeUnknown:
      return "Slurm knows no such node";
    case DrainVerdict::DrainedByUs:
      return "drained by gpuwright already";
    case DrainVerdict::DrainedByOthers:
      return "drained by somebody else: left alone";
    case DrainVerdict::OldNews:
      return "not drained: somebody resumed it after a drain for this; the kernel log shows nothing newer";
    case DrainVerdict::TooMany:
      return "not drained: " + counted(decision);
    case DrainVerdict::CauseRemains:
      return "stays drained: the cause is still there";
    case DrainVerdict::CannotTell:
      return "stays drained: NVML or the kernel log since then was not seen, so the cause may be there";
    case DrainVerdict::DownToo:
      return "stays drained: Slurm calls it down as well; resume it by hand";
    case DrainVerdict::NothingToDo:
    case DrainVerdict::Drain:
    case DrainVerdict::Undrain:
      break;
  }
  return {};
}

/// One run on one node.
class Drainer {
 public:
  Drainer(const SlurmOptions& options, const SlurmLook& look, const catalog::Catalog& catalog,
          const Console& console)
      : options_(options),
        look_(look),
        catalog_(catalog),
        console_(console),
        hand_(options.dry_run ? std::unique_ptr<host::Hand>(std::make_unique<host::RefusingHand>())
                              : std::make_unique<host::LiveHand>()),
        controller_(catalog, *hand_),
        memory_(options.state_folder) {}

  int run(const LookAgain& look_again) {
    auto node = node_name(options_);
    auto percent = percent_of(options_.max_drained);
    if (!node) return console_.usage_error(node.error());
    if (!percent) return console_.usage_error(percent.error());
    situation_.node = *node;
    percent_ = *percent;
    take(look_);
    if (!situation_.reason.empty()) console_.print(situation_.reason + "\n");
    if (worthy_.empty()) return options_.undrain ? undrain() : kFine;
    return options_.drain ? drain(look_again) : kFindings;
  }

 private:
  void take(const SlurmLook& look) {
    worthy_.clear();
    situation_.causes.clear();
    for (const Finding& finding : look.diagnosis.findings) {
      situation_.causes.push_back(finding.cause);
      if (rules::makes_unusable(finding, catalog_, severity_of(options_.drain_on)))
        worthy_.push_back(finding);
    }
    const auto seen = memory_.seen_ns();
    situation_.reason = report::slurm_reason(worthy_);
    situation_.all_old_news =
        seen && std::all_of(worthy_.begin(), worthy_.end(),
                            [&](const Finding& finding) { return rules::is_old_news(finding, *seen); });
    situation_.saw_all = look.saw_all;
    // Only what the log told can be forgotten: not where it is whole, nor where nothing of it was acted on.
    situation_.log_may_have_forgotten = !look.kernel_log_whole && seen.value_or(1) != 0;
  }

  int failed(const base::Error& error) const {
    if (error.kind == ErrorKind::Conflict) {
      console_.talk(fmt::format("gpuwright: {}: dry run, not done: {}", situation_.node,
                                base::join(hand_->deeds().back().argv, " ")));
      return kFindings;
    }
    console_.talk(fmt::format("gpuwright: {}: {}", situation_.node, error.text()));
    return kCouldNotLook;
  }

  void say(const std::string& text) const {
    if (!text.empty()) console_.talk(fmt::format("gpuwright: {}: {}", situation_.node, text));
  }

  void remember() {
    const base::Status kept = memory_.note(worthy_);
    if (!kept) say("could not note what it is drained for: " + kept.error().text());
  }

  base::Status ask(const std::string& name) {
    GPUWRIGHT_TRY(situation_.nodes, controller_.nodes(name));
    return base::Done{};
  }

  int drain(const LookAgain& look_again) {
    // Our own node first: the usual answer, once drained, is that there is nothing to do.
    if (const base::Status asked = ask(situation_.node); !asked) return failed(asked.error());
    DrainDecision decision = rules::decide_drain(situation_, 100);
    // Not where others drained it: whoever resumes it then need not know of this fault.
    if (decision.verdict == DrainVerdict::DrainedByUs) remember();
    if (decision.verdict != DrainVerdict::Drain && decision.verdict != DrainVerdict::TooMany) {
      say(words_of(decision));
      return decision.verdict == DrainVerdict::NodeUnknown ? kCouldNotLook : kFindings;
    }
    if (!confirm(look_again)) return kFindings;
    if (const base::Status asked = ask(""); !asked) return failed(asked.error());
    decision = rules::decide_drain(situation_, percent_);
    if (decision.verdict != DrainVerdict::Drain) {
      say(words_of(decision));
      return decision.verdict == DrainVerdict::TooMany ? kRefused : kFindings;
    }
    const base::Status drained =
        controller_.update({"NodeName=" + situation_.node, "State=DRAIN", "Reason=" + situation_.reason});
    if (!drained) return failed(drained.error());
    return settle();
  }

  /// What a second, patient look does not show was no reason.
  bool confirm(const LookAgain& look_again) {
    const std::vector<Finding> first = worthy_;
    const base::Result<SlurmLook> again = look_again();
    if (again) take(*again);
    const bool same = again && std::any_of(worthy_.begin(), worthy_.end(), [&](const Finding& finding) {
                        return std::any_of(first.begin(), first.end(), [&](const Finding& other) {
                          return other.cause == finding.cause;
                        });
                      });
    if (!same) say("not drained: a second look did not show it");
    return same;
  }

  int settle() {
    std::this_thread::sleep_for(kSettle);
    if (const base::Status asked = ask(""); !asked) return failed(asked.error());
    const DrainDecision decision = rules::decide_to_keep(situation_, percent_);
    if (decision.verdict == DrainVerdict::DrainedByUs) remember();
    if (decision.verdict != DrainVerdict::Undrain) {
      const bool ended = decision.verdict == DrainVerdict::NothingToDo;
      say(decision.verdict == DrainVerdict::DrainedByUs ? "drained"
          : ended                                       ? "drained, and resumed by somebody since"
                                                        : words_of(decision));
      return kFindings;
    }
    const base::Status resumed = controller_.update({"NodeName=" + situation_.node, "State=RESUME"});
    if (!resumed) return failed(resumed.error());
    say("took the drain back: " + counted(decision));
    return kRefused;
  }

  int undrain() {
    if (const base::Status asked = ask(situation_.node); !asked) return failed(asked.error());
    const DrainDecision decision = rules::decide_undrain(situation_);
    if (decision.verdict != DrainVerdict::Undrain) {
      say(words_of(decision));
      return decision.verdict == DrainVerdict::NodeUnknown ? kCouldNotLook : kFine;
    }
    const base::Status resumed = controller_.update({"NodeName=" + situation_.node, "State=RESUME"});
    if (!resumed) return failed(resumed.error());
    say("resumed: the cause has gone");
    return kFine;
  }

  const SlurmOptions& options_;
  const SlurmLook& look_;
  const catalog::Catalog& catalog_;
  const Console& console_;
  std::unique_ptr<host::Hand> hand_;
  Controller controller_;
  Memory memory_;
  rules::DrainSituation situation_;
  std::vector<Finding> worthy_;
  double percent_ = 0;
};

}  // namespace

void add_slurm_options(CommandLine& line, SlurmOptions& options) {
  line.flag("--slurm", options.slurm,
            "print the reason to drain this node, or nothing (docs/INTEGRATIONS.md)");
  line.flag("--drain", options.drain, "with --slurm: drain the node for it");
  line.flag("--undrain", options.undrain,
            "with --slurm: resume a node that gpuwright drained, once its cause has gone");
  line.flag("--dry-run", options.dry_run, "with --drain, --undrain: print what would be run");
  line.choice("--drain-on", options.drain_on, {"error", "critical"},
              "lowest severity that makes a node unusable");
  line.option("--max-drained", options.max_drained, "PERCENT",
              "drain no more when so much of a partition is drained (default 5%, at least one node)");
  line.option("--node", options.node, "NAME",
              "Slurm's name of this node (default $SLURMD_NODENAME, host name)");
  line.option("--state", options.state_folder, "DIR", "where drains are noted until the next boot");
}

int answer_slurm(const SlurmOptions& options, const SlurmLook& look, const LookAgain& look_again,
                 const catalog::Catalog& catalog, const Console& console) {
  return Drainer(options, look, catalog, console).run(look_again);
}

}  // namespace gpuwright::app
