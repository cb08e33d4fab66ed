// SPDX-License-Identifier: Apache-2.0
#include "catalog/fact_guilt.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpuwright::catalog {

namespace {

constexpr std::int64_t kGuiltOfUnnamed = 5;

FactKind kind_of(const std::string& word) {
  static constexpr auto kKinds =
      std::to_array<std::pair<const char*, FactKind>>({{"setting", FactKind::Setting},
                                                       {"words", FactKind::Words},
                                                       {"amount", FactKind::Amount},
                                                       {"count", FactKind::Count},
                                                       {"fault", FactKind::Fault},
                                                       {"identity", FactKind::Identity},
                                                       {"reading", FactKind::Reading}});
  for (const auto& entry : kKinds) {
    if (word == entry.first) return entry.second;
  }
  return FactKind::Setting;
}

}  // namespace

FactGuilt::FactGuilt(const Catalog& catalog) {
  unnamed_.guilt = kGuiltOfUnnamed;
  if (const base::CsvTable* table = catalog.table("fact_guilt")) {
    for (const base::CsvTable::Row& row : table->rows) {
      FactRow fact;
      fact.fact = table->cell(row, "fact");
      fact.kind = kind_of(table->cell(row, "kind"));
      fact.guilt = base::parse_int(table->cell(row, "guilt")).value_or(0);
      fact.title = {table->cell(row, "title_en"), table->cell(row, "title_zh")};
      fact.why = {table->cell(row, "why_en"), table->cell(row, "why_zh")};
      rows_.push_back(std::move(fact));
    }
  }
  if (const base::CsvTable* table = catalog.table("change_guilt")) {
    for (const base::CsvTable::Row& row : table->rows) {
      ChangeRow change;
      const std::string places = table->cell(row, "place");  // the words below look into it
      for (const std::string_view place : base::words(places)) change.places.emplace_back(place);
      change.fact = table->cell(row, "fact");
      change.guilt = base::parse_int(table->cell(row, "guilt")).value_or(0);
      changes_.push_back(std::move(change));
    }
  }
}

const FactRow& FactGuilt::of(std::string_view path) const {
  if (path.ends_with('}')) path = path.substr(0, path.find('{'));
  const auto row = std::find_if(rows_.begin(), rows_.end(),
                                [&](const FactRow& one) { return base::matches_wildcard(one.fact, path); });
  return row == rows_.end() ? unnamed_ : *row;
}

const ChangeRow* FactGuilt::of(std::string_view path, std::string_view place) const {
  const auto row = std::find_if(changes_.begin(), changes_.end(), [&](const ChangeRow& one) {
    return std::find(one.places.begin(), one.places.end(), place) != one.places.end() &&
           base::matches_wildcard(one.fact, path);
  });
  return row == changes_.end() ? nullptr : &*row;
}

const FactRow& RememberedGuilt::of(const std::string& path) {
  const FactRow*& row = known_[path];
  if (row == nullptr) row = &guilt_.of(path);
  return *row;
}

}  // namespace gpuwright::catalog
