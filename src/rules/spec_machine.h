// A spec beside a machine: what differs, what could not be looked at; and a spec made of what a machine is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"
#include "model/machine.h"
#include "model/spec.h"

#include <string>
#include <vector>

namespace gpuwright::rules {

/// What one value of the spec met. Subjects that gave the same answer stand together.
struct SpecVerdict {
  enum class Outcome {
    Meets,
    Differs,
    Unknown,
    NotApplicable,  ///< the machine has nothing of the kind that it speaks of
    Setting,        ///< nothing to look at: other commands act on it
  };

  Outcome outcome = Outcome::Setting;
  model::SpecEntry entry;
  std::string path;    ///< items by name: "network.ports[eth0].mtu"
  std::string wanted;  ///< "500 W"
  std::string found;   ///< of Differs: "700 W", or "none" for what is not there
  std::vector<model::Subject> subjects;
  model::AbsentReason reason = model::AbsentReason::NotFound;  ///< of Unknown
  model::Evidence place;  ///< where it was read, or why it could not be; may be empty
};

/// All values of the spec, in its order.
std::vector<SpecVerdict> compare_with_machine(const model::Spec& spec, const model::Machine& machine,
                                              const catalog::Catalog& catalog);

/// The differences as findings of the cause `differs-from-spec`, with key, wanted and found as parameters and
/// the spec's line among the evidence.
std::vector<model::Finding> spec_findings(const std::vector<SpecVerdict>& verdicts, const model::Spec& spec,
                                          const catalog::Catalog& catalog);

/// A spec of what is here.
struct SpecOfMachine {
  model::Spec spec;
  std::vector<std::string>
      unknown;  ///< keys that a spec could say and whose fact is not known, with the reason
};

/// `workload_class` empty: the spec says nothing of the workload.
SpecOfMachine spec_of_machine(const model::Machine& machine, const std::string& workload_class,
                              const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
