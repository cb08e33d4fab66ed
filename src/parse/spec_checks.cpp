// What the keys of a spec say together. Each check looks at one spec that is right key by key, and names the
// entry at fault; the sentence stands in report/spec_words.cpp under the check's id.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/spec.h"

#include <fmt/core.h>

#include <array>
#include <set>

namespace gpuwright::parse {

namespace {

using model::Spec;
using model::SpecEntry;
using model::SpecProblem;

/// `at`: the entry at fault; null: all is well.
struct Verdict {
  const SpecEntry* at = nullptr;
  std::string found;
};

using Verdicts = std::vector<Verdict>;

/// The branch is the version's first part. Source: NVIDIA driver version numbers.
Verdicts branch_and_version(const Spec& spec) {
  const auto branch = spec.integer("driver.branch");
  if (!branch) return {};
  Verdicts verdicts;
  for (const char* path : {"driver.version", "driver.min_version"}) {
    const SpecEntry* entry = spec.find(path);
    if (entry == nullptr) continue;
    const std::string version = *spec.text(path);
    if (version.substr(0, version.find('.')) != std::to_string(*branch)) verdicts.push_back({entry, version});
  }
  return verdicts;
}

Verdicts least_and_most(const Spec& spec) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kPairs = {
      {{"gpu.graphics_clock.min", "gpu.graphics_clock.max"},
       {"gpu.memory_clock.min", "gpu.memory_clock.max"},
       {"scheduling.time_limit.default", "scheduling.time_limit.max"}}};
  Verdicts verdicts;
  for (const auto& pair : kPairs) {
    const auto least = spec.number(pair.first), most = spec.number(pair.second);
    if (least && most && *least > *most)
      verdicts.push_back({spec.find(pair.first), spec.find(pair.second)->written});
  }
  const auto replicas = spec.integer("scheduling.kubernetes.autoscaling.min_replicas");
  const auto most = spec.integer("scheduling.kubernetes.autoscaling.max_replicas");
  if (replicas && most && *replicas > *most)
    verdicts.push_back({spec.find("scheduling.kubernetes.autoscaling.min_replicas"), std::to_string(*most)});
  return verdicts;
}

/// One drive lost, all lost.
Verdicts raid0_is_scratch(const Spec& spec) {
  Verdicts verdicts;
  for (std::int64_t i = 0; i < spec.count("storage.arrays"); ++i) {
    const std::string purpose = model::spec_path("storage.arrays", i, "purpose");
    if (spec.text(model::spec_path("storage.arrays", i, "level")) == "raid0" && spec.text(purpose) == "data")
      verdicts.push_back({spec.find(purpose), {}});
  }
  return verdicts;
}

/// A guest's GPUs are given away by the host, where the spec says which are.
Verdicts guests_use_given_gpus(const Spec& spec) {
  const model::SpecTexts list = spec.texts("passthrough.gpus");
  const std::set<std::string> given(list.begin(), list.end());
  if (given.empty() || given.count("all") > 0) return {};
  Verdicts verdicts;
  for (std::int64_t i = 0; i < spec.count("passthrough.guests"); ++i) {
    const std::string path = model::spec_path("passthrough.guests", i, "gpus");
    const SpecEntry* entry = spec.find(path);
    for (const std::string& gpu : spec.texts(path)) {
      if (given.count(gpu) == 0) verdicts.push_back({entry, gpu});
    }
  }
  return verdicts;
}

/// One GPU cannot be cut in two ways.
Verdicts one_layout_per_gpu(const Spec& spec) {
  Verdicts verdicts;
  std::set<std::string> seen;
  for (std::int64_t i = 0; i < spec.count("gpu.mig.layouts"); ++i) {
    const std::string path = model::spec_path("gpu.mig.layouts", i, "gpus");
    const SpecEntry* entry = spec.find(path);
    for (const std::string& gpu : spec.texts(path)) {
      const bool taken = seen.count(gpu) > 0 || seen.count("all") > 0 || (gpu == "all" && !seen.empty());
      if (taken) verdicts.push_back({entry, gpu});
      seen.insert(gpu);
    }
  }
  return verdicts;
}

struct Check {
  const char* id;
  Verdicts (*look)(const Spec& spec);
};

constexpr std::array<Check, 5> kChecks = {{
    {"branch-and-version", branch_and_version},
    {"guests-use-given-gpus", guests_use_given_gpus},
    {"least-and-most", least_and_most},
    {"one-layout-per-gpu", one_layout_per_gpu},
    {"raid0-is-scratch", raid0_is_scratch},
}};

}  // namespace

std::vector<SpecProblem> check_spec(const Spec& spec) {
  std::vector<SpecProblem> problems;
  for (const Check& check : kChecks) {
    for (const Verdict& verdict : check.look(spec)) {
      SpecProblem problem;
      problem.fault = model::SpecFault::Contradiction;
      problem.line = verdict.at->line;
      problem.column = verdict.at->column;
      problem.path = verdict.at->path;
      problem.found = verdict.found;
      problem.wanted = check.id;
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

}  // namespace gpuwright::parse
