// `dcgmi nvlink -s` draws one letter a link (U up, D down, X disabled, _ not supported), `dcgmi nvlink -e`
// counts errors, and `dcgmi discovery -l` names the GPUs. Source: DCGM user guide, "dcgmi nvlink" and "dcgmi
// discovery".
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

using model::Field;

class NvlinkReader {
 public:
  explicit NvlinkReader(const BlockContext& context) : context_(context) {}

  bool line(std::string_view raw, std::int64_t number) {
    const std::string_view text = base::trim(raw);
    const bool mine = head(text, number) || letters(text, number) || counter(text, number);
    idle_lines_ = mine ? 0 : idle_lines_ + 1;
    return idle_lines_ < 100;
  }

  bool finish(model::Observations& out) {
    bool found = false;
    for (model::GpuLinkReport& report : reports_) {
      if (report.links.empty()) continue;
      out.gpu_links.push_back(std::move(report));
      found = true;
    }
    return found;
  }

 private:
  /// "gpuId 0:", "physicalId 8:" or "| GPU 0    |"
  bool head(std::string_view text, std::int64_t number) {
    const bool gpu = text.substr(0, 6) == "gpuId ";
    const bool nvswitch = text.substr(0, 11) == "physicalId ";
    const bool table = text.substr(0, 6) == "| GPU ";
    if (!gpu && !nvswitch && !table) return false;
    const auto words = base::words(text);
    if (words.size() < 2) return false;
    std::string_view id = words[table && words.size() > 2 ? 2 : 1];
    if (!id.empty() && id.back() == ':') id.remove_suffix(1);
    const auto index = base::parse_int(id);
    if (!index || reports_.size() >= kMaxGpusPerBlock) return false;
    model::GpuLinkReport report;
    report.format = "dcgmi-nvlink";
    report.input = context_.input;
    report.block_line = context_.first_line;
    report.index = Field<std::int64_t>(*index);
    report.is_switch = nvswitch;
    report.lines.push_back(evidence_of(context_, number, text));
    reports_.push_back(std::move(report));
    return true;
  }

  bool letters(std::string_view text, std::int64_t number) {
    if (reports_.empty() || text.empty() || text.front() == '|') return false;
    const auto words = base::words(text);
    if (words.size() > 128) return false;
    for (const std::string_view word : words)
      if (word.size() != 1 || std::string_view("UDX_").find(word.front()) == std::string_view::npos)
        return false;
    model::GpuLinkReport& report = reports_.back();
    for (const std::string_view word : words) {
      model::LinkState state;
      state.number = static_cast<std::int64_t>(report.links.size());
      if (word == "U") state.condition = model::LinkCondition::Up;
      if (word == "D") state.condition = model::LinkCondition::Down;
      if (word == "X") state.condition = model::LinkCondition::Disabled;
      if (word == "_") state.condition = model::LinkCondition::NotSupported;
      state.evidence = evidence_of(context_, number, text);
      report.links.push_back(std::move(state));
    }
    return true;
  }

  /// "| Link 0     | CRC FLIT Error    | 0    |"
  bool counter(std::string_view text, std::int64_t number) {
    if (reports_.empty() || text.size() < 3 || text.front() != '|') return false;
    const auto cells = base::split(text.substr(1), '|');
    if (cells.size() < 3) return false;
    const std::string_view link = base::trim(cells[0]);
    if (link.substr(0, 5) != "Link ") return false;
    const auto index = base::parse_int(base::trim(link.substr(5)));
    const auto count = base::parse_int(base::trim(cells[2]));
    if (!index || !count) return false;
    std::vector<model::LinkState>& links = reports_.back().links;
    if (links.empty() || links.back().number != *index) {
      if (links.size() >= 128) return false;
      links.emplace_back();
      links.back().number = *index;
    }
    std::string name = base::lower(base::printable(base::trim(cells[1]), 48));
    const std::size_t error = name.find(" error");
    if (error != std::string::npos) name.erase(error);
    if (links.back().errors.size() < 32) links.back().errors[name] = *count;
    if (*count > 0 || links.back().evidence.line == 0)
      links.back().evidence = evidence_of(context_, number, text);
    return true;
  }

