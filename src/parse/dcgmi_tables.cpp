// dcgmi prints its answers as two-column tables whose long texts are wrapped at a fixed width, in the middle
// of a word when need be. Health is a tree (overall, GPU, system, message); a diagnostic is a list of tests,
// each followed by its warnings. Source: DCGM user guide, "Health and diagnostics" and "dcgmi".
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/dcgm_messages.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

using model::DcgmKind;
using model::DcgmResult;
using model::DcgmVerdict;
using model::Field;

constexpr std::size_t kMaxResults = 4096;
constexpr std::size_t kMaxMessage = 4000;

struct Row {
  std::string_view left;
  std::string_view right;
  bool is_row = false;
};

Row row_of(std::string_view line) {
  const std::string_view text = base::trim(line);
  if (text.size() < 3 || text.front() != '|') return {};
  const auto cells = base::split(text.substr(1), '|');
  Row row;
  row.is_row = true;
  row.left = base::trim(cells[0]);
  if (cells.size() > 1) row.right = base::trim(cells[1]);
  return row;
}

DcgmVerdict verdict_of(std::string_view text) {
  for (const char* good : {"Healthy", "Pass"})
    if (base::starts_with_ignoring_case(text, good)) return DcgmVerdict::Pass;
  for (const char* bad : {"Failure", "Fail", "Unhealthy", "Error"})
    if (base::starts_with_ignoring_case(text, bad)) return DcgmVerdict::Fail;
  if (base::starts_with_ignoring_case(text, "Warn")) return DcgmVerdict::Warn;
  if (base::starts_with_ignoring_case(text, "Skip")) return DcgmVerdict::Skip;
  return DcgmVerdict::Unknown;
}

/// Collects the results of one block.
class Results {
 public:
  explicit Results(const BlockContext& context, DcgmKind kind) : context_(context), kind_(kind) {}

  DcgmResult* add(std::string_view subject, DcgmVerdict verdict, std::int64_t number, std::string_view text) {
    if (results_.size() >= kMaxResults) return nullptr;
    DcgmResult result;
    result.kind = kind_;
    result.verdict = verdict;
    result.subject = base::printable(subject, 80);
    result.input = context_.input;
    result.evidence.push_back(evidence_of(context_, number, text));
    results_.push_back(std::move(result));
    return &results_.back();
  }

  /// Appends a wrapped piece of text to the last result.
  void message(std::string_view piece, std::int64_t number, std::string_view text) {
    if (results_.empty() || piece.empty()) return;
    DcgmResult& last = results_.back();
    if (last.message.size() + piece.size() > kMaxMessage) return;
    if (!last.message.empty()) last.message += ' ';
    last.message += base::printable(piece, 400);
    if (last.evidence.size() < 4) last.evidence.push_back(evidence_of(context_, number, text));
  }

  bool empty() const { return results_.empty(); }
  DcgmResult& last() { return results_.back(); }

  bool finish(model::Observations& out) { return add_dcgm_results(results_, out); }

 private:
  BlockContext context_;
  DcgmKind kind_;
  std::vector<DcgmResult> results_;
};

/// "-> 0" names a GPU, "-> NVLINK system" a part of it.
std::string_view without_arrow(std::string_view text) {
  const std::size_t arrow = text.find("->");
  return arrow == std::string_view::npos ? text : base::trim(text.substr(arrow + 2));
}

class DiagReader {
 public:
  explicit DiagReader(const BlockContext& context)
      : context_(context), results_(context, DcgmKind::Diagnostic) {}

  void line(std::string_view text, std::int64_t number) {
    const Row row = row_of(text);
    if (!row.is_row || row.left.substr(0, 3) == "---" || row.left == "Diagnostic") return;
    if (row.left.find("Device IDs Detected") != std::string_view::npos)
      return devices(row.right, text, number);
    if (row.left.find("Driver Version Detected") != std::string_view::npos) {
      driver_ = std::string(row.right);
      return;
    }
    const DcgmVerdict verdict = verdict_of(row.right);
    const bool is_note = base::starts_with_ignoring_case(row.left, "Warning") ||
                         base::starts_with_ignoring_case(row.left, "Error");
    if (row.left.substr(0, 4) == "Info") {
      noting_ = false;
    } else if (row.left.empty() || is_note) {
      continuation(row, verdict, is_note, text, number);
    } else if (verdict != DcgmVerdict::Unknown) {
      results_.add(row.left, verdict, number, text);
      noting_ = false;
    }
  }

