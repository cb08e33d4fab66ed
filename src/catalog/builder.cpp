// SPDX-License-Identifier: Apache-2.0
#include "catalog/builder.h"

#include "base/text.h"
#include "catalog/csv_row.h"
#include "catalog/spec_key.h"
#include "catalog/table_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace gpuwright::catalog {

using base::ErrorKind;
using base::make_error;
using kit::Node;

namespace {

base::Result<FormatRow> read_format(const Node& row, const std::string& file) {
  FormatRow format;
  format.id = row["id"].text();
  format.title = Text{row["title"]["en"].text(), row["title"]["zh"].text()};
  format.until_blank = row["until"].text() == "blank";
  format.until_end = row["until"].text() == "end";
  std::vector<std::string> captures;
  for (const std::string& start : row["starts"].texts()) {
    base::Result<Template> compiled = compile_template(start, captures);
    if (!compiled)
      return make_error(ErrorKind::Malformed, compiled.error().message, fmt::format("{}:{}", file, row.line));
    format.starts.push_back(std::move(compiled).value());
  }
  if (format.id.empty() || format.starts.empty()) {
    return make_error(ErrorKind::Malformed, "a format needs id and starts",
                      fmt::format("{}:{}", file, row.line));
  }
  return format;
}

base::Result<DemoRow> read_demo(const Node& row, const std::string& file) {
  DemoRow demo{
      row["name"].text(), {row["title"]["en"].text(), row["title"]["zh"].text()}, row["text"].text()};
  if (demo.name.empty() || demo.text.empty()) {
    return make_error(ErrorKind::Malformed, "a demo needs name and text",
                      fmt::format("{}:{}", file, row.line));
  }
  return demo;
}

XidRow read_xid(const CsvRow& row) {
  XidRow xid;
  xid.code = row.integer("code");
  xid.mnemonic = row["mnemonic"];
  xid.meaning = Text{row["meaning_en"], row["meaning_zh"]};
  xid.action = row["action"];
  xid.investigate = row["investigate"];
  xid.severity = row["severity"];
  xid.applies_to = row["applies_to"];
  xid.note = row["note"];
  xid.source = row["source"];
  return xid;
}

SxidRow read_sxid(const CsvRow& row) {
  SxidRow sxid;
  sxid.code = row.integer("code");
  sxid.mnemonic = row["mnemonic"];
  sxid.meaning = Text{row["meaning_en"], row["meaning_zh"]};
  sxid.guide_class = row["guide_class"];
  sxid.source = row["source"];
  return sxid;
}

Nvlink5Row read_nvlink5(const CsvRow& row) {
  Nvlink5Row link;
  link.xid = row.integer("xid");
  link.subunit = row["subunit"];
  link.pattern_v1 = row["pattern_v1"];
  link.pattern_v2 = row["pattern_v2"];
  link.error_status = row["error_status"];
  link.action = row["action"];
  link.action2_pattern_v1 = row["action2_pattern_v1"];
  link.action2_pattern_v2 = row["action2_pattern_v2"];
  link.action2 = row["action2"];
  link.investigate = row["investigate"];
  link.severity = row["severity"];
  link.local_effects = row["local_effects"];
  link.remote_effects = row["remote_effects"];
  link.source = row["source"];
  return link;
}

base::CsvTable to_table(const Node& root) {
  base::CsvTable table;
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    std::vector<std::string> cells = root.items[i].texts();
    if (i == 0) {
      table.header = std::move(cells);
    } else {
      table.rows.push_back(base::CsvTable::Row{root.items[i].line, std::move(cells)});
    }
  }
  return table;
}

/// "driver_branches" of "driver_branches.csv".
std::string table_name(const std::string& file) {
  return file.substr(0, file.size() - 4);
}

/// Sorts by id and refuses two rows of one id.
template <class T, class Key>
base::Status sort_unique(std::vector<T>& rows, Key key) {
  std::sort(rows.begin(), rows.end(), [&](const T& a, const T& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (key(rows[i - 1]) == key(rows[i]))
      return make_error(ErrorKind::Malformed, fmt::format("'{}' stands twice", key(rows[i])));
  }
  return base::Done{};
}

template <class T, class Key, class Value>
const T* find_sorted(const std::vector<T>& rows, Key key, const Value& value) {
  const auto at = std::lower_bound(rows.begin(), rows.end(), value,
                                   [&](const T& row, const Value& wanted) { return key(row) < wanted; });
  return at != rows.end() && key(*at) == value ? &*at : nullptr;
}

constexpr std::string_view kScannerTable = "log_windows.csv";  // needed at each start
constexpr auto kById = [](const auto& row) -> const std::string& { return row.id; };
constexpr auto kByCode = [](const auto& row) { return row.code; };

}  // namespace

