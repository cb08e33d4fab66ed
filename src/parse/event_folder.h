// Folds matches into events while they stream by: a storm of one fault is one event with a count, its first
// lines and its last.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/event.h"
#include "parse/decoder.h"
#include "parse/match.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpuwright::parse {

/// What folding needs to know of each signature, looked up once for all inputs: a storm asks for it with
/// every line.
struct FoldPlan {
  explicit FoldPlan(const catalog::Catalog& catalog);

  struct Entry {
    const Decoder* decoder = nullptr;
    std::vector<std::size_t> key_captures;  ///< those that tell two events apart
    bool is_inherited_from = false;
    std::optional<std::size_t> inherits_from;  ///< index of the signature
  };
  std::vector<Entry> entries;  ///< by index of the signature
};

class EventFolder {
 public:
  /// Keeps references to both, which must outlive it.
  EventFolder(const catalog::Catalog& catalog, const FoldPlan& plan, std::string input);

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
  /// The last match of a signature that others inherit from.
  struct Inherited {
    std::int64_t line_number = -1;
    std::size_t signature = 0;
    std::string line;
    std::array<std::pair<std::size_t, std::size_t>, kMaxCaptures> captures{};  ///< offset and size in `line`
  };

  std::uint64_t key_of(const Match& match) const;
  std::vector<model::Event> decode(const Match& match) const;
  std::map<std::string, std::string> params_of(const Match& match) const;
  void start(std::uint64_t key, const Match& match);
  void repeat(Slot& slot, const Match& match);
  /// Gives the slot's events their count and their last line.
  void close(const Slot& slot);
  void remember(const Match& match);

  std::size_t index_of(const Match& match) const;

  const catalog::Catalog& catalog_;
  const FoldPlan& plan_;
  std::string input_;
  std::vector<model::Event> events_;
  std::unordered_map<std::uint64_t, Slot> slots_;
  std::unordered_map<std::size_t, Inherited> inherited_;  ///< by index of the signature
  std::int64_t dropped_ = 0;
};

}  // namespace gpuwright::parse
