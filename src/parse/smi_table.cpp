// The default table of `nvidia-smi`: two or three printed lines a GPU, then MIG devices, then processes. A
// GPU in trouble shows "ERR!" or "Unknown Error" in a cell while its neighbours look fine, so every cell is
// read on its own.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

using model::Field;
using model::GpuReport;

enum class Part { Gpus, Mig, Processes };

/// The cells between the bars; nothing when the line is no row.
std::vector<std::string_view> cells_of(std::string_view line) {
  const std::string_view text = base::trim(line);
  if (text.size() < 2 || text.front() != '|') return {};
  std::string_view inner = text.substr(1);
  if (inner.back() == '|') inner.remove_suffix(1);
  return base::split(inner, '|');
}

class TableReader {
 public:
  explicit TableReader(const BlockContext& context)
      : context_(context), head_(new_gpu_report("nvidia-smi-table", context)) {}

  void line(std::string_view text, std::int64_t number) {
    number_ = number;
    text_ = text;
    if (base::contains(text, "NVIDIA-SMI ")) return open_table(text);
    if (base::contains(text, "MIG devices:")) part_ = Part::Mig;
    if (base::contains(text, "Processes:")) part_ = Part::Processes;
    const std::vector<std::string_view> cells = cells_of(text);
    if (cells.empty()) return;
    if (part_ == Part::Processes) return process_row(cells);
    if (part_ == Part::Mig) return mig_row(cells);
    if (cells.size() < 3) return;
    if (first_row(cells)) return;
    if (row_of_gpu_ == 1) second_row(cells);
    if (row_of_gpu_ == 2) third_row(cells);
    if (row_of_gpu_ > 0) ++row_of_gpu_;
  }

  bool finish(model::Observations& out) {
    for (GpuReport& report : gpus_) out.gpus.push_back(std::move(report));
    return !gpus_.empty();
  }

 private:
  void open_table(std::string_view text) {
    part_ = Part::Gpus;
    row_of_gpu_ = 0;
    head_ = new_gpu_report("nvidia-smi-table", context_);
    first_of_table_ = gpus_.size();
    for (const char* name : {"Driver Version", "CUDA Version"}) {
      const std::size_t at = text.find(std::string(name) + ":");
      if (at == std::string_view::npos) continue;
      const auto words = base::words(text.substr(at + std::string_view(name).size() + 1));
      if (!words.empty()) assign_gpu_value(head_, SmiLanguage::Text, {name, words.front(), number_, text});
    }
  }

  bool first_row(const std::vector<std::string_view>& cells) {
    const auto left = base::words(cells[0]);
    const auto middle = base::words(cells[1]);
    if (left.size() < 2 || middle.empty()) return false;
    const auto index = base::parse_int(left.front());
    if (!index || *index < 0 || !base::PciAddress::parse(middle.front())) return false;
    row_of_gpu_ = 0;
    if (gpus_.size() >= kMaxGpusPerBlock) return true;
    gpus_.push_back(head_);
    row_of_gpu_ = 1;
    GpuReport& gpu = gpus_.back();
    query("index", left.front());
    query("pci.bus_id", middle.front());
    const std::string_view last = left.back();
    const bool has_mode = left.size() > 2 && (last == "On" || last == "Off" || last == "TCC" ||
                                              last == "WDDM" || last == "MCDM");
    if (last == "On" || last == "Off") query("persistence_mode", last);
    std::string name;
    for (std::size_t i = 1; i + (has_mode ? 1 : 0) < left.size(); ++i)
      name += (name.empty() ? "" : " ") + std::string(left[i]);
    query("name", name);
    const std::string_view ecc = base::trim(cells[2]);
    if (const auto count = base::parse_int(ecc)) {
      note_line();
      gpu.uncorrected_cell = Field<std::int64_t>(*count, static_cast<std::int32_t>(gpu.lines.size()));
    } else if (ecc == "Off") {
      query("ecc.mode.current", "Disabled");
    } else if (absence_of(ecc) == SmiAbsence::Unreadable) {
      unreadable("Volatile Uncorr. ECC", ecc);
    }
    return true;
  }