namespace {

template <class T>
base::Status add_rows(const KnowledgeFile& file, std::vector<T>& rows,
                      base::Result<T> (*read)(const Node&, const std::string&)) {
  for (const Node& item : file.root.items) {
    GPUWRIGHT_TRY(T row, read(item, file.name));
    rows.push_back(std::move(row));
  }
  return base::Done{};
}

base::Status add_rules(Rules& rules, const KnowledgeFile& file) {
  const std::string& name = file.name;
  if (name.starts_with("signatures/")) return add_rows(file, rules.signatures, read_signature);
  if (name.starts_with("causes/")) return add_rows(file, rules.causes, read_cause);
  if (name == "demos.yaml") return add_rows(file, rules.demos, read_demo);
  if (name == "formats.yaml") return add_rows(file, rules.formats, read_format);
  if (name == kScannerTable) rules.scanner_tables.emplace(table_name(name), to_table(file.root));
  return base::Done{};
}

/// Rows of data/spec/, and the names of the sections in their order.
base::Status add_spec_keys(const KnowledgeFile& file, std::vector<SpecKey>& rows,
                           std::vector<std::string>& sections) {
  if (!file.name.starts_with("spec/")) return base::Done{};
  const bool top = file.name == "spec/sections.yaml";
  for (const Node& item : file.root.items) {
    GPUWRIGHT_TRY(SpecKey row, read_spec_key(item, file.name));
    if (top) sections.push_back(row.key);
    rows.push_back(std::move(row));
  }
  return base::Done{};
}

void add_table(Tables& tables, const KnowledgeFile& file) {
  const std::string& name = file.name;
  if (!name.ends_with(".csv") || name == kScannerTable) return;
  const bool typed = name == "xids.csv" || name == "sxids.csv" || name == "nvlink5.csv";
  if (!typed) tables.others.emplace(table_name(name), to_table(file.root));
  for (std::size_t i = 1; typed && i < file.root.items.size(); ++i) {
    const CsvRow row(file.root.items[0], file.root.items[i]);
    if (name == "xids.csv") tables.xids.push_back(read_xid(row));
    if (name == "sxids.csv") tables.sxids.push_back(read_sxid(row));
    if (name == "nvlink5.csv") tables.nvlink5.push_back(read_nvlink5(row));
  }
}

}  // namespace

const Tables& LazyTables::get() {
  std::call_once(once_, [this] { tables_ = make_(); });
  return tables_;
}

base::Result<Catalog> build_catalog(const std::vector<KnowledgeFile>& files) {
  Rules rules;
  Tables tables;
  std::vector<std::string> sections;
  std::vector<SpecKey> spec_keys;
  for (const KnowledgeFile& file : files) {
    GPUWRIGHT_TRY([[maybe_unused]] auto done, add_rules(rules, file));
    GPUWRIGHT_TRY([[maybe_unused]] auto keys, add_spec_keys(file, spec_keys, sections));
    GPUWRIGHT_TRY(const bool typed, add_typed_table(tables, file));
    if (!typed) add_table(tables, file);
  }
  GPUWRIGHT_TRY(spec_keys, arrange_spec_keys(std::move(spec_keys), sections));
  tables.spec_keys = std::make_shared<std::vector<SpecKey>>(std::move(spec_keys));
  GPUWRIGHT_TRY([[maybe_unused]] auto signatures, sort_unique(rules.signatures, kById));
  GPUWRIGHT_TRY([[maybe_unused]] auto causes, sort_unique(rules.causes, kById));
  GPUWRIGHT_TRY([[maybe_unused]] auto formats, sort_unique(rules.formats, kById));
  GPUWRIGHT_TRY([[maybe_unused]] auto xids, sort_unique(tables.xids, kByCode));
  GPUWRIGHT_TRY([[maybe_unused]] auto sxids, sort_unique(tables.sxids, kByCode));
  GPUWRIGHT_TRY([[maybe_unused]] auto finished, finish_typed_tables(tables));
  return Catalog(std::move(rules), [tables = std::move(tables)] { return tables; });
}

base::Result<Catalog> Catalog::from_folder(const std::string& folder) {
  GPUWRIGHT_TRY(const std::vector<KnowledgeFile> files, read_knowledge(folder));
  return build_catalog(files);
}

SpecKeys Catalog::spec_keys() const {
  const auto& keys = tables().spec_keys;
  return keys ? SpecKeys(*keys) : SpecKeys({});
}

const Cause* Catalog::cause(std::string_view id) const {
  return find_sorted(rules_.causes, kById, std::string(id));
}
const Signature* Catalog::signature(std::string_view id) const {
  return find_sorted(rules_.signatures, kById, std::string(id));
}
const XidRow* Catalog::xid(std::int64_t code) const {
  return find_sorted(xids(), kByCode, code);
}
const SxidRow* Catalog::sxid(std::int64_t code) const {
  return find_sorted(sxids(), kByCode, code);
}
double Catalog::threshold(std::string_view id) const {
  const ThresholdRow* row = find_sorted(tables().thresholds, kById, std::string(id));
  const std::optional<double> value = row == nullptr ? std::nullopt : base::parse_double(row->value);
  return value.value_or(std::numeric_limits<double>::infinity());
}
const base::CsvTable* Catalog::table(std::string_view name) const {
  const std::string key(name);
  const auto needed = rules_.scanner_tables.find(key);
  if (needed != rules_.scanner_tables.end()) return &needed->second;
  const auto other = tables().others.find(key);
  return other == tables().others.end() ? nullptr : &other->second;
}

}  // namespace gpuwright::catalog
