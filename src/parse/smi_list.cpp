// `nvidia-smi -L` names every GPU on one line. `nvidia-smi nvlink -s | -e | -R` prints the same line and the
// links below it. A link that is down says "<inactive>"; when all links of a GPU are down NVML refuses to
// list them.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <string>
#include <utility>

namespace gpuwright::parse {
namespace {

using model::Field;

constexpr std::size_t kMaxLinks = 64;

class ListReader {
 public:
  explicit ListReader(const BlockContext& context) : context_(context) {}

  /// False when nothing of a list was seen for so long that the rest is something else.
  bool line(std::string_view text, std::int64_t number) {
    const std::string_view trimmed = base::trim(text);
    const bool mine = head_line(trimmed, number) || mig_line(trimmed) || link_line(trimmed, number) ||
                      refusal(trimmed, number);
    idle_lines_ = mine ? 0 : idle_lines_ + 1;
    return idle_lines_ < 200;
  }

  bool finish(model::Observations& out) {
    close_gpu();
    for (model::GpuReport& gpu : gpus_) out.gpus.push_back(std::move(gpu));
    for (model::GpuLinkReport& report : reports_) out.gpu_links.push_back(std::move(report));
    return !gpus_.empty() || !reports_.empty();
  }

 private:
  /// "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)"
  bool head_line(std::string_view text, std::int64_t number) {
    if (text.substr(0, 4) != "GPU ") return false;
    const std::size_t colon = text.find(':');
    const std::size_t uuid = text.find("(UUID:");
    if (colon == std::string_view::npos || uuid == std::string_view::npos || uuid < colon) return false;
    const auto index = base::parse_int(base::trim(text.substr(4, colon - 4)));
    if (!index || gpus_.size() >= kMaxGpusPerBlock) return false;
    close_gpu();
    model::GpuReport gpu = new_gpu_report("nvidia-smi-list", context_);
    assign_gpu_value(gpu, SmiLanguage::Query, {"index", base::trim(text.substr(4, colon - 4)), number, text});
    assign_gpu_value(gpu, SmiLanguage::Query,
                     {"name", base::trim(text.substr(colon + 1, uuid - colon - 1)), number, text});
    std::string_view id = base::trim(text.substr(uuid + 6));
    if (!id.empty() && id.back() == ')') id.remove_suffix(1);
    assign_gpu_value(gpu, SmiLanguage::Query, {"uuid", id, number, text});
    links_ = model::GpuLinkReport();
    links_.format = "nvidia-smi-list";
    links_.input = context_.input;
    links_.block_line = context_.first_line;
    links_.index = gpu.index;
    links_.uuid = gpu.uuid;
    links_.name = gpu.name;
    links_.lines.push_back(evidence_of(context_, number, text));
    gpus_.push_back(std::move(gpu));
    open_ = true;
    return true;
  }

  /// "MIG 3g.40gb     Device  0: (UUID: MIG-...)"
  bool mig_line(std::string_view text) {
    if (!open_ || text.substr(0, 4) != "MIG " || gpus_.back().mig.size() >= 64) return false;
    const auto words = base::words(text);
    if (words.size() < 5) return false;
    model::MigInstance instance;
    instance.profile = base::printable(words[1], 32);
    std::string_view index = words[3];
    if (!index.empty() && index.back() == ':') index.remove_suffix(1);
    if (const auto number = base::parse_int(index)) instance.index = Field<std::int64_t>(*number);
    std::string_view uuid = words.back();
    if (!uuid.empty() && uuid.back() == ')') uuid.remove_suffix(1);
    instance.uuid = base::printable(uuid, 64);
    gpus_.back().mig.push_back(std::move(instance));
    return true;
  }

  /// "Link 0: 26.562 GB/s", "Link 3: <inactive>", "Link 0: CRC Errors: 0", "Link 0: Remote Device 0000:..:
  /// Link 4"
  bool link_line(std::string_view text, std::int64_t number) {
    if (!open_ || text.substr(0, 5) != "Link ") return false;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const auto link = base::parse_int(base::trim(text.substr(5, colon - 5)));
    if (!link || *link < 0) return false;
    model::LinkState* state = link_of(*link);
    if (state == nullptr) return false;
    const std::string_view rest = base::trim(text.substr(colon + 1));
    if (state->evidence.line == 0) state->evidence = evidence_of(context_, number, text);
    read_link(*state, rest, evidence_of(context_, number, text));
    return true;
  }

  void read_link(model::LinkState& state, std::string_view rest, const model::Evidence& evidence) {
    const std::string low = base::lower(rest);
    const auto speed = base::parse_number_and_unit(rest);
    if (speed && speed->unit == "GB/s") {
      state.condition = speed->number > 0 ? model::LinkCondition::Up : model::LinkCondition::Down;
      state.gigabytes_per_second = Field<double>(speed->number);
    } else if (base::contains(low, "inactive") || low == "down") {
      state.condition = model::LinkCondition::Down;
      state.evidence = evidence;
    } else if (base::contains(low, "disabled")) {
      state.condition = model::LinkCondition::Disabled;
    } else if (base::contains(low, "not supported")) {
      state.condition = model::LinkCondition::NotSupported;
    } else if (low.rfind("remote device ", 0) == 0) {
      const auto address = base::PciAddress::parse(
          base::words(rest.substr(14)).empty() ? "" : strip_colon(base::words(rest.substr(14))[0]));
      if (address) state.remote = address->text();
    } else {
      read_counter(state, low, evidence);
    }
  }

  static std::string_view strip_colon(std::string_view word) {
    if (!word.empty() && word.back() == ':') word.remove_suffix(1);
    return word;
  }

  static void read_counter(model::LinkState& state, const std::string& low, const model::Evidence& evidence) {
    const std::size_t colon = low.rfind(':');
    if (colon == std::string::npos || state.errors.size() >= 32) return;
    const auto count = base::parse_int(base::trim(std::string_view(low).substr(colon + 1)));
    if (!count) return;
    std::string name = base::printable(base::trim(std::string_view(low).substr(0, colon)), 48);
    const std::size_t errors = name.find(" error");
    if (errors == std::string::npos) return;
    name.erase(errors);
    state.errors[name] = *count;
    if (*count > 0) state.evidence = evidence;
  }

  bool refusal(std::string_view text, std::int64_t number) {
    if (!open_ || !base::contains(base::lower(text), "all links are inactive")) return false;
    links_.all_inactive = true;
    links_.lines.push_back(evidence_of(context_, number, text));
    return true;
  }

  model::LinkState* link_of(std::int64_t number) {
    for (model::LinkState& link : links_.links)
      if (link.number == number) return &link;
    if (links_.links.size() >= kMaxLinks) return nullptr;
    links_.links.emplace_back();
    links_.links.back().number = number;
    return &links_.links.back();
  }

  void close_gpu() {
    if (open_ && (links_.all_inactive || !links_.links.empty())) reports_.push_back(std::move(links_));
    open_ = false;
  }

  BlockContext context_;
  std::vector<model::GpuReport> gpus_;
  std::vector<model::GpuLinkReport> reports_;
  model::GpuLinkReport links_;
  bool open_ = false;
  int idle_lines_ = 0;
};

}  // namespace

bool parse_smi_list(std::string_view block, const BlockContext& context, const catalog::Catalog& /*catalog*/,
                    model::Observations& out) {
  ListReader reader(context);
  return read_lines(reader, block, context, out);
}

}  // namespace gpuwright::parse
