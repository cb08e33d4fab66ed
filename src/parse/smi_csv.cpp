// `nvidia-smi --query-gpu=A,B,C --format=csv` prints a header with units in brackets and one row a GPU; with
// noheader only the command line above the rows, which people paste with the output, says what the columns
// are. Source: nvidia-smi --help-query-gpu.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

struct Column {
  std::string name;
  std::string unit;  ///< "MiB" when the header says so and the values are bare
};

Column column_of(std::string_view cell) {
  Column column;
  std::string_view text = base::trim(cell);
  const std::size_t bracket = text.find('[');
  if (bracket != std::string_view::npos) {
    const std::size_t end = text.find(']', bracket);
    if (end != std::string_view::npos) column.unit = std::string(text.substr(bracket + 1, end - bracket - 1));
    text = base::trim(text.substr(0, bracket));
  }
  while (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
  column.name = base::printable(text, 100);
  return column;
}

std::vector<Column> columns_of(std::string_view list) {
  std::vector<Column> columns;
  for (const std::string_view cell : base::split(list, ',')) {
    if (columns.size() >= 400) break;
    columns.push_back(column_of(cell));
  }
  return columns;
}

/// A header knows at least one name, and looks like names throughout. A single name may stand anywhere, so it
/// needs the command line.
bool is_header(const std::vector<Column>& columns) {
  if (columns.size() < 2) return false;
  std::size_t known = 0;
  for (const Column& column : columns) {
    if (column.name.empty() || column.name.find(' ') != std::string::npos) return false;
    if (knows_gpu_path(SmiLanguage::Query, column.name)) ++known;
  }
  return known > 0 && known * 4 >= columns.size();
}

class CsvReader {
 public:
  explicit CsvReader(const BlockContext& context) : context_(context) {}

  bool line(std::string_view text, std::int64_t number) {
    const std::string_view trimmed = base::trim(text);
    if (trimmed.empty()) return columns_.empty() || gpus_.empty();
    if (command_line(trimmed)) return true;
    const std::vector<Column> columns = columns_of(trimmed);
    if (is_header(columns)) {
      columns_ = columns;
      return true;
    }
    const bool own_header =
        columns.size() == 1 && columns_.size() == 1 && columns.front().name == columns_.front().name;
    if (own_header) return true;
    return row(trimmed, number);
  }

  bool finish(model::Observations& out) {
    for (model::GpuReport& gpu : gpus_) {
      derive_gpu_fields(gpu);
      out.gpus.push_back(std::move(gpu));
    }
    return !gpus_.empty();
  }

 private:
  bool command_line(std::string_view text) {
    const std::size_t at = text.find("--query-");
    if (at == std::string_view::npos) return false;
    const std::size_t equals = text.find_first_of("= ", at);
    if (equals == std::string_view::npos) return true;
    const auto words = base::words(text.substr(equals + 1));
    if (!words.empty()) columns_ = columns_of(words.front());
    one_gpu_ = base::contains(text, " -i ") || base::contains(text, " -i=") || base::contains(text, "--id=");
    return true;
  }

  bool row(std::string_view text, std::int64_t number) {
    const auto cells = base::split(text, ',');
    if (columns_.empty() || cells.size() != columns_.size()) return false;
    if (text.front() == '$' || text.front() == '#' || text.size() > 4096) return false;
    if (columns_.size() == 1 && base::words(text).size() > 4) return false;
    if (gpus_.size() >= kMaxGpusPerBlock) return false;
    model::GpuReport gpu = new_gpu_report("nvidia-smi-csv", context_);
    bool identified = false;
    bool known = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string value(base::trim(cells[i]));
      if (!columns_[i].unit.empty() && base::parse_double(value)) value += " " + columns_[i].unit;
      if (!assign_gpu_value(gpu, SmiLanguage::Query, {columns_[i].name, value, number, text})) continue;
      known = true;
    }
    identified = gpu.index.known() || gpu.uuid.known() || gpu.pci.known();
    if (!known) return false;
    // Without a name in the row the order is NVML's, unless one GPU was asked for.
    if (!identified && !one_gpu_)
      gpu.index = model::Field<std::int64_t>(static_cast<std::int64_t>(gpus_.size()));
    gpus_.push_back(std::move(gpu));
    return true;
  }

  BlockContext context_;
  std::vector<Column> columns_;
  std::vector<model::GpuReport> gpus_;
  bool one_gpu_ = false;
};

}  // namespace

bool parse_smi_csv(std::string_view block, const BlockContext& context, const catalog::Catalog& /*catalog*/,
                   model::Observations& out) {
  CsvReader reader(context);
  return read_lines(reader, block, context, out);
}

}  // namespace gpuwright::parse
