// The facts of a machine read back from JSON: of `gpuwright facts --json`, or of `gpuwright doctor --json
// --facts` elsewhere. The other machine may be hostile: every text is bounded and made printable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"
#include "model/snapshot.h"

#include <string>
#include <string_view>

namespace gpuwright::parse {

/// Whether the text begins as such JSON does.
bool looks_like_facts(std::string_view text);

/// The facts in a parsed document. Malformed: no `facts` and `absent`, or more facts than any machine has.
/// Unsupported: another schema_version.
base::Result<model::Snapshot> read_facts(const kit::Node& root, const std::string& name);

/// The same from text.
base::Result<model::Snapshot> read_facts(std::string_view json, const std::string& name);

}  // namespace gpuwright::parse
