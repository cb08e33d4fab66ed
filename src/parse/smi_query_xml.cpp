// `nvidia-smi -q -x` writes one element a value. A node that loses its GPU while nvidia-smi runs leaves a
// document that ends in the middle, and people paste fragments, so the text is walked tag by tag instead of
// being demanded whole: what is complete is kept. Source: nvsmi_device_v6.dtd to nvsmi_device_v13.dtd, as
// named in the documents' DOCTYPE.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

using model::GpuReport;

std::string unescape(std::string_view text) {
  std::string plain(text);
  if (plain.find('&') == std::string::npos) return plain;
  plain = base::replace_all(std::move(plain), "&lt;", "<");
  plain = base::replace_all(std::move(plain), "&gt;", ">");
  plain = base::replace_all(std::move(plain), "&quot;", "\"");
  plain = base::replace_all(std::move(plain), "&apos;", "'");
  return base::replace_all(std::move(plain), "&amp;", "&");
}

class XmlReader {
 public:
  XmlReader(std::string_view block, const BlockContext& context)
      : block_(block),
        context_(context),
        line_(context.first_line),
        head_(new_gpu_report("nvidia-smi-xml", context)) {}

  bool read(model::Observations& out) {
    while (next_tag()) {
    }
    close_log();
    for (GpuReport& report : done_) out.gpus.push_back(std::move(report));
    return !done_.empty();
  }

 private:
  /// Moves over one tag; false at the end of what can be read.
  bool next_tag() {
    const std::size_t open = block_.find('<', at_);
    if (open == std::string_view::npos) return false;
    const std::size_t close = block_.find('>', open);
    if (close == std::string_view::npos) return false;
    const std::string_view text = base::trim(block_.substr(at_, open - at_));
    advance(open);
    const std::string_view tag = block_.substr(open + 1, close - open - 1);
    if (!tag.empty() && tag.front() == '/')
      close_element(base::trim(tag.substr(1)), text);
    else if (!tag.empty() && tag.front() != '?' && tag.front() != '!')
      open_element(tag);
    advance(close + 1);
    return true;
  }

  void advance(std::size_t to) {
    line_ += std::count(block_.begin() + static_cast<std::ptrdiff_t>(at_),
                        block_.begin() + static_cast<std::ptrdiff_t>(to), '\n');
    at_ = to;
  }

  void open_element(std::string_view tag) {
    const bool empty = tag.back() == '/';
    if (empty) tag.remove_suffix(1);
    const std::string name(tag.substr(0, tag.find_first_of(" \t\r\n")));
    if (name == "nvidia_smi_log") close_log();
    if (name == "gpu") open_gpu(tag);
    if (name == "mig_device" && !log_.empty() && log_.back().mig.size() < 64) log_.back().mig.emplace_back();
    if (name == "process_info" && !log_.empty() && log_.back().processes.size() < 4096)
      log_.back().processes.emplace_back();
    if (!empty && path_.size() < 64) path_.push_back(name);
    fresh_ = !empty;
  }

  void open_gpu(std::string_view tag) {
    path_.clear();
    path_.emplace_back("nvidia_smi_log");
    if (log_.size() >= kMaxGpusPerBlock) return;
    log_.push_back(head_);
    const std::size_t quote = tag.find('"');
    if (quote == std::string_view::npos) return;
    const std::size_t end = tag.find('"', quote + 1);
    if (end == std::string_view::npos) return;
    assign_gpu_value(log_.back(), SmiLanguage::Xml,
                     {"pci_bus_id", tag.substr(quote + 1, end - quote - 1), line_, line_text()});
  }

  void close_element(std::string_view name, std::string_view text) {
    // A stray end tag of a fragment closes nothing.
    if (path_.empty() || path_.back() != name) {
      if (std::find(path_.begin(), path_.end(), name) == path_.end()) return;
      while (!path_.empty() && path_.back() != name) path_.pop_back();
      fresh_ = false;
    }
    if (fresh_ && !text.empty()) value(unescape(text));
    fresh_ = false;
    if (!path_.empty()) path_.pop_back();
  }

