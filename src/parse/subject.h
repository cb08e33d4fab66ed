// From captured names to the canonical subject of an event.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "parse/match.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::parse {

/// The canonical id of a PCI device: "0000:3b:00" for a GPU or a switch (function dropped), "0000:00:03.1"
/// for kind Pci. The text itself when it is no PCI address.
std::string canonical_device(std::string_view text, model::SubjectKind kind);

/// The kind named in data/signatures (`subject: gpu`); nothing for an unknown word.
std::optional<model::SubjectKind> subject_kind(std::string_view name);

/// The subject of a match: what the signature says, else by its captures (gpu, gpu_index, switch, nic, pci,
/// pod, node, disk), else the host. `value` gives the text of a capture or parameter by name, empty for none.
model::Subject subject_of(const catalog::Signature& signature,
                          const std::map<std::string, std::string>& params);

}  // namespace gpuwright::parse
