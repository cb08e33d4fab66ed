// Regular expressions in linear time, by RE2. Compiled on construction; keep one, do not make one per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::kit {

class Regex {
 public:
  /// Malformed if the expression does not compile.
  static base::Result<Regex> compile(const std::string& expression);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  bool matches(std::string_view text) const;  ///< anywhere in the text
  /// Finds the first match from `from` on: groups[0] is the whole, then each group (empty when unset). False:
  /// no match.
  bool find(std::string_view text, std::size_t from, std::vector<std::string_view>& groups) const;
  /// Names of the groups in order, empty for an unnamed one; index 0 is group 1.
  std::vector<std::string> group_names() const;

 private:
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::kit
