// What `gpuwright doctor --json` printed on another machine, read back. The other machine may be sick,
// hostile, or run another version: every text is bounded and made printable, and what is no whole answer is
// refused. Source: docs/schema/doctor.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/fleet.h"

#include <string>
#include <string_view>

namespace gpuwright::parse {

/// The answer as a report of `node`. Malformed: no JSON, cut JSON, JSON of something else. Unsupported:
/// another schema_version.
base::Result<model::NodeReport> read_doctor_answer(std::string_view json, const std::string& node);

}  // namespace gpuwright::parse
