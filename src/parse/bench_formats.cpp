// nccl-tests prints a header of `#` lines (ranks with node and GPU model), then one row for each message
// size: size, count, type, reduction, [root], and twice time, algorithm bandwidth, bus bandwidth and wrong
// elements. nvbandwidth prints "Running TEST." and a matrix whose rows begin with the row's number. Source:
// nccl-tests src/common.cu, doc/PERFORMANCE.md; nvbandwidth output.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "parse/bench_formats.h"

#include "base/text.h"
#include "parse/subject.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {

namespace {

using model::BenchReport;
using Words = std::vector<std::string_view>;

constexpr std::size_t kMaxTests = 64;
constexpr std::size_t kMaxGpus = 1'024;
constexpr std::size_t kMaxRanks = 100'000;
constexpr std::int64_t kMostWrong = 1'000'000'000'000;

model::Evidence proof(const BlockContext& context, std::int64_t line, std::string_view text) {
  return model::Evidence{context.input, context.first_line + line, base::printable(text)};
}

std::int64_t type_size(std::string_view type) {
  if (type == "double" || type == "int64" || type == "uint64") return 8;
  if (type == "half" || type == "bfloat16") return 2;
  if (type == "int8" || type == "uint8" || type == "f8e4m3" || type == "f8e5m2") return 1;
  return type == "float" || type == "int32" || type == "uint32" ? 4 : 0;
}

/// Which collective the columns belong to, where no line says it: an all-reduce moves as many bytes as it has
/// elements and names its reduction.
bool is_all_reduce(const Words& row) {
  const auto size = base::parse_int(row[0]), count = base::parse_int(row[1]);
  const std::int64_t element = type_size(row[2]);
  return size && count && *size > 0 && row[3] == "sum" && element > 0 && *size % element == 0 &&
         *size / element == *count;
}

class NcclTable {
 public:
  explicit NcclTable(const BlockContext& context) : context_(context) { report_.tool = "nccl-tests"; }

  void header(std::string_view line) {
    const std::string_view test = line.substr(std::min(line.size(), line.find("test starting: ")));
    if (!test.empty()) report_.test = std::string(test.substr(15, test.find("_perf") - 15));
    const Words words = base::words(line);
    const std::size_t bracket = line.find("] ");
    if (words.size() < 6 || words[1] != "Rank" || bracket == std::string_view::npos) return;
    if (ranks_ < kMaxRanks) ++ranks_;
    const auto on = std::find(words.begin(), words.end(), "on");
    if (on != words.end() && on + 1 != words.end() && nodes_.size() < kMaxRanks)
      nodes_.insert(std::string(*(on + 1)));
    report_.gpu_model = base::printable(base::trim(line.substr(bracket + 2)), 80);
  }

  void row(const Words& words, std::int64_t number, std::string_view line) {
    const std::size_t n = words.size();
    if (n < 12 || n > 14) return;
    const auto size = base::parse_int(words[0]);
    const auto out = base::parse_double(words[n - 6]), in = base::parse_double(words[n - 2]);
    if (!size || !out || !in) return;
    for (const std::string_view cell : {words[n - 5], words[n - 1]})
      wrong_ = std::min(kMostWrong,
                        wrong_ + std::clamp<std::int64_t>(base::parse_int(cell).value_or(0), 0, kMostWrong));
    if (report_.size_bytes.known() && *size < report_.size_bytes.value()) return;
    if (report_.test.empty() && is_all_reduce(words)) report_.test = "all_reduce";
    report_.size_bytes = *size;
    report_.gb_per_s = std::max(*out, *in);
    report_.evidence = proof(context_, number, line);
  }

  bool finish(model::Observations& out) {
    if (!report_.gb_per_s.known()) return false;
    if (ranks_ > 0) report_.ranks = static_cast<std::int64_t>(ranks_);
    if (!nodes_.empty()) report_.nodes = static_cast<std::int64_t>(nodes_.size());
    report_.wrong = wrong_;
    out.bench.push_back(std::move(report_));
    return true;
  }

