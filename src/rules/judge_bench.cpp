// Published pass lines and maintainers' statements are for one kind of machine each; a reading is compared
// only where every part of the kind is known. A tenth is allowed for: two healthy machines differ by that
// much. Source: data/bench_expectations.csv.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_bench.h"

#include "base/text.h"
#include "rules/net_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gpuwright::rules {

namespace {

using model::BenchReport;
using Row = base::CsvTable::Row;

constexpr double kTolerated = 0.9;
constexpr double kLagging = 0.7;  // of the median: NUMA distance alone costs less

std::vector<std::string> parts(std::string_view model) {
  std::string text(model);
  std::replace(text.begin(), text.end(), '-', ' ');
  std::vector<std::string> result;
  for (const std::string_view word : base::words(text)) result.emplace_back(word);
  return result;
}

/// "A100 SXM4" fits "NVIDIA A100-SXM4-80GB" and "A100-SXM4-40GB"; "H200" does not fit "GH200".
bool same_model(const std::string& wanted, const std::string& printed) {
  const std::vector<std::string> have = parts(printed);
  const std::vector<std::string> need = parts(wanted);
  return !need.empty() && std::all_of(need.begin(), need.end(), [&](const std::string& part) {
    return std::find(have.begin(), have.end(), part) != have.end();
  });
}

bool equals_where_given(const std::string& wanted, const model::Field<std::int64_t>& have) {
  if (wanted.empty()) return true;
  return have.known() && base::parse_int(wanted) == have.value();
}

bool fits(const base::CsvTable& table, const Row& row, const BenchReport& report) {
  if (table.cell(row, "tool") != report.tool || table.cell(row, "test") != report.test) return false;
  if (!same_model(table.cell(row, "gpu"), report.gpu_model)) return false;
  if (!equals_where_given(table.cell(row, "ranks"), report.ranks)) return false;
  if (!equals_where_given(table.cell(row, "nodes"), report.nodes)) return false;
  const auto least = base::parse_int(table.cell(row, "min_bytes"));
  return !least || (report.size_bytes.known() && report.size_bytes.value() >= *least);
}

constexpr double kTooSlow = 0.6;               // of the port's rate; one queue pair alone reaches four fifths
constexpr std::int64_t kLargeMessage = 65536;  // smaller ones are bound by the message rate

/// The rate of the tested port, where another tool told it.
std::optional<double> port_rate(const BenchReport& report, const model::Observations& observations) {
  for (const model::RdmaPort& port : observations.rdma_ports) {
    if (port.device == report.device && port.rate_gbps.known()) return port.rate_gbps.value();
  }
  return std::nullopt;
}

void judge_perftest(const BenchReport& report, const model::Observations& observations,
                    std::vector<model::Event>& result) {
  const auto rate = port_rate(report, observations);
  const bool large = report.size_bytes.known() && report.size_bytes.value() >= kLargeMessage;
  if (!rate || !large || !report.gbit_per_s.known() || report.gbit_per_s.value() >= *rate * kTooSlow) return;
  model::Event event = derived_event("bench.rdma_low", "judge:bench",
                                     device_subject(model::SubjectKind::Nic, report.device), report.evidence);
  event.params["device"] = report.device;
  event.params["measured"] = fmt::format("{:.1f}", report.gbit_per_s.value());
  event.params["rate"] = fmt::format("{:g}", *rate);
  event.params["test"] = report.test;
  result.push_back(std::move(event));
}

std::string size_text(const model::Field<std::int64_t>& bytes) {
  if (!bytes.known()) return "";
  return fmt::format("{:.0f} MiB", static_cast<double>(bytes.value()) / (1024.0 * 1024.0));
}

model::Event reading(const BenchReport& report, const char* signal) {
  model::Event event;
  event.signal = signal;
  event.signature = "judge:bench";
  event.params["measured"] = fmt::format("{:.1f}", report.gb_per_s.value());
  event.params["gpu_model"] = report.gpu_model;
  event.params["test"] = report.test;
  event.evidence.push_back(report.evidence);
  return event;
}

/// A GPU whose copies lag behind its neighbours' in the same run: whatever the machine is, its link differs.
std::optional<model::Event> lagging_gpu(const BenchReport& report) {
  if (!report.gb_per_s.known() || !report.typical_gb_per_s.known() || report.slowest_gpu.empty())
    return std::nullopt;
  if (report.gb_per_s.value() >= report.typical_gb_per_s.value() * kLagging) return std::nullopt;
  model::Event event = reading(report, "bench.gpu_copy_lags");
  event.params["typical"] = fmt::format("{:.1f}", report.typical_gb_per_s.value());
  event.subject.kind = model::SubjectKind::Gpu;
  event.subject.id = report.slowest_gpu;
  return event;
}

std::optional<model::Event> below_expectation(const BenchReport& report, const base::CsvTable& table) {
  const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                [&](const Row& candidate) { return fits(table, candidate, report); });
  if (row == table.rows.end() || !report.gb_per_s.known()) return std::nullopt;
  const std::optional<double> expected = base::parse_double(table.cell(*row, "gb_per_s"));
  if (!expected || report.gb_per_s.value() >= *expected * kTolerated) return std::nullopt;
  model::Event event =
      reading(report, report.tool == "nccl-tests" ? "bench.busbw_low" : "bench.host_copy_low");
  event.params["expected"] = table.cell(*row, "gb_per_s");
  event.params["size"] = size_text(report.size_bytes);
  return event;
}

}  // namespace

std::vector<model::Event> judge_bench(const model::Observations& observations,
                                      const catalog::Catalog& catalog) {
  std::vector<model::Event> result;
  for (const BenchReport& report : observations.bench) {
    if (report.tool == "perftest") judge_perftest(report, observations, result);
  }
  const base::CsvTable* table = catalog.table("bench_expectations");
  for (const BenchReport& report : observations.bench) {
    if (std::optional<model::Event> lagging = lagging_gpu(report)) {
      result.push_back(std::move(*lagging));
      continue;
    }
    std::optional<model::Event> low;
    if (table != nullptr) low = below_expectation(report, *table);
    if (low) result.push_back(std::move(*low));
  }
  return result;
}

}  // namespace gpuwright::rules
