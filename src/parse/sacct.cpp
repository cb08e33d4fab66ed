// `sacct` prints one row per job and per step: columns as wide as the line of dashes under the header shows,
// or fields between bars (-P, -p). A value that does not fit ends in "+". Steps ("812.batch") repeat what the
// job's own row says. Source: Slurm, src/sacct/print.c; documentation, "sacct".
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/slurm_formats.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxRows = 50'000;
constexpr std::size_t kMostText = 2'000;

std::vector<std::string_view> between_bars(std::string_view line) {
  std::vector<std::string_view> cells;
  for (const std::string_view cell : base::split(line, '|')) cells.push_back(base::trim(cell));
  return cells;
}

/// First and one behind the last column of each run of dashes.
std::vector<std::pair<std::size_t, std::size_t>> dash_runs(std::string_view line) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t at = line.find('-'); at != std::string_view::npos; at = line.find('-', at)) {
    std::size_t end = line.find_first_not_of('-', at);
    if (end == std::string_view::npos) end = line.size();
    runs.emplace_back(at, end);
    at = end;
  }
  return runs;
}

bool is_dashes(std::string_view line) {
  return line.substr(0, 3) == "---" && line.find_first_not_of("- \r") == std::string_view::npos;
}

class SacctReader {
 public:
  SacctReader(const BlockContext& context, model::Observations& out) : context_(context), out_(out) {}

  bool line(std::string_view line, std::int64_t number) {
    const std::string_view text = line.substr(0, kMostText);
    if (text.substr(0, 5) == "JobID") {
      bars_ = base::contains(text, "|");
      header_ = std::string(text);
      names_ = bars_ ? between_bars(header_) : std::vector<std::string_view>();
      runs_.clear();
    } else if (!header_.empty() && !bars_ && runs_.empty() && is_dashes(text)) {
      runs_ = dash_runs(text);
      names_ = cells_of(header_);
    } else if (!names_.empty() && kept_ < kMaxRows) {
      row(text, number);
    }
    return true;
  }
  bool finish(model::Observations&) const { return !names_.empty(); }

 private:
  std::vector<std::string_view> cells_of(std::string_view line) const {
    if (bars_) return between_bars(line);
    std::vector<std::string_view> cells;
    for (const auto& [begin, end] : runs_)
      cells.push_back(begin < line.size() ? base::trim(line.substr(begin, end - begin)) : std::string_view());
    return cells;
  }

  std::string_view cell(const std::vector<std::string_view>& cells, std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    const auto index = static_cast<std::size_t>(at - names_.begin());
    return at == names_.end() || index >= cells.size() ? std::string_view() : cells[index];
  }

  void row(std::string_view line, std::int64_t number) {
    const auto cells = cells_of(line);
    const std::string_view id = cells.empty() ? std::string_view() : cells[0];
    const std::string_view state = cell(cells, "State");
    const bool job = !id.empty() && id[0] >= '0' && id[0] <= '9' && !base::contains(id, ".");
    if (!job || state.empty()) return;
    model::SlurmJob found;
    found.id = base::printable(id, 60);
    found.state = base::printable(state.substr(0, state.find(' ')), 40);  // "CANCELLED by 1000"
    const std::string_view nodes = cell(cells, "NodeList");
    if (nodes != "None assigned") found.nodes = base::printable(nodes, 200);
    found.evidence = evidence_of(context_, number, line);
    out_.slurm_jobs.push_back(std::move(found));
    ++kept_;
  }

  const BlockContext& context_;
  model::Observations& out_;
  std::string header_;
  std::vector<std::string_view> names_;  ///< of `header_`
  std::vector<std::pair<std::size_t, std::size_t>> runs_;
  bool bars_ = false;
  std::size_t kept_ = 0;
};

}  // namespace

bool parse_sacct(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                 model::Observations& out) {
  SacctReader reader(context, out);
  return read_lines(reader, block, context, out);
}

}  // namespace gpuwright::parse
