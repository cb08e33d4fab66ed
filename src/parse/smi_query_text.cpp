// `nvidia-smi -q` prints one tree a GPU: a head line without a value opens a section, deeper lines belong to
// it. People paste a single section, and forum software eats the indentation, so the section is followed by
// depth where there is depth and by order where not. Source: nvidia-smi manual, section "GPU attributes".
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

using model::GpuReport;

struct Section {
  std::size_t indent = 0;
  std::string name;
};

struct KeyValue {
  std::string_view key;
  std::string_view value;
  bool has_value = false;
};

std::size_t indent_of(std::string_view line) {
  std::size_t indent = 0;
  for (const char c : line) {
    if (c == ' ')
      ++indent;
    else if (c == '\t')
      indent += 8;
    else
      break;
  }
  return indent;
}

/// The separator is the first colon with white space or the end behind it: an address ("GPU
/// 00000000:1B:00.0") has none.
KeyValue split_line(std::string_view line) {
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    const bool ends = at + 1 == line.size();
    if (ends || line[at + 1] == ' ' || line[at + 1] == '\t')
      return {base::trim(line.substr(0, at)), ends ? std::string_view() : base::trim(line.substr(at + 1)),
              true};
  }
  return {base::trim(line), {}, false};
}

class TextReader {
 public:
  explicit TextReader(const BlockContext& context)
      : context_(context), head_(new_gpu_report("nvidia-smi-q", context)) {}

  /// False when nothing of a report was seen for so long that the rest is something else.
  bool line(std::string_view text, std::int64_t number) {
    read_line(text, number);
    return ++idle_lines_ < 4000;
  }

  bool finish(model::Observations& out) {
    close_log();
    for (GpuReport& report : done_) out.gpus.push_back(std::move(report));
    return !done_.empty();
  }

 private:
  void read_line(std::string_view text, std::int64_t number) {
    if (base::trim(text).empty()) return;
    if (base::contains(text, "NVSMI LOG")) return start_log();
    const KeyValue pair = split_line(text);
    if (!pair.has_value || pair.value.empty()) {
      if (open_gpu(pair.key, text, number)) return;
      if (!pair.has_value) return open_section(pair.key, indent_of(text));
    }
    value(pair, text, number);
  }

  void start_log() {
    close_log();
    sections_.clear();
    head_ = new_gpu_report("nvidia-smi-q", context_);
  }

  /// "GPU 00000000:1B:00.0" opens the next GPU.
  bool open_gpu(std::string_view key, std::string_view text, std::int64_t number) {
    if (key.substr(0, 4) != "GPU ") return false;
    std::string_view address = base::trim(key.substr(4));
    if (!address.empty() && address.back() == ':') address.remove_suffix(1);
    if (!base::PciAddress::parse(address)) return false;
    sections_.clear();
    seen_sections_.clear();
    new_gpu();
    with_address_ = true;
    assign_gpu_value(current(), SmiLanguage::Text, {"Bus Id", address, number, text});
    useful_.back() = true;
    idle_lines_ = 0;
    return true;
  }

