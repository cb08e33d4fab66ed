// What a look at the machine for one value of a spec gave. A sight speaks the spec's language: its value has
// the type of the key, whatever the fact's form is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "catalog/spec_key.h"
#include "model/fact_tree.h"
#include "model/machine.h"
#include "model/spec.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::rules {

struct SpecSight {
  enum class Kind {
    Value,    ///< it is so
    None,     ///< it was looked for and is not there: no such port, no such package
    Unknown,  ///< it could not be looked at
  };

  Kind kind = Kind::Unknown;
  model::Subject subject;
  model::SpecValue value;
  model::AbsentReason reason = model::AbsentReason::NotFound;
  model::Evidence place;  ///< where it was read, or why it could not be; may be empty
};

using SpecSights = std::vector<SpecSight>;

/// What a look may use. `path` is the value's path in the spec ("network.ports[1].mtu"), so that the item's
/// other keys can be asked for.
struct SpecLook {
  const catalog::SpecKey& key;
  const model::Spec& spec;
  std::string path;
  const model::Machine& machine;
  const model::FactNode& facts;  ///< the same machine as a tree

  /// The path of another key of the same item: sibling("name") is "network.ports[1].name".
  std::string sibling(std::string_view name) const;
};

model::Subject subject_of(const model::GpuReport& gpu);

SpecSight sight_of_value(model::SpecValue value, const model::Evidence& place);
SpecSight sight_of_none(const model::Evidence& place);
SpecSight sight_of_unknown(model::AbsentReason reason, const model::Evidence& place);

/// The same for a field of the machine; `value` makes the spec's value of the field's.
template <class T, class Make>
SpecSight sight_of(const model::Machine& machine, const model::Field<T>& field, const Make& make) {
  const model::Evidence* place = machine.place(field.provenance());
  const model::Evidence where = place == nullptr ? model::Evidence() : *place;
  return field.known() ? sight_of_value(make(field.value()), where) : sight_of_unknown(field.reason(), where);
}
template <class T>
SpecSight sight_of(const model::Machine& machine, const model::Field<T>& field) {
  return sight_of(machine, field, [](const T& value) { return model::SpecValue(value); });
}

/// The same for a field of a GPU's report, which keeps its own places, with the GPU as subject.
template <class T, class Make>
SpecSight sight_of(const model::GpuReport& gpu, const model::Field<T>& field, const Make& make) {
  const model::Evidence* place = gpu.line_of(field);
  const model::Evidence where = place == nullptr ? model::Evidence() : *place;
  SpecSight sight =
      field.known() ? sight_of_value(make(field.value()), where) : sight_of_unknown(field.reason(), where);
  sight.subject = subject_of(gpu);
  return sight;
}
template <class T>
SpecSight sight_of(const model::GpuReport& gpu, const model::Field<T>& field) {
  return sight_of(gpu, field, [](const T& value) { return model::SpecValue(value); });
}

/// Looks at the facts that the key's row names. Empty where a list of the machine has no element at all.
SpecSights look_at_facts(const SpecLook& look);

/// The GPUs that a value of the spec is about: those that `gpus` beside it names, else all whose key no
/// override speaks of.
std::vector<const model::GpuFacts*> gpus_of(const SpecLook& look);

/// Whether the selector ("all", an index, UUID or PCI address) means this GPU.
bool selects(std::string_view selector, const model::GpuReport& gpu);

/// Whether what was found is what is wanted.
bool meets(const catalog::SpecKey& key, const model::SpecValue& wanted, const model::SpecValue& found);

}  // namespace gpuwright::rules
