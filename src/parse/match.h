// One line that a signature matched, as the scanner hands it on. Views live only during the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/signature.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace gpuwright::parse {

inline constexpr std::size_t kMaxCaptures = 12;

struct Match {
  const catalog::Signature* signature = nullptr;
  std::string_view
      line;  ///< the whole line without line end; the message alone where the line is a JSON record
  std::string_view raw;  ///< the line as it stands in the input
  std::int64_t line_number = 0;
  std::array<std::string_view, kMaxCaptures>
      captures{};  ///< in the order of signature->captures; empty: not captured

  /// The text captured under `name`; empty if there is none.
  std::string_view capture(std::string_view name) const;
};

/// Matches a template in the line, its first literal at `from` or behind it, and sets the captures it names.
/// False: no match (captures may have been touched).
bool match_template(const catalog::Template& pattern, std::string_view line, Match& match,
                    std::size_t from = 0);

}  // namespace gpuwright::parse
