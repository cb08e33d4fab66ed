// sinfo and squeue print tables under a header line. Columns are as wide as the site's format says, and
// reasons hold blanks, so columns are found by the header's words: a left-aligned column begins where its
// word begins. squeue aligns right; there the fields count. Source: Slurm, src/sinfo/print.c,
// src/squeue/print.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/slurm_formats.h"

#include <optional>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxRows = 50'000;

/// Where the columns of a left-aligned table begin.
class Columns {
 public:
  explicit Columns(std::string_view header) : header_(header) {}
  bool has(std::string_view name) const { return begin(name).has_value(); }
  /// The row's text in the column: from its start to the start of the next column.
  std::string_view cell(std::string_view row, std::string_view name) const {
    const auto start = begin(name);
    if (!start || *start >= row.size()) return {};
    if (*start > 0 && row[*start - 1] != ' ') return {};  // another layout: the text runs across the border
    std::size_t end = *start;
    while (end < header_.size() && header_[end] != ' ') ++end;
    while (end < header_.size() && header_[end] == ' ') ++end;
    if (end >= header_.size()) return base::trim(row.substr(*start));
    return base::trim(row.substr(*start, end - *start));
  }

 private:
  std::optional<std::size_t> begin(std::string_view name) const {
    std::size_t at = header_.find(name);
    while (at != std::string_view::npos) {
      const bool left = at == 0 || header_[at - 1] == ' ';
      const std::size_t end = at + name.size();
      if (left && (end >= header_.size() || header_[end] == ' ')) return at;
      at = header_.find(name, at + 1);
    }
    return std::nullopt;
  }
  std::string_view header_;
};

bool is_sinfo_header(std::string_view line) {
  const bool nodes = base::contains(line, "NODELIST") && !base::contains(line, "JOBID");
  return nodes && (base::contains(line, "STATE") || base::contains(line, "REASON"));
}

/// The `field`-th word of a row, for columns that are cut so tightly that alignment fails.
std::string_view word_at(std::string_view row, std::size_t field) {
  const auto words = base::words(row);
  return field < words.size() ? words[field] : std::string_view();
}

/// `sinfo -N -l` aligns STATE to the right: there the word's number decides.
std::string_view state_of(const Columns& columns, std::string_view header, std::string_view row) {
  const auto names = base::words(header);
  for (std::size_t at = 0; at < names.size(); ++at) {
    if (names[at] == "REASON") break;
    if (names[at] == "STATE") return word_at(row, at);
  }
  return columns.cell(row, "STATE");
}

bool is_state_word(std::string_view word) {
  static const char* const kStates[] = {"alloc", "idle",  "mix",   "down",   "drain",   "drng",    "fail",
                                        "inval", "maint", "comp",  "resv",   "boot",    "plnd",    "unk",
                                        "pow",   "futr",  "block", "reboot", "planned", "reserved"};
  for (const char* state : kStates) {
    if (base::starts_with_ignoring_case(word, state)) return true;
  }
  return false;
}

std::optional<model::SlurmNode> sinfo_row(const Columns& columns, std::string_view header,
                                          std::string_view row) {
  model::SlurmNode node;
  const bool name_first = header.substr(0, 8) == "NODELIST";  // a long name overflows its column
  node.name = base::printable(name_first ? word_at(row, 0) : columns.cell(row, "NODELIST"), 200);
  if (columns.has("STATE")) node.state = base::lower(base::printable(state_of(columns, header, row), 40));
  if (columns.has("REASON")) node.reason = base::printable(columns.cell(row, "REASON"), 300);
  if (columns.has("TIMESTAMP")) node.since = base::printable(columns.cell(row, "TIMESTAMP"), 40);
  if (node.reason == "none" || node.reason == "(null)") node.reason.clear();
  if (node.name.empty() || base::contains(node.name, " ")) return std::nullopt;
  if (columns.has("STATE") && !is_state_word(node.state)) return std::nullopt;
  if (!columns.has("STATE") && node.reason.empty()) return std::nullopt;
  return node;
}

}  // namespace

bool parse_sinfo(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                 model::Observations& out) {
  const std::size_t before = out.slurm_nodes.size();
  std::string header;
  std::size_t index = 0;
  bool seen = false;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.slurm_nodes.size() - before >= kMaxRows) break;
    if (is_sinfo_header(line.substr(0, 400))) {
      header = std::string(line.substr(0, 400));
      seen = true;
      continue;
    }
    if (header.empty() || base::trim(line).empty()) continue;
    auto node = sinfo_row(Columns(header), header, line.substr(0, 2'000));
    if (!node) {
      header.clear();  // the table is over
      continue;
    }
    node->evidence = block_evidence(context, here, line);
    out.slurm_nodes.push_back(std::move(*node));
  }
  return seen;
}

namespace {

/// The column that holds the state, in the table's head line; 0 when there is none.
std::size_t state_column(const std::vector<std::string_view>& head) {
  std::size_t column = 0;
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (head[at] == "ST" || head[at] == "STATE") column = at;
  }
  return column;
}

model::SlurmJob job_of(const std::vector<std::string_view>& words, std::size_t state, std::string_view line) {
  model::SlurmJob job;
  job.id = base::printable(words[0], 60);
  job.state = base::printable(words[state], 40);
  const std::size_t open = line.rfind(" (");
  if (open == std::string_view::npos) return job;
  const std::string_view reason = line.substr(open + 2);
  job.reason = base::printable(reason.substr(0, reason.rfind(')')), 300);
  return job;
}

}  // namespace

bool parse_squeue(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                  model::Observations& out) {
  const std::size_t before = out.slurm_jobs.size();
  std::size_t state = 0;
  bool seen = false;
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.slurm_jobs.size() - before >= kMaxRows) break;
    const auto words = base::words(line.substr(0, 2'000));
    if (words.size() > 4 && words[0] == "JOBID") {
      state = state_column(words);
      seen = true;
      continue;
    }
    if (state == 0 || words.size() <= state) continue;
    out.slurm_jobs.push_back(job_of(words, state, line));
    out.slurm_jobs.back().evidence = block_evidence(context, here, line);
  }
  return seen;
}

}  // namespace gpuwright::parse
