// `gpuwright fleet`: every node looks at itself, asked over the system's ssh; one table, worst first.
// SPDX-License-Identifier: Apache-2.0
#include "rules/fleet.h"

#include "app/command_line.h"
#include "app/fleet_prometheus.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "base/files.h"
#include "base/parallel.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "host/hosts_file.h"
#include "host/ssh.h"
#include "kit/json.h"
#include "parse/doctor_answer.h"
#include "parse/facts_answer.h"
#include "report/fleet_json.h"
#include "report/fleet_text.h"
#include "rules/peers.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace gpuwright::app {

namespace {

using base::ErrorKind;
using host::RemoteHost;
using model::NoAnswer;
using model::NodeReport;
using model::NodeVerdict;

struct FleetOptions {
  std::vector<std::string> hosts;
  std::string hosts_file;
  std::string binary = "gpuwright";
  std::string ssh = "ssh";
  std::string parallel = "16";
  std::string timeout = "60";
  std::string connect_timeout = "10";
  std::string language = "en";
  std::string fail_on = "error";
  std::string data;
  bool json = false;
  bool quiet = false;
  FleetPrometheusOptions prometheus;
};

/// What asking needs, read from the options.
struct Plan {
  std::vector<RemoteHost> hosts;
  host::SshOptions ssh;
  std::size_t at_once = 16;
};

constexpr std::size_t kMaxHostsFile = std::size_t{16} << 20;
constexpr std::int64_t kMaxParallel = 512;
constexpr std::int64_t kMaxSeconds = 3600;

base::Result<std::int64_t> number_of(const char* option, const std::string& text, std::int64_t most) {
  const auto number = base::parse_int(text);
  if (number && *number >= 1 && *number <= most) return *number;
  return base::make_error(ErrorKind::Malformed,
                          fmt::format("{}: '{}' is no number from 1 to {}", option, text, most));
}

base::Result<std::vector<RemoteHost>> hosts_of(const FleetOptions& options) {
  std::vector<RemoteHost> hosts;
  if (!options.hosts_file.empty()) {
    GPUWRIGHT_TRY(const std::string text, base::read_file(options.hosts_file, kMaxHostsFile));
    GPUWRIGHT_TRY(hosts, host::parse_hosts(text, options.hosts_file));
  }
  for (const std::string& text : options.hosts) {
    auto remote = host::parse_remote_host(text);
    if (!remote) return base::make_error(ErrorKind::Malformed, remote.error().message);
    hosts.push_back(std::move(*remote));
  }
  if (hosts.empty()) return base::make_error(ErrorKind::Malformed, "no hosts: give --hosts FILE or HOST...");
  std::set<std::string> names;
  for (const RemoteHost& remote : hosts) {
    if (!names.insert(remote.name).second)
      return base::make_error(ErrorKind::Malformed, fmt::format("host '{}' is named twice", remote.name));
  }
  return hosts;
}

base::Result<Plan> plan_of(const FleetOptions& options) {
  Plan plan;
  GPUWRIGHT_TRY(plan.hosts, hosts_of(options));
  GPUWRIGHT_TRY(const auto parallel, number_of("--parallel", options.parallel, kMaxParallel));
  GPUWRIGHT_TRY(const auto timeout, number_of("--timeout", options.timeout, kMaxSeconds));
  GPUWRIGHT_TRY(const auto connect, number_of("--connect-timeout", options.connect_timeout, kMaxSeconds));
  GPUWRIGHT_TRY(plan.ssh.program, base::split_words(options.ssh));
  if (plan.ssh.program.empty()) return base::make_error(ErrorKind::Malformed, "--ssh: no program given");
  GPUWRIGHT_TRY(plan.ssh.program.front(), base::find_tool(plan.ssh.program.front()));
  if (base::printable(options.binary) != options.binary || options.binary.empty() ||
      options.binary.front() == '-')
    return base::make_error(ErrorKind::Malformed, "--binary: no path");
  for (RemoteHost& remote : plan.hosts) {
    if (remote.binary.empty()) remote.binary = options.binary;
  }
  plan.at_once = static_cast<std::size_t>(parallel);
  plan.ssh.deadline = std::chrono::seconds(timeout);
  plan.ssh.connect_timeout = std::chrono::seconds(std::min(connect, timeout));
  return plan;
}

/// The line for the far end's shell.
std::string remote_command(const RemoteHost& remote, const std::vector<std::string>& arguments) {
  std::string line = host::quote_remote_path(remote.binary) + " " + base::quote_words(arguments);
  if (!remote.sysroot.empty()) line += " --sysroot " + host::quote_remote_path(remote.sysroot);
  return line;
}

/// What one node told: its diagnosis, and its facts where it has any.
struct Told {
  NodeReport report;
  std::optional<model::Snapshot> facts;
};

Told unknown(const std::string& node, NoAnswer why, std::string detail) {
  Told told;
  told.report.node = node;
  told.report.no_answer = why;
  told.report.detail = std::move(detail);
  return told;
}

base::Result<Told> read_json(const std::string& text, const std::string& node) {
  GPUWRIGHT_TRY(const kit::Node root, kit::parse_json(text, node));
  Told told;
  GPUWRIGHT_TRY(told.report, parse::read_doctor_answer(root, node));
  auto facts = parse::read_facts(root, node);
  if (facts) told.facts = std::move(*facts);
  return told;
}

Told read_answer(const RemoteHost& remote, const host::RemoteAnswer& answer) {
  if (answer.no_answer) return unknown(remote.name, *answer.no_answer, answer.detail);
  auto report = read_json(answer.output, remote.name);
  if (report) return std::move(*report);
  const bool too_old = report.error().kind == ErrorKind::Unsupported;
  std::string detail = base::printable(report.error().message, 200);
  if (!answer.detail.empty()) detail += "; " + answer.detail;
  return unknown(remote.name, too_old ? NoAnswer::TooOld : NoAnswer::BadAnswer, std::move(detail));
}

Told ask(const RemoteHost& remote, const Plan& plan, const FleetOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string command =
      remote_command(remote, {"doctor", "--json", "--facts", "--lang", options.language});
  const auto answer = host::run_remote(remote, command, plan.ssh);
  Told told =
      answer ? read_answer(remote, *answer) : unknown(remote.name, NoAnswer::Failed, answer.error().text());
  told.report.took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  return told;
}

/// "12 of 16 nodes; waiting for n3, n7", overwritten as answers come.
class Progress {
 public:
  Progress(const Console& console, std::size_t all) : line_(console), all_(all) {}

