// `gpuwright render KIND`: configuration for what others run.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "base/text.h"

#include "artifacts/prometheus.h"
#include <fmt/core.h>

#include <algorithm>
#include <array>

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
};

struct Kind {
  const char* name;
  const char* what;
  std::string (*render)(const RenderCommand& command, const catalog::Catalog& catalog);
};

std::string prometheus(const RenderCommand& command, const catalog::Catalog& /*catalog*/) {
  artifacts::ScrapeOptions options;
  options.discovery = command.discovery == "file"         ? artifacts::Discovery::File
                      : command.discovery == "kubernetes" ? artifacts::Discovery::Kubernetes
                                                          : artifacts::Discovery::Static;
  options.targets.assign(command.words.begin() + 1, command.words.end());
  if (options.targets.empty()) options.targets = {"127.0.0.1:9400"};
  options.target_file = command.target_file;
  options.rules_file = command.rules_file;
  options.alertmanager = command.alertmanager;
  return artifacts::prometheus_config(options);
}

// clang-format off
constexpr std::array<Kind, 4> kKinds = {{
    {"alertmanager", "alertmanager.yml: what is critical at once, the rest after a while", [](const RenderCommand& c, const catalog::Catalog&) { return artifacts::alertmanager_config(c.webhook); }},
    {"prometheus", "prometheus.yml that scrapes TARGET...", prometheus},
    {"prometheus-rules", "alert rules with what to do", [](const RenderCommand& c, const catalog::Catalog& k) { return artifacts::prometheus_rules(k, language_of(c.language)); }},
    {"prometheus-tests", "tests of these rules, for promtool test rules", [](const RenderCommand& c, const catalog::Catalog& k) { return artifacts::prometheus_rule_tests(k, language_of(c.language), c.rules_file); }},
}};
// clang-format on

std::string known_kinds() {
  std::string all;
  for (const Kind& kind : kKinds) all += fmt::format("{}{}", all.empty() ? "" : ", ", kind.name);
  return all;
}

}  // namespace

int run_render(const std::vector<std::string>& arguments, const Console& console) {
  RenderCommand command;
  CommandLine line("render", "Print configuration for what others run: " + known_kinds() + ".");
  line.positionals("KIND", command.words, "what; behind `prometheus` the targets, HOST:PORT");
  line.choice("--discovery", command.discovery, {"static", "file", "kubernetes"},
              "how Prometheus finds nodes");
  line.option("--target-file", command.target_file, "FILE", "with --discovery file");
  line.option("--rules-file", command.rules_file, "FILE", "where the rules stand");
  line.option("--alertmanager", command.alertmanager, "HOST:PORT", "where Prometheus sends alerts");
  line.option("--webhook", command.webhook, "URL", "where Alertmanager sends them");
  line.choice("--lang", command.language, {"en", "zh"}, "language of texts");
  line.option("--data", command.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright render prometheus-rules > gpuwright-rules.yml", "alerts with what to do");
  line.example("gpuwright render prometheus node1:9400 node2:9400 > prometheus.yml", "two nodes");
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
  console.print(kind->render(command, *catalog));
  return kFine;
}

}  // namespace gpuwright::app