  void value(const std::string& text) {
    std::string path;
    for (const std::string& name : path_) path += (path.empty() ? "" : "/") + name;
    if (base::contains(path, "process_info/")) return process(path_.back(), text);
    if (base::contains(path, "mig_device/")) return mig(path, text);
    const SmiValue found{path, text, line_, line_text()};
    if (log_.empty()) {
      const std::string& name = path_.back();
      const bool is_head = name == "driver_version" || name == "cuda_version" || name == "attached_gpus";
      if (!knows_gpu_path(SmiLanguage::Xml, path)) return;
      if (is_head) {
        assign_gpu_value(head_, SmiLanguage::Xml, found);
        return;
      }
      log_.push_back(head_);
    }
    assign_gpu_value(log_.back(), SmiLanguage::Xml, found);
  }

  void process(const std::string& name, const std::string& text) {
    if (log_.empty() || log_.back().processes.empty()) return;
    model::GpuProcess& process = log_.back().processes.back();
    const auto number = base::parse_number_and_unit(text);
    if (const auto pid = base::parse_int(base::trim(text)); name == "pid" && pid)
      process.pid = model::Field<std::int64_t>(*pid);
    if (name == "type") process.type = base::printable(text, 16);
    if (name == "process_name") process.name = base::printable(text, 200);
    if (name == "used_memory" && number && number->number >= 0 && number->number < 1e12)
      process.memory_bytes =
          model::Field<std::int64_t>(static_cast<std::int64_t>(number->number) * 1024 * 1024);
  }

  void mig(const std::string& path, const std::string& text) {
    const auto number = base::parse_int(text);
    if (log_.empty() || log_.back().mig.empty() || !number) return;
    model::MigInstance& instance = log_.back().mig.back();
    const std::string& name = path_.back();
    if (name == "index") instance.index = model::Field<std::int64_t>(*number);
    if (name == "gpu_instance_id") instance.gpu_instance = model::Field<std::int64_t>(*number);
    if (name == "compute_instance_id") instance.compute_instance = model::Field<std::int64_t>(*number);
    if (name == "sram_uncorrectable" && base::contains(path, "volatile"))
      instance.sram_uncorrected = model::Field<std::int64_t>(*number);
  }

  std::string_view line_text() const {
    const std::size_t begin = at_ == 0 ? std::string_view::npos : block_.rfind('\n', at_ - 1);
    const std::size_t from = begin == std::string_view::npos ? 0 : begin + 1;
    const std::size_t end = block_.find('\n', at_);
    return block_.substr(
        from, std::min<std::size_t>(end == std::string_view::npos ? block_.size() - from : end - from, 400));
  }

  void close_log() {
    const auto count = static_cast<std::int64_t>(log_.size());
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (head_.attached.known() && head_.attached.value() == count)
        log_[i].index = model::Field<std::int64_t>(static_cast<std::int64_t>(i));
      derive_gpu_fields(log_[i]);
      if (!log_[i].lines.empty() || !log_[i].unreadable.empty()) done_.push_back(std::move(log_[i]));
    }
    log_.clear();
    path_.clear();
    head_ = new_gpu_report("nvidia-smi-xml", context_);
  }

  std::string_view block_;
  BlockContext context_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  bool fresh_ = false;  ///< the last tag opened an element, so the text that follows is its value
  std::vector<std::string> path_;
  GpuReport head_;
  std::vector<GpuReport> log_;
  std::vector<GpuReport> done_;
};

}  // namespace

bool parse_smi_query_xml(std::string_view block, const BlockContext& context,
                         const catalog::Catalog& /*catalog*/, model::Observations& out) {
  return XmlReader(block, context).read(out);
}

}  // namespace gpuwright::parse
