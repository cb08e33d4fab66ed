// What NVML answered to us, as host/nvml_worker.h writes it. The keys are those of `nvidia-smi --query-gpu`,
// so that the table of gpu_fields.cpp fills the report. A GPU that did not answer keeps what it said before,
// and the line that says so.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <optional>
#include <string>

namespace gpuwright::parse {

namespace {

using model::GpuReport;

constexpr std::size_t kMostUnreadable = 64;  // cells of one GPU

struct KeyAndValue {
  std::string_view key;
  std::string_view value;
};

/// "temperature.gpu: 34  [nvmlDeviceGetTemperature, 9 us]".
std::optional<KeyAndValue> key_and_value(std::string_view line) {
  const std::size_t colon = line.find(": ");
  const std::size_t call = line.rfind("  [");
  if (colon == std::string_view::npos || call == std::string_view::npos || call < colon + 2)
    return std::nullopt;
  return KeyAndValue{line.substr(0, colon), line.substr(colon + 2, call - colon - 2)};
}

class AnswersReader {
 public:
  explicit AnswersReader(const BlockContext& context)
      : context_(context), head_(new_gpu_report("nvml-answers", context)) {}

  bool read(std::string_view block, model::Observations& out) {
    std::int64_t number = context_.first_line;
    for (const std::string_view text : base::lines(block)) {
      line(text.substr(0, 2000), number++);
    }
    for (GpuReport& report : gpus_) {
      derive_gpu_fields(report);
      out.gpus.push_back(std::move(report));
    }
    for (model::GpuLinkReport& report : links_) out.gpu_links.push_back(std::move(report));
    return true;
  }

 private:
  void line(std::string_view text, std::int64_t number) {
    if (text.starts_with("GPU ")) return open_gpu(base::parse_int(text.substr(4)), text, number);
    if (text.starts_with("link ")) return link(text.substr(5), number, text);
    if (text.starts_with("mig ")) return mig(text.substr(4));
    if (text.starts_with("process: ")) return process(base::words(text.substr(9)));
    const auto fact = key_and_value(text);
    if (!fact) return;
    const bool is_handle = fact->key == "handle";
    const SmiValue value{is_handle ? "name" : fact->key, fact->value, number, text};
    if (gpus_.empty()) {
      assign_gpu_value(head_, SmiLanguage::Query, value);
    } else if (!is_handle || absence_of(fact->value) != SmiAbsence::None) {
      if (!assign_gpu_value(gpus_.back(), SmiLanguage::Query, value)) no_field(value);
    }
  }

  /// A question without a field of its own (a list): that it failed counts all the same.
  void no_field(const SmiValue& value) {
    const SmiAbsence absence = absence_of(value.value);
    const bool broken = absence == SmiAbsence::TimedOut || absence == SmiAbsence::Unreadable;
    if (!broken || gpus_.back().unreadable.size() >= kMostUnreadable) return;
    model::UnreadableCell cell;
    cell.field = base::printable(value.path, 60);
    cell.text = base::printable(value.value, 80);
    cell.evidence = evidence_of(context_, value.line, value.line_text);
    gpus_.back().unreadable.push_back(std::move(cell));
  }

  void open_gpu(std::optional<std::int64_t> index, std::string_view text, std::int64_t number) {
    if (!index || gpus_.size() >= kMaxGpusPerBlock) return;
    gpus_.push_back(head_);
    GpuReport& report = gpus_.back();
    report.lines.push_back(evidence_of(context_, number, text));
    report.index = model::Field<std::int64_t>(*index, static_cast<std::int32_t>(report.lines.size()));
  }

