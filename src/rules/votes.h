// Who says what of one fact. What counts as the same depends on the kind of fact: sizes agree within 2 %,
// counts of ordinary events agree until one stands far above the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/fact_guilt.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gpuwright::rules {

class Votes {
 public:
  struct Group {
    bool none = false;                ///< the fact is not there
    std::string text;                 ///< the value, of numbers that agree roughly the middle one
    std::vector<std::size_t> voters;  ///< ascending
    std::vector<std::string> texts;   ///< of each voter
    /// What that voter said.
    const std::string& text_of(std::size_t voter) const;
  };

  explicit Votes(catalog::FactKind kind) : kind_(kind) {}
  void add(std::size_t voter, const std::string& text) { votes_.push_back({voter, text, false}); }
  void add_none(std::size_t voter) { votes_.push_back({voter, {}, true}); }

  std::size_t count() const { return votes_.size(); }
  /// Voters that agree, the largest group first; of two equally large ones that of the lesser text.
  std::vector<Group> groups() const;
  /// Counts and faults are odd only above the others.
  bool is_worse(const Group& group, const Group& others) const;

 private:
  struct Vote {
    std::size_t voter;
    std::string text;
    bool none;
  };
  /// The text under which votes are counted together.
  std::string key_of(const Vote& vote, double middle) const;

  catalog::FactKind kind_;
  std::vector<Vote> votes_;
};

/// Whether a count or fault that was `before` (or is so elsewhere) and is `now` tells something; an amount
/// whether it is another. For the other kinds: whether they are different texts.
bool tells(catalog::FactKind kind, const std::string& before, const std::string& now);

}  // namespace gpuwright::rules
