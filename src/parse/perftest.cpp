// perftest (ib_write_bw, ib_read_bw, ib_send_bw): a head of "Name : value" pairs, two in a line, then one row
// for each message size: bytes, iterations, peak, average, message rate. The unit stands in the column's
// name: MB/sec (2^20 bytes) unless --report_gbits was given. Source: linux-rdma/perftest,
// src/perftest_parameters.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/bench_formats.h"
#include "parse/block_evidence.h"

#include <utility>

namespace gpuwright::parse {
namespace {

constexpr double kGigabitsOfMebibyte = 8.0 * 1024 * 1024 / 1e9;
constexpr std::size_t kMostText = 1'000;

/// The word behind "name" and its colon.
std::string_view value_behind(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  const std::size_t colon = at == std::string_view::npos ? at : line.find(':', at + name.size());
  if (colon == std::string_view::npos) return {};
  const auto words = base::words(line.substr(colon + 1));
  return words.empty() ? std::string_view() : words.front();
}

class PerftestReader {
 public:
  explicit PerftestReader(const BlockContext& context) : context_(context) { start(); }

  bool line(std::string_view line, std::int64_t number) {
    const std::string_view text = base::trim(line.substr(0, kMostText));
    if (base::contains(text, " BW Test")) {
      keep();
      report_.test = base::printable(text, 60);
    }
    if (const auto device = value_behind(text, "Device  "); !device.empty())
      report_.device = base::printable(device, 60);
    if (base::contains(text, "BW average"))
      per_unit_ = base::contains(text, "Gb/sec") ? 1.0 : kGigabitsOfMebibyte;
    if (per_unit_ > 0) row(text, number);
    return true;
  }

  bool finish(model::Observations& out) {
    keep();
    const bool found = !reports_.empty();
    for (model::BenchReport& report : reports_) out.bench.push_back(std::move(report));
    return found;
  }

 private:
  void start() {
    report_ = model::BenchReport();
    report_.tool = "perftest";
    per_unit_ = 0;
  }

  void row(std::string_view text, std::int64_t number) {
    const auto words = base::words(text);
    if (words.size() < 4 || words.size() > 6) return;
    const auto bytes = base::parse_int(words[0]);
    const auto average = base::parse_double(words[3]);
    if (!bytes || *bytes <= 0 || !base::parse_int(words[1]) || !average || *average < 0) return;
    const double gigabits = *average * per_unit_;
    if (report_.gbit_per_s.known() && report_.gbit_per_s.value() >= gigabits) return;
    report_.gbit_per_s = gigabits;
    report_.size_bytes = *bytes;
    report_.evidence = evidence_of(context_, number, text);
  }

  void keep() {
    if (report_.gbit_per_s.known() && reports_.size() < kMaxReports) reports_.push_back(std::move(report_));
    start();
  }

  static constexpr std::size_t kMaxReports = 64;
  const BlockContext& context_;
  model::BenchReport report_;
  std::vector<model::BenchReport> reports_;
  double per_unit_ = 0;  ///< Gbit/s for one of the column's units; 0: before the table
};

}  // namespace

bool parse_perftest(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                    model::Observations& out) {
  PerftestReader reader(context);
  return read_lines(reader, block, context, out);
}

}  // namespace gpuwright::parse
