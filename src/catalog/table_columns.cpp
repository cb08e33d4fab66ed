// SPDX-License-Identifier: Apache-2.0
#include "catalog/table_columns.h"

#include "base/text.h"
#include "catalog/csv_row.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace gpuwright::catalog {

namespace {

using base::ErrorKind;
using base::make_error;
using kit::Node;

bool digits_only(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_version(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(text, '.');
  return std::all_of(parts.begin(), parts.end(), digits_only);
}

/// "2026", "2026-06", "2026-06-30".
bool is_day(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(text, '-');
  if (parts.empty() || parts.size() > 3 || parts.front().size() != 4) return false;
  return std::all_of(parts.begin(), parts.end(), digits_only) &&
         std::all_of(parts.begin() + 1, parts.end(), [](std::string_view part) { return part.size() == 2; });
}

/// Fills one row from its cells and keeps the first complaint.
class RowReader {
 public:
  explicit RowReader(const CsvRow& cells) : cells_(cells) {}

  void text(const char* column, std::string& out) { out = cell(column); }
  void version(const char* column, std::string& out) {
    out = cell(column);
    require(out.empty() || is_version(out), column, out, "a dotted version");
  }
  void day(const char* column, std::string& out) {
    out = cell(column);
    require(out.empty() || is_day(out), column, out, "a day, month or year");
  }
  void decimal(const char* column, std::string& out) {
    out = cell(column);
    require(base::parse_double(out).has_value(), column, out, "a number");
  }
  void number(const char* column, std::int64_t& out) {
    const std::string text = cell(column);
    const auto value = base::parse_int(text);
    require(text.empty() || value.has_value(), column, text, "a whole number");
    out = value.value_or(out);
  }
  void hex(const char* column, std::int64_t& out) {
    const std::string text = cell(column);
    const auto value = base::parse_hex(text);
    require(value.has_value(), column, text, "a hexadecimal number");
    out = static_cast<std::int64_t>(value.value_or(0));
  }
  void yes(const char* column, bool& out) {
    const std::string text = cell(column);
    require(text.empty() || text == "yes" || text == "no", column, text, "yes or no");
    out = text == "yes";
  }
  void list(const char* column, std::vector<std::string>& out) {
    seen_.insert(column);
    out = cells_.list(column);
  }

  const std::string& complaint() const { return complaint_; }
  const std::set<std::string>& seen() const { return seen_; }

 private:
  std::string cell(const char* column) {
    seen_.insert(column);
    return cells_[column];
  }
  void require(bool holds, const char* column, const std::string& text, const char* what) {
    if (!holds && complaint_.empty()) complaint_ = fmt::format("{} '{}' is not {}", column, text, what);
  }

  const CsvRow& cells_;
  std::string complaint_;
  std::set<std::string> seen_;
};

/// What keeps a header from being that of the rows; empty when it fits.
std::string header_complaint(const Node& header, const std::set<std::string>& wanted) {
  std::set<std::string> have;
  for (const Node& cell : header.items) have.insert(cell.scalar);
  for (const std::string& column : wanted)
    if (have.count(column) == 0) return fmt::format("column '{}' is missing", column);
  for (const std::string& column : have)
    if (wanted.count(column) == 0) return fmt::format("column '{}' is unknown", column);
  return {};
}

template <class Row>
base::Result<bool> read_table(const KnowledgeFile& file, std::vector<Row>& rows) {
  for (std::size_t i = 1; i < file.root.items.size(); ++i) {
    const CsvRow cells(file.root.items[0], file.root.items[i]);
    RowReader reader(cells);
    Row row;
    columns(reader, row);
    std::string complaint = i == 1 ? header_complaint(file.root.items[0], reader.seen()) : reader.complaint();
    if (complaint.empty()) complaint = reader.complaint();
    if (complaint.empty() && row.source.empty()) complaint = "needs a source";
    if (!complaint.empty()) {
      return make_error(ErrorKind::Malformed, complaint, fmt::format("{}:{}", file.name, cells.line()));
    }
    rows.push_back(std::move(row));
  }
  return true;
}

}  // namespace

base::Result<bool> add_typed_table(Tables& tables, const KnowledgeFile& file) {
  Compat& compat = tables.compat;
  const std::string& name = file.name;
  if (name == "compat/cuda_releases.csv") return read_table(file, compat.cuda_releases);
  if (name == "compat/driver_branches.csv") return read_table(file, compat.branches);
  if (name == "compat/compute_capabilities.csv") return read_table(file, compat.capabilities);
  if (name == "compat/cuda_compilers.csv") return read_table(file, compat.compilers);
  if (name == "gpu_chips.csv") return read_table(file, compat.chips);
  if (name == "gpus.csv") return read_table(file, compat.boards);
  if (name == "compat/cudnn.csv") return read_table(file, compat.cudnn);
  if (name == "compat/pytorch.csv") return read_table(file, compat.torch);
  if (name == "compat/tensorflow.csv") return read_table(file, compat.tensorflow);
  if (name == "compat/os.csv") return read_table(file, compat.os);
  if (name == "compat/os_families.csv") return read_table(file, compat.os_families);
  if (name == "compat/image_families.csv") return read_table(file, compat.images);
  if (name == "compat/image_distributions.csv") return read_table(file, compat.image_distributions);
  if (name == "metrics/families.csv") return read_table(file, tables.metrics.families);
  if (name == "metrics/series.csv") return read_table(file, tables.metrics.series);
  if (name == "metrics/paged_xids.csv") return read_table(file, tables.metrics.xids);
  if (name == "metrics/alerts.csv") return read_table(file, tables.metrics.alerts);
  if (name == "metrics/dcgm.csv") return read_table(file, tables.metrics.dcgm);
  if (name == "metrics/panels.csv") return read_table(file, tables.metrics.panels);
  if (name == "metrics/panel_titles.csv") return read_table(file, tables.metrics.panel_titles);
  if (name == "fleet/queries.csv") return read_table(file, tables.fleet.queries);
  if (name == "fleet/classes.csv") return read_table(file, tables.fleet.classes);
  if (name == "fleet/prices.csv") return read_table(file, tables.fleet.prices);
  if (name == "thresholds.csv") return read_table(file, tables.thresholds);
  return false;
}

base::Status finish_typed_tables(Tables& tables) {
  Compat& compat = tables.compat;
  GPUWRIGHT_TRY([[maybe_unused]] const auto done, check_metrics(tables.metrics));
  GPUWRIGHT_TRY([[maybe_unused]] const auto sorted, check_fleet(tables.fleet));
  std::sort(tables.thresholds.begin(), tables.thresholds.end(),
            [](const ThresholdRow& a, const ThresholdRow& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < tables.thresholds.size(); ++i) {
    if (tables.thresholds[i - 1].id == tables.thresholds[i].id)
      return make_error(ErrorKind::Malformed,
                        fmt::format("threshold '{}' stands twice", tables.thresholds[i].id));
  }
  std::sort(compat.branches.begin(), compat.branches.end(),
            [](const DriverBranchRow& a, const DriverBranchRow& b) { return a.branch < b.branch; });
  for (std::size_t i = 1; i < compat.branches.size(); ++i) {
    if (compat.branches[i - 1].branch == compat.branches[i].branch)
      return make_error(ErrorKind::Malformed,
                        fmt::format("driver branch {} stands twice", compat.branches[i].branch));
  }
  std::sort(compat.chips.begin(), compat.chips.end(),
            [](const GpuChipRow& a, const GpuChipRow& b) { return a.first_id < b.first_id; });
  for (std::size_t i = 1; i < compat.chips.size(); ++i) {
    if (compat.chips[i - 1].last_id >= compat.chips[i].first_id)
      return make_error(ErrorKind::Malformed, fmt::format("the ids of chip {} overlap with those of {}",
                                                          compat.chips[i].chip, compat.chips[i - 1].chip));
  }
  return base::Done{};
}

const DriverBranchRow* Compat::branch(std::int64_t number) const {
  const auto at = std::find_if(branches.begin(), branches.end(),
                               [&](const DriverBranchRow& row) { return row.branch == number; });
  return at == branches.end() ? nullptr : &*at;
}

const ComputeCapabilityRow* Compat::capability(std::string_view cc) const {
  const auto at = std::find_if(capabilities.begin(), capabilities.end(),
                               [&](const ComputeCapabilityRow& row) { return row.cc == cc; });
  return at == capabilities.end() ? nullptr : &*at;
}

const GpuChipRow* Compat::chip(std::int64_t device_id) const {
  const auto at = std::find_if(chips.begin(), chips.end(), [&](const GpuChipRow& row) {
    return row.first_id <= device_id && device_id <= row.last_id;
  });
  return at == chips.end() ? nullptr : &*at;
}

const GpuBoardRow* Compat::board(std::string_view device_id, std::string_view subsystem_id) const {
  const std::string device = base::lower(device_id);
  const std::string with_subsystem = device + ":" + base::lower(subsystem_id);
  for (const std::string& wanted : {with_subsystem, device}) {
    for (const GpuBoardRow& row : boards) {
      if (std::find(row.pci_ids.begin(), row.pci_ids.end(), wanted) != row.pci_ids.end()) return &row;
    }
  }
  return nullptr;
}

const OsFamilyRow* Compat::os_family(std::string_view family) const {
  const auto at = std::find_if(os_families.begin(), os_families.end(),
                               [&](const OsFamilyRow& row) { return row.family == family; });
  return at == os_families.end() ? nullptr : &*at;
}

}  // namespace gpuwright::catalog