 private:
  const BlockContext& context_;
  BenchReport report_;
  std::size_t ranks_ = 0;
  std::set<std::string> nodes_;
  std::int64_t wrong_ = 0;
};

/// One row of a host-to-GPU matrix: a cell for each GPU.
struct MatrixRow {
  double lowest = 0;
  std::size_t column = 0;         ///< of the lowest cell
  std::optional<double> typical;  ///< the median; of fewer than three cells nothing is typical
};

/// Nothing if the line is no such row.
std::optional<MatrixRow> read_row(const Words& words) {
  if (words.size() < 2 || !base::parse_int(words[0])) return std::nullopt;
  MatrixRow row;
  std::vector<double> cells;
  for (std::size_t i = 1; i < words.size() && i <= kMaxGpus; ++i) {
    const auto cell = base::parse_double(words[i]);
    const bool is_column_number = !base::contains(words[i], ".");
    if (is_column_number || !cell || !(*cell > 0)) continue;
    if (cells.empty() || *cell < row.lowest) {
      row.lowest = *cell;
      row.column = i - 1;
    }
    cells.push_back(*cell);
  }
  if (cells.empty()) return std::nullopt;
  std::sort(cells.begin(), cells.end());
  if (cells.size() >= 3) row.typical = cells[cells.size() / 2];
  return row;
}

/// The host-to-GPU matrices of one nvbandwidth run.
class CopyMatrices {
 public:
  explicit CopyMatrices(const BlockContext& context) : context_(context) {}

  void take(std::string_view line, std::int64_t number) {
    const std::string_view text = base::trim(line);
    if (text.substr(0, 7) == "Device ") take_device(text);
    if (text.substr(0, 8) == "Running ") test_ = base::printable(text.substr(8, text.size() - 9), 80);
    if (test_ != "host_to_device_memcpy_ce" && test_ != "device_to_host_memcpy_ce") return;
    const std::optional<MatrixRow> row = read_row(base::words(text));
    if (row && reports_.size() < kMaxTests) take_row(*row, number, line);
  }

  bool finish(model::Observations& out) {
    const bool found = !reports_.empty();
    for (BenchReport& report : reports_) out.bench.push_back(std::move(report));
    return found;
  }

 private:
  /// "Device 2: NVIDIA H100 80GB HBM3 (00000000:52:00)"; the devices are listed in the order of the columns.
  void take_device(std::string_view text) {
    const std::size_t colon = text.find(": "), bracket = text.rfind(" (");
    if (colon == std::string_view::npos || bracket == std::string_view::npos || bracket < colon) return;
    if (gpu_model_.empty()) gpu_model_ = base::printable(text.substr(colon + 2, bracket - colon - 2), 80);
    const std::string_view address = text.substr(bracket + 2, text.find(')', bracket) - bracket - 2);
    if (addresses_.size() < kMaxGpus)
      addresses_.push_back(canonical_device(address, model::SubjectKind::Gpu));
  }

  void take_row(const MatrixRow& row, std::int64_t number, std::string_view line) {
    if (reports_.empty() || reports_.back().test != test_) {
      BenchReport report;
      report.tool = "nvbandwidth";
      report.test = test_;
      report.gpu_model = gpu_model_;
      reports_.push_back(std::move(report));
    }
    BenchReport& report = reports_.back();
    if (report.gb_per_s.known() && report.gb_per_s.value() <= row.lowest) return;
    report.gb_per_s = row.lowest;
    if (row.typical) report.typical_gb_per_s = *row.typical;
    report.slowest_gpu = row.column < addresses_.size() ? addresses_[row.column] : "";
    report.evidence = proof(context_, number, line);
  }

  const BlockContext& context_;
  std::string gpu_model_, test_;
  std::vector<std::string> addresses_;
  std::vector<BenchReport> reports_;
};

}  // namespace

bool parse_nccl_tests(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                      model::Observations& out) {
  NcclTable table(context);
  std::int64_t number = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::string_view text = base::trim(line);
    if (!text.empty() && text.front() == '#') {
      table.header(text);
    } else {
      table.row(base::words(text), number, line);
    }
    ++number;
  }
  return table.finish(out);
}

bool parse_nvbandwidth(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                       model::Observations& out) {
  CopyMatrices matrices(context);
  std::int64_t number = -1;
  for (const std::string_view line : base::lines(block)) matrices.take(line, ++number);
  return matrices.finish(out);
}

bool parse_ulimit(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                  model::Observations& out) {
  std::int64_t number = -1;
  for (const std::string_view line : base::lines(block.substr(0, 4096))) {
    ++number;
    const std::string_view text = base::trim(line);
    if (number == 0 || text.empty()) continue;
    if (text != "unlimited" && !base::parse_int(text)) return false;
    model::Event event;
    event.signal = "nccl.memlock_limit";
    event.signature = "ulimit";
    event.level = model::EventLevel::Context;
    event.params["limit"] = std::string(text);
    event.evidence.push_back(proof(context, number, line));
    out.events.push_back(std::move(event));
    return true;
  }
  return false;
}

}  // namespace gpuwright::parse
