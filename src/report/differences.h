// What sets machines apart, in words: one odd out of many, or one machine before and after.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "catalog/cause.h"
#include "catalog/fact_guilt.h"
#include "model/difference.h"
#include "report/layout.h"

#include <string>
#include <vector>

namespace gpuwright::report {

/// Words for differences, in one language.
class DifferenceWords {
 public:
  DifferenceWords(const catalog::FactGuilt& guilt, catalog::Language language)
      : guilt_(guilt), language_(language) {}

  /// "VBIOS of 0000:3b:00.0", "kernel option iommu", "GPU 0000:3b:00.0".
  std::string name(const std::string& path) const;
  /// "driver 580.65.06 (others 580.95.05)", "GPU 0000:3b:00.0 is missing". `others` is how the peers are
  /// called where it is not "others".
  std::string odd(const model::FactDifference& difference, const std::string& others = {}) const;
  /// "driver: 580.95.05 -> 580.65.06", "GPU 0000:3b:00.0 is gone".
  std::string change(const model::FactDifference& difference) const;
  std::string why(const std::string& path) const;
  std::string value(const std::string& text) const;
  catalog::Language language() const { return language_; }
  std::string say(const char* en, const char* zh) const {
    return language_ == catalog::Language::Chinese ? zh : en;
  }

 private:
  const catalog::FactGuilt& guilt_;
  catalog::Language language_;
};

/// "n7 differs from 15 peers: driver 580.65.06 (others 580.95.05)" of each odd one, with why and what else;
/// then the facts on which the machines fall into groups.
void add_peers(Layout& layout, const model::PeerReport& peers, const DifferenceWords& words);

/// The first line of that alone, of the oddest; or that nobody is odd.
std::string peers_line(const model::PeerReport& peers, const DifferenceWords& words);

/// "What changed since OLD", guiltiest first.
void add_changes(Layout& layout, const model::ChangeReport& changes, const DifferenceWords& words);

/// The entries `odd` and `splits` of an object that is open.
void write_peers(base::JsonWriter& json, const model::PeerReport& peers, const DifferenceWords& words);
/// The value of an entry `changes`.
void write_changes(base::JsonWriter& json, const model::ChangeReport& changes, const DifferenceWords& words);

}  // namespace gpuwright::report
