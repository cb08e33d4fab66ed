// Severities as programs read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"

#include <array>
#include <optional>
#include <string_view>

namespace gpuwright::model {

/// By rising severity.
inline constexpr std::array<std::string_view, 5> kSeverityWords = {"harmless", "info", "warning", "error",
                                                                   "critical"};

inline std::string_view severity_word(Severity severity) {
  return kSeverityWords[static_cast<std::size_t>(severity)];
}

/// Nothing for any other word.
inline std::optional<Severity> severity_of_word(std::string_view word) {
  for (std::size_t at = 0; at < kSeverityWords.size(); ++at) {
    if (kSeverityWords[at] == word) return static_cast<Severity>(at);
  }
  return std::nullopt;
}

}  // namespace gpuwright::model
