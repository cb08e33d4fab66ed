// `gpuwright facts`: what this machine is.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"
#include "app/looking.h"
#include "base/text.h"
#include "facts/collector.h"
#include "report/facts_json.h"
#include "report/facts_text.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::app {

namespace {

struct FactsCommand {
  std::vector<std::string> groups;
  std::string from;
  std::string sysroot;
  std::string data;
  bool json = false;
  bool all = false;
};

/// Groups that were asked for and do not exist are an error of usage.
base::Status known_groups(const model::FactNode& tree, const std::vector<std::string>& groups) {
  std::vector<std::string> names;
  for (const model::FactNode& child : tree.children) names.push_back(child.name);
  for (const std::string& group : groups) {
    if (std::find(names.begin(), names.end(), group) == names.end())
      return base::make_error(
          base::ErrorKind::NotFound,
          fmt::format("no group '{}'; there are: {}", base::printable(group, 60), base::join(names, ", ")));
  }
  return base::Done{};
}

}  // namespace

int run_facts(const std::vector<std::string>& arguments, const Console& console) {
  FactsCommand options;
  CommandLine line("facts", "Show what this machine is.");
  line.positionals("GROUP", options.groups, "only these groups: os, cpu, gpus, driver ...");
  line.flag("--json", options.json, "print JSON (docs/schema/facts.schema.json)");
  line.flag("--all", options.all, "also list what is not known, with the reason");
  line.option("--from", options.from, "PATH", "a bundle of `gpuwright capture`, or a folder of its layout");
  line.option("--sysroot", options.sysroot, "DIR", "look at the files of the disk mounted at DIR");
  line.option("--data", options.data, "DIR", "use the knowledge in DIR instead of the embedded one");
  line.example("gpuwright facts", "this machine");
  line.example("gpuwright facts gpus driver --all", "two groups, with what could not be read");
  line.example("gpuwright facts --json --from node.tar.gz", "a captured machine, for a program");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;

  const base::Result<catalog::Catalog> catalog = load_catalog(options.data);
  if (!catalog) return console.usage_error(catalog.error());
  const auto source = open_machine(options.from, options.sysroot);
  if (!source) return console.usage_error(source.error());
  ProgressLine progress(console);
  progress.show("reading the machine");
  model::FactNode tree = model::fact_tree(facts::collect_machine(**source, *catalog));
  if (const base::Status known = known_groups(tree, options.groups); !known)
    return console.usage_error(known.error());
  if (options.json) {
    std::erase_if(tree.children, [&options](const model::FactNode& child) {
      return !options.groups.empty() &&
             std::find(options.groups.begin(), options.groups.end(), child.name) == options.groups.end();
    });
    console.print(report::render_facts_json(tree));
    return kFine;
  }
  report::FactsOptions text;
  text.absent = options.all;
  text.color = console.color;
  text.groups = options.groups;
  console.print(report::render_facts_text(tree, text));
  return kFine;
}

}  // namespace gpuwright::app
