// What a fact's path tells: which parts of the machine it belongs to. "gpus[0000:3b:00.0].nvlinks[3].state"
// is a fact of the part "gpus[0000:3b:00.0].nvlinks[3]", which is a part of "gpus[0000:3b:00.0]". The options
// of a list of words get paths of their own: "os.command_line{iommu}".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/fact_guilt.h"
#include "model/snapshot.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::rules {

/// The parts that the path names, the outermost first.
std::vector<std::string> parts_of(std::string_view path);

/// The path with the names of parts left out: "gpus[].nvlinks[].state".
std::string without_keys(std::string_view path);

/// The name of the innermost part: "3"; empty where the path names none.
std::string last_key(std::string_view path);

/// Whether the text has the form of a PCI address: "0000:3b:00.0".
bool is_pci_address(std::string_view text);

/// A snapshot made ready for comparison: readings are gone, words stand alone, parts are known.
struct ReadySnapshot {
  std::string name;
  std::map<std::string, model::SnapshotValue> facts;
  std::set<std::string> parts;
  std::set<std::string> word_lists;  ///< lists of words that were read, or surely are not there
  std::set<std::string> blind;       ///< facts and lists that could not be read: not known to be missing

  enum class Sight { Unknown, None, Value };
  /// Whether the fact has a value here, surely has none, or is not known.
  Sight sight(const std::string& path) const;
  /// Whether the part would have been seen if it were there.
  bool would_see(const std::string& part) const;
  /// How many parts stand in the list that this part stands in.
  std::size_t siblings(const std::string& part) const;
};

ReadySnapshot make_ready(model::Snapshot snapshot, catalog::RememberedGuilt& guilt);

}  // namespace gpuwright::rules
