// What a spec asks of the GPUs that no single fact answers. Source: NVIDIA MIG user guide (profile names);
// nvidia-smi(1), fabric state.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "rules/spec_probes.h"

#include <algorithm>

namespace gpuwright::rules {

namespace {

using model::AbsentReason;
using model::GpuFacts;
using model::GpuReport;
using model::SpecValue;

SpecSight on(const GpuReport& gpu, SpecSight sight) {
  sight.subject = subject_of(gpu);
  return sight;
}

/// Unknown, when the list of GPUs is.
SpecSights unknown_gpus(const SpecLook& look) {
  const model::Evidence* place = look.machine.place(look.machine.gpus.provenance());
  return {sight_of_unknown(look.machine.gpus.reason(), place == nullptr ? model::Evidence() : *place)};
}

model::Evidence place_of_gpus(const SpecLook& look) {
  const model::Evidence* place = look.machine.place(look.machine.gpus.provenance());
  return place == nullptr ? model::Evidence() : *place;
}

/// The GPUs whose name is, or else holds the words of, what the item's `model` says.
std::vector<const GpuReport*> of_model(const SpecLook& look) {
  catalog::SpecKey words;
  words.compare = catalog::SpecCompare::Words;
  const SpecValue wanted = look.spec.text(look.sibling("model")).value_or("");
  std::vector<const GpuReport*> exact, near;
  for (const GpuFacts& gpu : model::each(look.machine.gpus)) {
    const SpecValue name = model::key_text(gpu.report.name);
    if (name == wanted) exact.push_back(&gpu.report);
    if (meets(words, wanted, name)) near.push_back(&gpu.report);
  }
  return exact.empty() ? near : exact;
}

/// The instances of a GPU by profile; nothing where one has no profile that is known.
std::optional<model::SpecMap> profiles_of(const GpuReport& gpu) {
  std::map<std::string, int> counts;
  for (const model::MigInstance& instance : gpu.mig) {
    if (instance.profile.empty()) return std::nullopt;
    ++counts[instance.profile];
  }
  model::SpecMap map;
  for (const auto& count : counts) map.emplace_back(count.first, std::to_string(count.second));
  return map;
}

SpecValue active_links(const std::vector<model::NvlinkFacts>& links) {
  const auto active = std::count_if(links.begin(), links.end(), [](const model::NvlinkFacts& link) {
    return model::key_text(link.state) == "up";
  });
  return static_cast<std::int64_t>(active);
}

/// Whether a layout of the spec names the GPU.
bool has_layout(const SpecLook& look, const GpuReport& gpu) {
  for (std::int64_t i = 0; i < look.spec.count("gpu.mig.layouts"); ++i) {
    for (const std::string& selector : look.spec.texts(model::spec_path("gpu.mig.layouts", i, "gpus"))) {
      if (selects(selector, gpu)) return true;
    }
  }
  return false;
}

}  // namespace

SpecSights probe_inventory_count(const SpecLook& look) {
  if (!look.machine.gpus.known()) return unknown_gpus(look);
  // A GPU that does not tell its name may be one of them.
  for (const GpuFacts& gpu : look.machine.gpus.value()) {
    if (!gpu.report.name.known()) return {sight_of(gpu.report, gpu.report.name)};
  }
  return {sight_of_value(static_cast<std::int64_t>(of_model(look).size()), place_of_gpus(look))};
}

SpecSights probe_inventory_memory(const SpecLook& look) {
  if (!look.machine.gpus.known()) return unknown_gpus(look);
  SpecSights sights;
  for (const GpuReport* gpu : of_model(look)) {
    sights.push_back(sight_of(*gpu, gpu->memory_total_bytes,
                              [](std::int64_t bytes) { return SpecValue(static_cast<double>(bytes)); }));
  }
  return sights;
}

SpecSights probe_mig_enabled(const SpecLook& look) {
  if (!look.machine.gpus.known()) return unknown_gpus(look);
  SpecSights sights;
  for (const GpuFacts& gpu : look.machine.gpus.value()) {
    if (!has_layout(look, gpu.report)) sights.push_back(sight_of(gpu.report, gpu.report.mig_current));
  }
  return sights;
}

SpecSights probe_mig_profiles(const SpecLook& look) {
  if (!look.machine.gpus.known()) return unknown_gpus(look);
  SpecSights sights;
  for (const GpuFacts* gpu : gpus_of(look)) {
    const GpuReport& report = gpu->report;
    const std::optional<model::SpecMap> profiles = profiles_of(report);
    if (!report.mig_current.known()) {
      sights.push_back(sight_of(report, report.mig_current));
    } else if (!report.mig_current.value()) {
      sights.push_back(on(report, sight_of_none({})));
    } else if (profiles) {
      sights.push_back(on(report, sight_of_value(*profiles, {})));
    } else {
      sights.push_back(on(report, sight_of_unknown(AbsentReason::Unsupported, {})));
    }
  }
  return sights;
}

SpecSights probe_nvlink_count(const SpecLook& look) {
  if (!look.machine.gpus.known()) return unknown_gpus(look);
  SpecSights sights;
  for (const GpuFacts& gpu : look.machine.gpus.value()) {
    sights.push_back(sight_of(look.machine, gpu.nvlinks, active_links));
    sights.back().subject = subject_of(gpu.report);
  }
  return sights;
}

SpecSights probe_nvlink_fabric(const SpecLook& look) {
  if (!look.machine.gpus.known()) return unknown_gpus(look);
  SpecSights sights;
  for (const GpuFacts& gpu : look.machine.gpus.value()) {
    sights.push_back(sight_of(gpu.report, gpu.report.fabric_state, [](const std::string& state) {
      return SpecValue(base::equals_ignoring_case(state, "completed"));
    }));
  }
  return sights;
}

SpecSights probe_passthrough_gpus(const SpecLook& look) {
  if (!look.machine.pci.known()) {
    const model::Evidence* place = look.machine.place(look.machine.pci.provenance());
    return {sight_of_unknown(look.machine.pci.reason(), place == nullptr ? model::Evidence() : *place)};
  }
  model::SpecTexts given;
  for (const std::string& selector : look.spec.texts(look.path)) {
    const auto wanted = base::PciAddress::parse(selector);
    // The driver of the host does not see a GPU that is given away: an index or UUID says nothing then.
    if (!wanted) return {sight_of_unknown(AbsentReason::Unsupported, {})};
    for (const model::PciFunction& function : look.machine.pci.value()) {
      const auto address = base::PciAddress::parse(function.key());
      const bool bound = base::contains(model::key_text(function.driver), "vfio");
      if (address && *address == *wanted && bound) given.push_back(selector);
    }
  }
  return {sight_of_value(given, {})};
}

}  // namespace gpuwright::rules
