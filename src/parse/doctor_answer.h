// What `gpuwright doctor --json` printed on another machine, read back. The other machine may be sick,
// hostile, or run another version: every text is bounded and made printable, and what is no whole answer is
// refused. Source: docs/schema/doctor.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"
#include "model/fleet.h"

#include <string>

namespace gpuwright::parse {

/// The parsed answer as a report of `node`. Malformed: JSON of something else. Unsupported: another
/// schema_version.
base::Result<model::NodeReport> read_doctor_answer(const kit::Node& root, const std::string& node);

}  // namespace gpuwright::parse