  bool finish(model::Observations& out) {
    for (model::GpuReport& gpu : gpus_) {
      if (!driver_.empty())
        assign_gpu_value(gpu, SmiLanguage::Query, {"driver_version", driver_, context_.first_line, driver_});
      out.gpus.push_back(std::move(gpu));
    }
    const bool found = results_.finish(out);
    return found || !gpus_.empty();
  }

 private:
  void continuation(const Row& row, DcgmVerdict verdict, bool is_note, std::string_view text,
                    std::int64_t number) {
    // DCGM 4 lists the GPUs of a test below it: "GPU0: Pass".
    const std::size_t colon = row.right.find(": ");
    const bool per_gpu =
        !is_note && row.right.substr(0, 3) == "GPU" && colon != std::string_view::npos && colon < 8;
    if (per_gpu && !results_.empty()) {
      const DcgmVerdict own = verdict_of(row.right.substr(colon + 2));
      if (own == DcgmVerdict::Fail || own == DcgmVerdict::Warn) {
        if (const auto gpu = dcgm_gpu_of_message(row.right)) results_.last().gpu = Field<std::int64_t>(*gpu);
        results_.last().verdict = own;
      }
      return;
    }
    if (is_note) noting_ = true;
    if (noting_ || verdict == DcgmVerdict::Unknown) results_.message(row.right, number, text);
  }

  /// PCI device ids tell the model where nothing else does.
  void devices(std::string_view list, std::string_view text, std::int64_t number) {
    std::int64_t index = 0;
    for (const std::string_view id : base::split(list, ',')) {
      const std::string_view digits = base::trim(id);
      if (digits.size() != 4 || !base::parse_hex(digits) || gpus_.size() >= kMaxGpusPerBlock) continue;
      model::GpuReport gpu = new_gpu_report("dcgmi-diag", context_);
      gpu.index = Field<std::int64_t>(index++);
      gpu.lines.push_back(evidence_of(context_, number, text));
      gpu.device_id = Field<std::string>(base::lower(digits), 1);
      gpus_.push_back(std::move(gpu));
    }
  }

  BlockContext context_;
  Results results_;
  std::vector<model::GpuReport> gpus_;
  std::string driver_;
  bool noting_ = false;
};

class HealthReader {
 public:
  explicit HealthReader(const BlockContext& context) : results_(context, DcgmKind::Health) {}

  /// False when the report is over.
  bool line(std::string_view text, std::int64_t number) {
    const Row row = row_of(text);
    if (!row.is_row) {
      plain(text, number);
      return ++idle_lines_ < 60;
    }
    idle_lines_ = 0;
    const std::string_view left = without_arrow(row.left);
    const DcgmVerdict verdict = verdict_of(row.right);
    if (base::starts_with_ignoring_case(left, "Overall Health")) {
      results_.add("Overall Health", verdict, number, text);
    } else if (const auto gpu = base::parse_int(left); gpu && row.left != left) {
      gpu_ = Field<std::int64_t>(*gpu);
    } else if (!left.empty() && verdict != DcgmVerdict::Unknown) {
      DcgmResult* result = results_.add(left, verdict, number, text);
      if (result != nullptr) result->gpu = gpu_;
    } else if (left.empty() || base::equals_ignoring_case(left, "Message") ||
               base::equals_ignoring_case(left, "Errors")) {
      results_.message(row.right, number, text);
    }
    return true;
  }

  bool finish(model::Observations& out) { return results_.finish(out); }

 private:
  /// "Overall Health: Healthy", as shortened reports have it.
  void plain(std::string_view text, std::int64_t number) {
    const std::size_t at = text.find("Overall Health:");
    if (at == std::string_view::npos) return;
    const std::string_view rest = base::trim(text.substr(at + 15));
    if (verdict_of(rest) != DcgmVerdict::Unknown)
      results_.add("Overall Health", verdict_of(rest), number, text);
  }

  Results results_;
  Field<std::int64_t> gpu_;
  int idle_lines_ = 0;
};

}  // namespace

bool parse_dcgmi_health(std::string_view block, const BlockContext& context,
                        const catalog::Catalog& /*catalog*/, model::Observations& out) {
  HealthReader reader(context);
  return read_lines(reader, block, context, out);
}

bool parse_dcgmi_diag(std::string_view block, const BlockContext& context,
                      const catalog::Catalog& /*catalog*/, model::Observations& out) {
  DiagReader reader(context);
  std::int64_t number = context.first_line;
  for (const std::string_view line : base::lines(block)) reader.line(line, number++);
  return reader.finish(out);
}

}  // namespace gpuwright::parse