  /// "3: active, remote 00000000:05:00.0, replay 0, recovery 0, crc 0".
  void link(std::string_view text, std::int64_t number, std::string_view whole) {
    constexpr std::size_t kMostLinks = 64;
    if (gpus_.empty()) return;
    const std::size_t colon = text.find(": ");
    const auto link_number = base::parse_int(text.substr(0, colon));
    if (colon == std::string_view::npos || !link_number) return;
    model::GpuLinkReport& report = links_of_gpu(number, whole);
    if (report.links.size() >= kMostLinks) return;
    model::LinkState state;
    state.number = *link_number;
    state.evidence = evidence_of(context_, number, whole);
    for (const std::string_view part : base::split(text.substr(colon + 2), ',')) {
      link_fact(base::trim(part), state);
    }
    report.links.push_back(std::move(state));
  }

  static void link_fact(std::string_view part, model::LinkState& state) {
    if (part == "active") state.condition = model::LinkCondition::Up;
    if (part == "inactive") state.condition = model::LinkCondition::Down;
    const std::size_t space = part.find(' ');
    if (space == std::string_view::npos) return;
    const std::string_view value = part.substr(space + 1);
    if (part.starts_with("remote ")) {
      const auto address = base::PciAddress::parse(value);
      if (address) state.remote = address->text();
    } else if (const auto count = base::parse_int(value); count && state.errors.size() < 16) {
      state.errors[std::string(part.substr(0, space))] = *count;
    }
  }

  model::GpuLinkReport& links_of_gpu(std::int64_t number, std::string_view text) {
    const GpuReport& gpu = gpus_.back();
    if (!links_.empty() && links_.back().index == gpu.index) return links_.back();
    model::GpuLinkReport report;
    report.format = "nvml-answers";
    report.input = context_.input;
    report.block_line = context_.first_line;
    report.index = gpu.index;
    report.uuid = gpu.uuid;
    report.name = gpu.name;
    report.pci = gpu.pci;
    const model::Evidence* head = gpu.line_of(gpu.index);
    report.lines.push_back(head == nullptr ? evidence_of(context_, number, text) : *head);
    links_.push_back(std::move(report));
    return links_.back();
  }

  /// "0: gpu instance 7, compute instance 0, uuid MIG-...".
  void mig(std::string_view text) {
    constexpr std::size_t kMostInstances = 64;
    if (gpus_.empty() || gpus_.back().mig.size() >= kMostInstances) return;
    const auto number_behind = [text](std::string_view words) -> model::Field<std::int64_t> {
      const std::size_t at = text.find(words);
      if (at == std::string_view::npos) return {};
      const std::string_view rest = text.substr(at + words.size());
      const auto number = base::parse_int(rest.substr(0, rest.find(',')));
      return number ? model::Field<std::int64_t>(*number) : model::Field<std::int64_t>();
    };
    model::MigInstance instance;
    if (const auto index = base::parse_int(text.substr(0, text.find(':')))) instance.index = *index;
    instance.gpu_instance = number_behind("gpu instance ");
    instance.compute_instance = number_behind("compute instance ");
    if (const std::size_t at = text.find("uuid "); at != std::string_view::npos)
      instance.uuid = base::printable(text.substr(at + 5), 96);
    gpus_.back().mig.push_back(std::move(instance));
  }

  /// "C 4711 41943040 B".
  void process(const std::vector<std::string_view>& words) {
    constexpr std::size_t kMostProcesses = 4096;
    if (gpus_.empty() || words.size() < 2 || gpus_.back().processes.size() >= kMostProcesses) return;
    model::GpuProcess process;
    process.type = base::printable(words[0], 16);
    if (const auto pid = base::parse_int(words[1])) process.pid = *pid;
    if (words.size() > 3) {
      if (const auto bytes = base::parse_int(words[2])) process.memory_bytes = *bytes;
    }
    gpus_.back().processes.push_back(std::move(process));
  }

  BlockContext context_;
  GpuReport head_;
  std::vector<GpuReport> gpus_;
  std::vector<model::GpuLinkReport> links_;
};

}  // namespace

bool parse_nvml_answers(std::string_view block, const BlockContext& context,
                        const catalog::Catalog& /*catalog*/, model::Observations& out) {
  return AnswersReader(context).read(block, out);
}

}  // namespace gpuwright::parse