  void begin(const std::string& node) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.insert(node);
    show();
  }
  void end(const std::string& node) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.erase(node);
    ++done_;
    show();
  }

 private:
  void show() {
    const std::vector<std::string> names(waiting_.begin(), waiting_.end());
    line_.show(fmt::format("{} of {} nodes; waiting for {}", done_, all_, base::join(names, ", ")));
  }

  std::mutex mutex_;
  ProgressLine line_;
  std::set<std::string> waiting_;
  std::size_t all_;
  std::size_t done_ = 0;
};

std::vector<Told> ask_all(const Plan& plan, const FleetOptions& options, const Console& console) {
  std::vector<Told> told(plan.hosts.size());
  Progress progress(console, plan.hosts.size());
  base::in_parallel(plan.hosts.size(), plan.at_once, [&](std::size_t at) {
    progress.begin(plan.hosts[at].name);
    told[at] = ask(plan.hosts[at], plan, options);
    progress.end(plan.hosts[at].name);
  });
  return told;
}

/// Ranks the nodes, and compares the facts of those that told any.
model::FleetReport judge(std::vector<Told> told, const catalog::Catalog& catalog) {
  std::vector<NodeReport> reports;
  std::vector<model::Snapshot> machines;
  for (Told& one : told) {
    reports.push_back(std::move(one.report));
    if (one.facts) machines.push_back(std::move(*one.facts));
  }
  model::FleetReport fleet = rules::judge_fleet(std::move(reports));
  constexpr std::size_t kFewestPeers = 3;  // of two nobody can say which is the odd one
  if (machines.size() >= kFewestPeers)
    fleet.peers = rules::compare_peers(std::move(machines), catalog::FactGuilt(catalog));
  return fleet;
}

/// How a person looks at the worst node.
std::string next_command(const model::FleetReport& fleet, const Plan& plan) {
  const NodeReport& worst = fleet.nodes.front();
  if (worst.verdict == NodeVerdict::Fine) return {};
  const auto remote = std::find_if(plan.hosts.begin(), plan.hosts.end(),
                                   [&](const RemoteHost& one) { return one.name == worst.node; });
  std::vector<std::string> argv = {"ssh"};
  if (remote->port > 0) argv.insert(argv.end(), {"-p", std::to_string(remote->port)});
  if (!remote->user.empty()) argv.insert(argv.end(), {"-l", remote->user});
  argv.insert(argv.end(), {remote->host, remote_command(*remote, {"doctor"})});
  return base::quote_words(argv);
}

