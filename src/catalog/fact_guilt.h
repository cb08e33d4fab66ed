// How guilty a fact is known to be when it differs: data/fact_guilt.csv says what kind of thing each fact is
// and how often a difference there is what breaks a machine; data/change_guilt.csv says it again for a
// machine whose first symptom lies at a certain place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::catalog {

enum class FactKind {
  Setting,   ///< any two values differ
  Words,     ///< a list of options: each is compared alone
  Amount,    ///< a size: differs when more than 2 % away
  Count,     ///< of events that happen on sound machines too: differs when far above the others
  Fault,     ///< of events that do not happen on sound machines: differs when above the others
  Identity,  ///< names this very thing: differs everywhere, and tells a replaced part
  Reading,   ///< moves by itself: says nothing
};

/// A row of data/fact_guilt.csv.
struct FactRow {
  std::string fact;  ///< a path, where '*' stands for any text
  FactKind kind = FactKind::Setting;
  std::int64_t guilt = 0;
  Text title;
  Text why;
};

/// A row of data/change_guilt.csv.
struct ChangeRow {
  std::vector<std::string> places;  ///< as `at` of causes: "link", "cable" ...
  std::string fact;
  std::int64_t guilt = 0;
};

class FactGuilt {
 public:
  explicit FactGuilt(const Catalog& catalog);

  /// The first row that fits the path (of an option of a list, "os.command_line{iommu}", that of the list);
  /// for a path that no row names, one that says "a setting, little guilt".
  const FactRow& of(std::string_view path) const;
  /// The first row for a change of that fact on a machine whose first symptom lies at `place`; null: nothing
  /// is said.
  const ChangeRow* of(std::string_view path, std::string_view place) const;

 private:
  std::vector<FactRow> rows_;
  std::vector<ChangeRow> changes_;
  FactRow unnamed_;
};

/// Remembers the rows of the paths that were asked for: a thousand machines have the same paths.
class RememberedGuilt {
 public:
  explicit RememberedGuilt(const FactGuilt& guilt) : guilt_(guilt) {}
  const FactRow& of(const std::string& path);

 private:
  const FactGuilt& guilt_;
  std::map<std::string, const FactRow*> known_;
};

}  // namespace gpuwright::catalog
