// One line that a signature matched, as the scanner hands it on. Views live only during the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "catalog/signature.h"

namespace gpuwright::parse {

inline constexpr std::size_t kMaxCaptures = 12;

struct Match {
  const catalog::Signature* signature = nullptr;
  std::string_view line;      ///< the whole line, without line end
  std::int64_t line_number = 0;
  std::array<std::string_view, kMaxCaptures> captures{};  ///< in the order of signature->captures; empty: not captured

  /// The text captured under `name`; empty if there is none.
  std::string_view capture(std::string_view name) const;
};

}  // namespace gpuwright::parse