/// Findings first; a node that nobody could look at is no success either.
int exit_code(const model::FleetReport& fleet, const std::string& fail_on) {
  const NodeVerdict least = fail_on == "critical"  ? NodeVerdict::Critical
                            : fail_on == "error"   ? NodeVerdict::Error
                            : fail_on == "warning" ? NodeVerdict::Warning
                                                   : NodeVerdict::Info;
  const bool found = std::any_of(fleet.counts.begin(), fleet.counts.end(), [&](const auto& entry) {
    return entry.first != NodeVerdict::Unknown && entry.first <= least;
  });
  if (found) return kFindings;
  return fleet.counts.count(NodeVerdict::Unknown) > 0 ? kCouldNotLook : kFine;
}

void add_options(CommandLine& line, FleetOptions& options) {
  line.positionals("HOST", options.hosts, "user@host:port or an alias of ssh");
  line.option("--hosts", options.hosts_file, "FILE",
              "one host a line; behind it name=, binary=, sysroot=; # begins a comment");
  line.option("--binary", options.binary, "PATH", "gpuwright on the nodes (found by their PATH)");
  line.option("--ssh", options.ssh, "COMMAND", "ssh with further options: 'ssh -F FILE'");
  line.option("--parallel", options.parallel, "N", "nodes asked at once (16)");
  line.option("--timeout", options.timeout, "SECONDS", "for the whole answer of one node (60)");
  line.option("--connect-timeout", options.connect_timeout, "SECONDS", "until a connection stands (10)");
  add_prometheus_options(line, options.prometheus);
  line.flag("--json", options.json, "print JSON (docs/schema/fleet.schema.json, fleet-usage.schema.json)");
  line.flag("-q,--quiet", options.quiet, "print the summary line alone");
  line.choice("--lang", options.language, {"en", "zh"}, "language of the text");
  line.choice("--fail-on", options.fail_on, {"info", "warning", "error", "critical"},
              "lowest severity that makes the exit code 1; 3: a node gave no answer");
  line.option("--data", options.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright fleet --hosts nodes.txt", "all nodes of a list");
  line.example("gpuwright fleet gpu-01 admin@gpu-02:2222", "two nodes");
  line.example("gpuwright fleet --hosts nodes.txt --ssh 'ssh -F cluster.conf' --json", "for a program");
  line.example("gpuwright fleet --prometheus http://prometheus:9090 --since 7d",
               "where a week of GPU time went");
  line.example("gpuwright fleet --prometheus https://prom --price-per-gpu-hour 2.10", "at your price");
}

}  // namespace

int run_fleet(const std::vector<std::string>& arguments, const Console& console) {
  FleetOptions options;
  CommandLine line("fleet", "Let many nodes look at themselves, over ssh; or ask a Prometheus of them.");
  add_options(line, options);
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(options.data);
  if (!catalog) return console.usage_error(catalog.error());
  if (!options.prometheus.url.empty()) {
    if (!options.hosts.empty() || !options.hosts_file.empty())
      return console.usage_error(
          base::make_error(ErrorKind::Malformed, "--prometheus asks no hosts: leave one of them out"));
    options.prometheus.timeout = options.timeout + "s";
    return run_fleet_prometheus(
        options.prometheus, {options.json, options.quiet, language_of(options.language)}, *catalog, console);
  }
  if (options.prometheus.any())
    return console.usage_error(base::make_error(
        ErrorKind::Malformed, "one of these options asks a Prometheus: give --prometheus URL, too"));
  const base::Result<Plan> plan = plan_of(options);
  if (!plan) return console.usage_error(plan.error());
  const model::FleetReport fleet = judge(ask_all(*plan, options, console), *catalog);
  const catalog::Language language = language_of(options.language);
  if (options.json) {
    console.print(report::render_fleet_json(fleet, *catalog, language));
  } else if (options.quiet) {
    console.print(report::fleet_line(fleet, language) + "\n");
  } else {
    report::FleetTextOptions text;
    text.language = language;
    text.color = console.color;
    text.width = console.width;
    text.next_command = next_command(fleet, *plan);
    console.print(report::render_fleet_text(fleet, *catalog, text));
  }
  return exit_code(fleet, options.fail_on);
}

}  // namespace gpuwright::app
