// Folds matches into events while they stream by: a storm of one fault is one event with a count, its first
// lines and its last.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "parse/match.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpuwright::parse {

class EventFolder {
 public:
  EventFolder(const catalog::Catalog& catalog, std::string input);

  /// Takes one match.
  void add(const Match& match);

  /// The events so far; the folder is empty afterwards.
  std::vector<model::Event> take();
  std::int64_t dropped() const { return dropped_; }

 private:
  /// What one key has produced.
  struct Slot {
    std::size_t first_event = 0;
    std::size_t event_count = 0;
    std::int64_t count = 0;
    std::int64_t last_line_number = 0;
    std::string last_line;
  };
  /// Captures of the last match of a signature that others inherit from.
  struct Inherited {
    std::int64_t line_number = -1;
    std::map<std::string, std::string> params;
  };

  std::uint64_t key_of(const Match& match) const;
  std::vector<model::Event> decode(const Match& match) const;
  std::map<std::string, std::string> params_of(const Match& match) const;
  void start(std::uint64_t key, const Match& match);
  void repeat(Slot& slot, const Match& match);
  void remember(const Match& match);

  const catalog::Catalog& catalog_;
  std::string input_;
  std::vector<model::Event> events_;
  std::unordered_map<std::uint64_t, Slot> slots_;
  std::unordered_map<std::string, Inherited>
      inherited_;  ///< by signature id; only those that somebody inherits from
  std::int64_t dropped_ = 0;
};

}  // namespace gpuwright::parse