  void second_row(const std::vector<std::string_view>& cells) {
    for (const char* broken : {"ERR!", "Unknown Error", "GPU is lost", "GPU requires reset"}) {
      if (base::contains(text_, broken)) {
        unreadable("Temp Perf Pwr Memory GPU-Util", broken);
        break;
      }
    }
    const auto left = base::words(cells[0]);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::string_view word = left[i];
      const bool degrees = word.size() > 1 && word.back() == 'C' &&
                           base::parse_int(word.substr(0, word.size() - 1)).has_value();
      if (degrees) query("temperature.gpu", word);
      if (word.size() <= 3 && word.front() == 'P' && base::parse_int(word.substr(1))) query("pstate", word);
      if (word == "/" && i > 0) query("power.draw", left[i - 1]);
      if (word == "/" && i + 1 < left.size()) query("enforced.power.limit", left[i + 1]);
    }
    const auto memory = base::split(cells[1], '/');
    if (memory.size() == 2) {
      query("memory.used", base::trim(memory[0]));
      query("memory.total", base::trim(memory[1]));
    }
    const auto right = base::words(cells[2]);
    if (!right.empty()) query("utilization.gpu", right.front());
    if (right.size() > 1 && right.back() != "ERR!") {
      const bool exclusive = right[right.size() - 2] == "E.";  // "E. Process" is short for the mode's name
      query("compute_mode", (exclusive ? "Exclusive_" : "") + std::string(right.back()));
    }
  }

  void third_row(const std::vector<std::string_view>& cells) {
    const std::string_view mode = base::trim(cells[2]);
    if (mode == "Enabled*" || mode == "Disabled*") {
      // The star says that a reset is needed before the mode shown becomes the mode in force.
      query("mig.mode.current", mode == "Enabled*" ? "Disabled" : "Enabled");
      query("mig.mode.pending", mode == "Enabled*" ? "Enabled" : "Disabled");
    } else if (!mode.empty()) {
      query("mig.mode.current", mode);
    }
  }

  void mig_row(const std::vector<std::string_view>& cells) {
    const auto ids = base::words(cells[0]);
    if (ids.size() != 4) return;
    std::vector<std::int64_t> numbers;
    for (const std::string_view id : ids)
      if (const auto number = base::parse_int(id)) numbers.push_back(*number);
    GpuReport* gpu = numbers.size() == 4 ? gpu_of(numbers[0]) : nullptr;
    if (gpu == nullptr || gpu->mig.size() >= 64) return;
    model::MigInstance instance;
    instance.gpu_instance = Field<std::int64_t>(numbers[1]);
    instance.compute_instance = Field<std::int64_t>(numbers[2]);
    instance.index = Field<std::int64_t>(numbers[3]);
    if (cells.size() > 2) {
      const auto counters = base::words(cells[2]);
      if (counters.size() == 2)
        if (const auto errors = base::parse_int(counters[1]))
          instance.sram_uncorrected = Field<std::int64_t>(*errors);
    }
    gpu->mig.push_back(std::move(instance));
  }

  void process_row(const std::vector<std::string_view>& cells) {
    const auto words = base::words(cells[0]);
    const auto index = words.size() < 4 ? std::nullopt : base::parse_int(words[0]);
    GpuReport* gpu = index ? gpu_of(*index) : nullptr;
    if (gpu == nullptr || gpu->processes.size() >= 4096) return;
    // Since R450 two columns for the MIG instance stand before the process id.
    const std::size_t at = words.size() > 5 && is_type(words[4]) ? 3 : 1;
    const auto pid = base::parse_int(words[at]);
    if (!pid || !is_type(words[at + 1])) return;
    model::GpuProcess process;
    process.pid = Field<std::int64_t>(*pid);
    process.type = base::printable(words[at + 1], 8);
    for (std::size_t i = at + 2; i + 1 < words.size(); ++i)
      process.name += (process.name.empty() ? "" : " ") + base::printable(words[i], 200);
    const auto used = base::parse_number_and_unit(words.back());
    if (used && used->unit == "MiB" && used->number >= 0 && used->number < 1e12)
      process.memory_bytes = Field<std::int64_t>(static_cast<std::int64_t>(used->number) * 1024 * 1024);
    gpu->processes.push_back(std::move(process));
  }

  static bool is_type(std::string_view word) {
    for (const char* type : {"C", "G", "C+G", "M", "M+C"})
      if (word == type) return true;
    return false;
  }

  GpuReport* gpu_of(std::int64_t index) {
    for (std::size_t i = first_of_table_; i < gpus_.size(); ++i)
      if (gpus_[i].index.known() && gpus_[i].index.value() == index) return &gpus_[i];
    return nullptr;
  }

  void query(std::string_view name, std::string_view value) {
    assign_gpu_value(gpus_.back(), SmiLanguage::Query, {name, value, number_, text_});
  }

  void note_line() { gpus_.back().lines.push_back(evidence_of(context_, number_, text_)); }

  void unreadable(const char* field, std::string_view value) {
    gpus_.back().unreadable.push_back(
        {field, base::printable(value, 80), evidence_of(context_, number_, text_)});
  }

  BlockContext context_;
  GpuReport head_;
  std::vector<GpuReport> gpus_;
  std::size_t first_of_table_ = 0;
  Part part_ = Part::Gpus;
  int row_of_gpu_ = 0;  ///< which of the GPU's printed lines comes next; 0: none
  std::int64_t number_ = 0;
  std::string_view text_;
};

}  // namespace

bool parse_smi_table(std::string_view block, const BlockContext& context, const catalog::Catalog& /*catalog*/,
                     model::Observations& out) {
  TableReader reader(context);
  std::int64_t number = context.first_line;
  for (const std::string_view line : base::lines(block)) reader.line(line, number++);
  return reader.finish(out);
}

}  // namespace gpuwright::parse