  BlockContext context_;
  std::vector<model::GpuLinkReport> reports_;
  int idle_lines_ = 0;
};

}  // namespace

bool parse_dcgmi_nvlink(std::string_view block, const BlockContext& context,
                        const catalog::Catalog& /*catalog*/, model::Observations& out) {
  NvlinkReader reader(context);
  return read_lines(reader, block, context, out);
}

bool parse_dcgmi_discovery(std::string_view block, const BlockContext& context,
                           const catalog::Catalog& /*catalog*/, model::Observations& out) {
  std::vector<model::GpuReport> gpus;
  Field<std::int64_t> attached;
  std::int64_t number = context.first_line - 1;
  for (const std::string_view raw : base::lines(block)) {
    ++number;
    const std::string_view text = base::trim(raw);
    const auto words = base::words(text);
    if (words.size() >= 3 && words[1] == "GPU" && words[2] == "found.")
      attached = Field<std::int64_t>(base::parse_int(words[0]).value_or(0));
    if (words.size() >= 3 && words[1] == "GPUs" && words[2] == "found.")
      attached = Field<std::int64_t>(base::parse_int(words[0]).value_or(0));
    if (text.size() < 3 || text.front() != '|') continue;
    const auto cells = base::split(text.substr(1), '|');
    if (cells.size() < 2) continue;
    const auto index = base::parse_int(base::trim(cells[0]));
    const std::string_view info = base::trim(cells[1]);
    if (index && gpus.size() < kMaxGpusPerBlock) {
      gpus.push_back(new_gpu_report("dcgmi-discovery", context));
      assign_gpu_value(gpus.back(), SmiLanguage::Query, {"index", base::trim(cells[0]), number, text});
      gpus.back().attached = attached;
    }
    if (gpus.empty()) continue;
    const std::pair<const char*, const char*> names[] = {
        {"Name:", "name"}, {"PCI Bus ID:", "pci.bus_id"}, {"Device UUID:", "uuid"}};
    for (const auto& name : names) {
      const std::string_view label = name.first;
      if (info.substr(0, label.size()) == label)
        assign_gpu_value(gpus.back(), SmiLanguage::Query,
                         {name.second, info.substr(label.size()), number, text});
    }
  }
  for (model::GpuReport& gpu : gpus) out.gpus.push_back(std::move(gpu));
  return !gpus.empty();
}

bool parse_proc_gpu_information(std::string_view block, const BlockContext& context,
                                const catalog::Catalog& /*catalog*/, model::Observations& out) {
  struct Label {
    const char* label;
    SmiLanguage language;
    const char* path;
  };
  constexpr Label labels[] = {{"Model", SmiLanguage::Query, "name"},
                              {"GPU UUID", SmiLanguage::Query, "uuid"},
                              {"Video BIOS", SmiLanguage::Query, "vbios_version"},
                              {"Bus Location", SmiLanguage::Query, "pci.bus_id"},
                              {"GPU Firmware", SmiLanguage::Text, "GSP Firmware Version"},
                              {"GPU Excluded", SmiLanguage::Text, "GPU Excluded"}};
  std::vector<model::GpuReport> gpus;
  std::int64_t number = context.first_line - 1;
  for (const std::string_view text : base::lines(block)) {
    ++number;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = base::trim(text.substr(0, colon));
    for (const Label& label : labels) {
      if (key != label.label) continue;
      const bool opens = gpus.empty() || (key == "Model" && gpus.back().name.known());
      if (opens && gpus.size() < kMaxGpusPerBlock) gpus.push_back(new_gpu_report("proc-nvidia-gpu", context));
      assign_gpu_value(gpus.back(), label.language, {label.path, text.substr(colon + 1), number, text});
    }
  }
  bool found = false;
  for (model::GpuReport& gpu : gpus) {
    if (!gpu.pci.known() && !gpu.uuid.known()) continue;
    out.gpus.push_back(std::move(gpu));
    found = true;
  }
  return found;
}

}  // namespace gpuwright::parse
