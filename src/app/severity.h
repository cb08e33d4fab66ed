// Severities as options name them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"

#include <string>

namespace gpuwright::app {

/// "info", "warning", "error" or "critical"; anything else is Error.
inline model::Severity severity_of(const std::string& word) {
  if (word == "info") return model::Severity::Info;
  if (word == "warning") return model::Severity::Warning;
  return word == "critical" ? model::Severity::Critical : model::Severity::Error;
}

}  // namespace gpuwright::app
