// `gpuwright render KIND`: configuration for what others run.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "base/files.h"
#include "base/process.h"
#include "base/stream.h"
#include "base/text.h"
#include "parse/slurm_inventory.h"

#include "artifacts/grafana.h"
#include "artifacts/prometheus.h"
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace gpuwright::app {

namespace {

struct RenderCommand {
  std::vector<std::string> words;
  std::string language = "en";
  std::string data;
  std::string target_file = "gpuwright-targets.json";
  std::string discovery = "static";
  std::string rules_file = "gpuwright-rules.yml";
  std::string alertmanager;
  std::string webhook = "http://127.0.0.1:5001/";
  std::string out;
  std::string from;
  std::string port = "9400";
  std::string kubernetes_namespace = "monitoring";
  std::string price;
};

using Rendered = base::Result<std::string>;

struct Kind {
  const char* name;
  const char* what;
  Rendered (*render)(const RenderCommand& command, const catalog::Catalog& catalog);
};

Rendered prometheus(const RenderCommand& command, const catalog::Catalog& /*catalog*/) {
  artifacts::ScrapeOptions options;
  options.discovery = command.discovery == "file"              ? artifacts::Discovery::File
                      : command.discovery == "kubernetes"      ? artifacts::Discovery::Kubernetes
                      : command.discovery == "kubernetes-pods" ? artifacts::Discovery::KubernetesPods
                                                               : artifacts::Discovery::Static;
  options.targets.assign(command.words.begin() + 1, command.words.end());
  if (options.targets.empty()) options.targets = {"127.0.0.1:9400"};
  options.target_file = command.target_file;
  options.rules_file = command.rules_file;
  options.alertmanager = command.alertmanager;
  return artifacts::prometheus_config(options);
}

base::Result<std::string> slurm_text(const std::string& from) {
  constexpr std::size_t kMost = std::size_t{256} << 20;
  if (from == "-") {
    base::FileStream stream(base::Fd(::dup(STDIN_FILENO)), "standard input");
    return base::read_all(stream, kMost);
  }
  if (!from.empty()) return base::read_file(from, kMost);
  base::ProcessOptions options;
  options.output_limit = kMost;
  options.whole_environment = true;  // SLURM_CONF
  GPUWRIGHT_TRY(const base::ProcessResult ran,
                base::run_process({"scontrol", "-o", "show", "nodes"}, options));
  if (ran.timed_out)
    return base::make_error(base::ErrorKind::TimedOut, "scontrol gave no answer in 10 s",
                            "scontrol show nodes");
  if (ran.status != 0)
    return base::make_error(base::ErrorKind::Io, base::printable(base::trim(ran.errors)),
                            "scontrol show nodes");
  return ran.output;
}

/// What file_sd reads, for the nodes of Slurm that have GPUs.
Rendered slurm_targets(const RenderCommand& command, const catalog::Catalog& /*catalog*/) {
  const auto port = base::parse_int(command.port);
  constexpr std::int64_t kLastPort = 65535;
  if (!port || *port < 1 || *port > kLastPort)
    return base::make_error(base::ErrorKind::Malformed,
                            "--port: '" + base::printable(command.port, 20) + "' is no port");
  GPUWRIGHT_TRY(const std::string text, slurm_text(command.from));
  GPUWRIGHT_TRY(const auto nodes, parse::read_slurm_gpu_nodes(text));
  std::vector<artifacts::ScrapeTarget> targets;
  targets.reserve(nodes.size());
  for (const parse::SlurmGpuNode& node : nodes)
    targets.push_back({node.name, node.address, static_cast<int>(*port), node.partitions});
  const std::string json = artifacts::prometheus_targets(targets);
  if (command.out.empty()) return json;
  // Prometheus may read at any time: it sees the old file or the new one.
  GPUWRIGHT_TRY([[maybe_unused]] const auto done, base::write_file_atomically(command.out, json, 0644));
  return command.out + "\n";
}

/// What the catalog says of the board that most fleets are made of.
std::string usual_price(const catalog::Catalog& catalog) {
  constexpr const char* kUsual = "H100-SXM-80GB";
  for (const catalog::GpuPriceRow& row : catalog.fleet().prices) {
    if (row.board == kUsual) return row.usd_per_hour;
  }
  return "0";
}

/// One dashboard, or with --out all that are named as files; then it says which.
Rendered grafana(const RenderCommand& command, const catalog::Catalog& catalog) {
  const std::vector<std::string> known = artifacts::dashboard_names(catalog);
  std::vector<std::string> names(command.words.begin() + 1, command.words.end());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return base::make_error(base::ErrorKind::NotFound,
                              fmt::format("there is no dashboard '{}'; there are: {}",
                                          base::printable(name, 40), base::join(known, ", ")));
  }
  artifacts::DashboardOptions options;
  options.language = language_of(command.language);
  options.price_per_gpu_hour = command.price.empty() ? usual_price(catalog) : command.price;
  if (const auto price = base::parse_double(options.price_per_gpu_hour); !price || *price < 0)
    return base::make_error(base::ErrorKind::Malformed,
                            "--price-per-gpu-hour: '" + base::printable(command.price, 40) + "' is no price");
  if (command.out.empty()) {
    if (names.size() > 1)
      return base::make_error(base::ErrorKind::Malformed, "several dashboards go into files: give --out DIR");
    return artifacts::grafana_dashboard(catalog, names.empty() ? known.front() : names.front(), options);
  }
  std::error_code failed;
  std::filesystem::create_directories(command.out, failed);
  if (failed) return base::system_error(failed.value(), command.out);
  std::string written;
  for (const std::string& name : names.empty() ? known : names) {
    const std::string path = command.out + "/gpuwright-" + name + ".json";
    const base::Status status =
        base::write_file_atomically(path, artifacts::grafana_dashboard(catalog, name, options), 0644);
    if (!status.ok()) return status.error();
    written += path + "\n";
  }
  return written;
}

// clang-format off
constexpr std::array<Kind, 7> kKinds = {{
    {"alertmanager", "alertmanager.yml: what is critical at once, the rest after a while", [](const RenderCommand& c, const catalog::Catalog&) -> Rendered { return artifacts::alertmanager_config(c.webhook); }},
    {"grafana", "a dashboard: fleet, node, job, cost", grafana},
    {"prometheus", "prometheus.yml that scrapes TARGET...", prometheus},
    {"prometheus-rules", "alert rules with what to do", [](const RenderCommand& c, const catalog::Catalog& k) -> Rendered { return artifacts::prometheus_rules(k, language_of(c.language)); }},
    {"prometheus-tests", "tests of these rules, for promtool test rules", [](const RenderCommand& c, const catalog::Catalog& k) -> Rendered { return artifacts::prometheus_rule_tests(k, language_of(c.language), c.rules_file); }},
    {"service-monitor", "Service and ServiceMonitor for the Prometheus operator", [](const RenderCommand& c, const catalog::Catalog&) -> Rendered { return artifacts::service_monitor(c.kubernetes_namespace); }},
    {"slurm-targets", "file_sd targets: the nodes of Slurm that have GPUs", slurm_targets},
}};
// clang-format on

std::string known_kinds() {
  std::string all;
  for (const Kind& kind : kKinds) all += fmt::format("{}{}", all.empty() ? "" : ", ", kind.name);
  return all;
}

void add_options(CommandLine& line, RenderCommand& command) {
  line.positionals("KIND", command.words,
                   "what; behind `prometheus` the targets, HOST:PORT; behind `grafana` the dashboard");
  line.choice("--discovery", command.discovery, {"static", "file", "kubernetes", "kubernetes-pods"},
              "how Prometheus finds nodes");
  line.option("--target-file", command.target_file, "FILE", "with --discovery file");
  line.option("--rules-file", command.rules_file, "FILE", "where the rules stand");
  line.option("--alertmanager", command.alertmanager, "HOST:PORT", "where Prometheus sends alerts");
  line.option("--webhook", command.webhook, "URL", "where Alertmanager sends them");
  line.option(
      "--out", command.out, "PATH",
      "grafana: write all dashboards (or those named) into this folder; slurm-targets: into this file");
  line.option("--from", command.from, "FILE",
              "slurm-targets: what `scontrol show nodes` said, - for stdin (else it is run)");
  line.option("--port", command.port, "PORT", "slurm-targets: where gpuwright listens (9400)");
  line.option("--namespace", command.kubernetes_namespace, "NAME", "service-monitor: where the pods are");
  line.option("--price-per-gpu-hour", command.price, "USD",
              "grafana cost: the price it begins with (the catalog's for an H100)");
  line.choice("--lang", command.language, {"en", "zh"}, "language of texts");
  line.option("--data", command.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright render prometheus-rules > gpuwright-rules.yml", "alerts with what to do");
  line.example("gpuwright render prometheus node1:9400 node2:9400 > prometheus.yml", "two nodes");
  line.example("gpuwright render grafana --out dashboards", "all four, to import or to provision");
  line.example("gpuwright render slurm-targets --out /etc/prometheus/gpus.json", "by a timer, for file_sd");
}

}  // namespace

int run_render(const std::vector<std::string>& arguments, const Console& console) {
  RenderCommand command;
  CommandLine line("render", "Print configuration for what others run: " + known_kinds() + ".");
  add_options(line, command);
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  const std::string name = command.words.empty() ? "" : command.words.front();
  const auto kind =
      std::find_if(kKinds.begin(), kKinds.end(), [&name](const Kind& one) { return name == one.name; });
  if (kind == kKinds.end()) {
    return console.usage_error(base::make_error(
        base::ErrorKind::NotFound, name.empty() ? "say what: " + known_kinds()
                                                : fmt::format("there is no kind '{}'; there are: {}",
                                                              base::printable(name, 40), known_kinds())));
  }
  const base::Result<catalog::Catalog> catalog = load_catalog(command.data);
  if (!catalog) return console.usage_error(catalog.error());
  const Rendered text = kind->render(command, *catalog);
  if (!text) return console.usage_error(text.error());
  console.print(*text);
  return kFine;
}

}  // namespace gpuwright::app