  /// Words only: a log line or a remark in between is no head line.
  static bool looks_like_head(std::string_view name) {
    if (name.empty() || name.size() > 48 || name.front() < 'A' || name.front() > 'Z') return false;
    for (const char c : name) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letter && c != ' ' && c != '.' && c != '-' && c != '/') return false;
    }
    return base::words(name).size() <= 6;
  }

  void open_section(std::string_view name, std::size_t indent) {
    if (!looks_like_head(name)) return;
    while (!sections_.empty() && sections_.back().indent >= indent) sections_.pop_back();
    if (!with_address_ && repeats(name)) {
      seen_sections_.clear();
      new_gpu();
    }
    if (seen_sections_.size() < 256) seen_sections_.emplace_back(name);
    if (sections_.size() < 16) sections_.push_back({indent, std::string(name)});
  }

  /// Without addresses, the same section again means the next GPU (`nvidia-smi -q | grep -A4 "Remapped
  /// Rows"`).
  bool repeats(std::string_view name) const {
    if (log_.empty() || !useful_.back() || !sections_.empty()) return false;
    for (const std::string& seen : seen_sections_)
      if (seen == name) return true;
    return false;
  }

  void value(const KeyValue& pair, std::string_view text, std::int64_t number) {
    const std::size_t indent = indent_of(text);
    // A flattened paste has no depth: the last head line stays open.
    while (!sections_.empty() && sections_.back().indent >= indent && indent > 0) sections_.pop_back();
    std::string path;
    for (const Section& section : sections_) path += section.name + "/";
    if (base::contains(path, "Processes/")) return process(pair);
    if (base::contains(path, "MIG Device/")) return mig(path, pair);
    path += std::string(pair.key);
    const bool is_head =
        log_.empty() && sections_.empty() &&
        (pair.key == "Driver Version" || pair.key == "CUDA Version" || pair.key == "Attached GPUs");
    if (is_head) {
      assign_gpu_value(head_, SmiLanguage::Text, {path, pair.value, number, text});
      return;
    }
    if (log_.empty()) {
      // Only a line that means something opens a GPU without a head line.
      if (!knows_gpu_path(SmiLanguage::Text, path)) return;
      new_gpu();
    }
    if (!assign_gpu_value(current(), SmiLanguage::Text, {path, pair.value, number, text})) return;
    useful_.back() = true;
    idle_lines_ = 0;
  }

  void process(const KeyValue& pair) {
    if (log_.empty()) return;
    std::vector<model::GpuProcess>& processes = current().processes;
    if (pair.key == "Process ID" && processes.size() < 4096) {
      processes.emplace_back();
      if (const auto pid = base::parse_int(pair.value))
        processes.back().pid = model::Field<std::int64_t>(*pid);
      return;
    }
    if (processes.empty()) return;
    if (pair.key == "Type") processes.back().type = base::printable(pair.value, 16);
    if (pair.key == "Name") processes.back().name = base::printable(pair.value, 200);
    if (pair.key != "Used GPU Memory") return;
    const auto used = base::parse_number_and_unit(pair.value);
    if (used && used->number >= 0 && used->number < 1e12)
      processes.back().memory_bytes =
          model::Field<std::int64_t>(static_cast<std::int64_t>(used->number) * 1024 * 1024);
  }

  void mig(const std::string& path, const KeyValue& pair) {
    if (log_.empty()) return;
    std::vector<model::MigInstance>& instances = current().mig;
    const auto number = base::parse_int(pair.value);
    if (pair.key == "Index" && instances.size() < 64) instances.emplace_back();
    if (instances.empty() || !number) return;
    if (pair.key == "Index") instances.back().index = model::Field<std::int64_t>(*number);
    if (pair.key == "GPU Instance ID") instances.back().gpu_instance = model::Field<std::int64_t>(*number);
    if (pair.key == "Compute Instance ID")
      instances.back().compute_instance = model::Field<std::int64_t>(*number);
    if (pair.key == "SRAM Uncorrectable" && base::contains(path, "Volatile/"))
      instances.back().sram_uncorrected = model::Field<std::int64_t>(*number);
  }

  void new_gpu() {
    if (!log_.empty() && !useful_.back()) {
      log_.back() = head_;
      return;
    }
    if (log_.size() >= kMaxGpusPerBlock) return;
    log_.push_back(head_);
    useful_.push_back(false);
  }

  GpuReport& current() { return log_.back(); }

  void close_log() {
    std::vector<GpuReport> kept;
    for (std::size_t i = 0; i < log_.size(); ++i)
      if (useful_[i]) kept.push_back(std::move(log_[i]));
    const auto count = static_cast<std::int64_t>(kept.size());
    const bool whole = head_.attached.known() ? head_.attached.value() == count : !with_address_ && count > 1;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (whole && !kept[i].index.known())
        kept[i].index = model::Field<std::int64_t>(static_cast<std::int64_t>(i));
      derive_gpu_fields(kept[i]);
      done_.push_back(std::move(kept[i]));
    }
    log_.clear();
    useful_.clear();
    seen_sections_.clear();
    with_address_ = false;
  }

  BlockContext context_;
  GpuReport head_;  ///< what stands above the first GPU: driver, CUDA, count
  std::vector<Section> sections_;
  std::vector<std::string> seen_sections_;
  std::vector<GpuReport> log_;
  std::vector<bool> useful_;
  std::vector<GpuReport> done_;
  bool with_address_ = false;
  int idle_lines_ = 0;
};

}  // namespace

bool parse_smi_query_text(std::string_view block, const BlockContext& context,
                          const catalog::Catalog& /*catalog*/, model::Observations& out) {
  TextReader reader(context);
  return read_lines(reader, block, context, out);
}

}  // namespace gpuwright::parse
