// Product names: NVIDIA data centre product pages. Boards called SXM, and those sold only as baseboards
// (B200, B300, GB200 ...), sit on an NVLink fabric; "PCIe" and "NVL" boards have connectors for a bridge that
// may be absent.
// SPDX-License-Identifier: Apache-2.0
#include "rules/gpu_identity.h"

#include "base/text.h"

#include <array>
#include <utility>

namespace gpuwright::rules {
namespace {

struct NameRule {
  const char* fragment;
  NvlinkUse use;
};

// The first fragment found decides.
constexpr NameRule kNames[] = {
    {"PCIE", NvlinkUse::Bridge},      {"NVL", NvlinkUse::Bridge},        {"GB200", NvlinkUse::Always},
    {"GB300", NvlinkUse::Always},     {"SXM", NvlinkUse::Always},        {"80GB HBM3", NvlinkUse::Always},
    {"64GB HBM2", NvlinkUse::Always}, {"B200", NvlinkUse::Always},       {"B300", NvlinkUse::Always},
    {"H200", NvlinkUse::Always},      {"H20", NvlinkUse::Always},        {"H800", NvlinkUse::Always},
    {"A800", NvlinkUse::Always},      {"A100-PG509", NvlinkUse::Always}, {"A40", NvlinkUse::Bridge},
    {"A6000", NvlinkUse::Bridge},     {"A5000", NvlinkUse::Bridge},      {"A4500", NvlinkUse::Bridge},
    {"3090", NvlinkUse::Bridge},      {"QUADRO RTX", NvlinkUse::Bridge}, {"TITAN RTX", NvlinkUse::Bridge},
    {"2080", NvlinkUse::Bridge},      {"L40", NvlinkUse::Never},         {"L20", NvlinkUse::Never},
    {"L4", NvlinkUse::Never},         {"T4", NvlinkUse::Never},          {"A10", NvlinkUse::Unknown},
    {"RTX", NvlinkUse::Never},        {"GEFORCE", NvlinkUse::Never},     {"GTX", NvlinkUse::Never},
    {"A16", NvlinkUse::Never},        {"A2", NvlinkUse::Never},
};

struct IdRule {
  const char* id;
  NvlinkUse use;
};

// Source: PCI ids as in `lspci -nn` of the boards.
constexpr IdRule kIds[] = {
    {"20b0", NvlinkUse::Always}, {"20b2", NvlinkUse::Always}, {"20b5", NvlinkUse::Bridge},
    {"20f1", NvlinkUse::Bridge}, {"2321", NvlinkUse::Bridge}, {"2322", NvlinkUse::Bridge},
    {"2324", NvlinkUse::Always}, {"2329", NvlinkUse::Always}, {"2330", NvlinkUse::Always},
    {"2331", NvlinkUse::Bridge}, {"2335", NvlinkUse::Always}, {"233b", NvlinkUse::Bridge},
    {"2901", NvlinkUse::Always}, {"2941", NvlinkUse::Always}, {"1db1", NvlinkUse::Always},
    {"1db5", NvlinkUse::Always}, {"1db4", NvlinkUse::Never},  {"1db6", NvlinkUse::Never},
    {"26b5", NvlinkUse::Never},  {"26b9", NvlinkUse::Never},  {"27b8", NvlinkUse::Never},
    {"1eb8", NvlinkUse::Never},
};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::string without_function(const std::string& address) {
  const std::size_t dot = address.rfind('.');
  return dot == std::string::npos ? address : address.substr(0, dot);
}

std::string key_of(const std::string& input, std::int64_t index) {
  return input + "|#" + std::to_string(index);
}

/// Keeps one name; a second, different one makes it unknown.
void note(std::map<std::int64_t, std::string>& names, std::int64_t index, const std::string& name) {
  const auto added = names.emplace(index, name);
  if (!added.second && added.first->second != name) added.first->second.clear();
}

std::string value_at(const std::map<std::int64_t, std::string>& names, std::int64_t index) {
  const auto at = names.find(index);
  return at == names.end() ? std::string() : at->second;
}

}  // namespace

NvlinkUse nvlink_use(std::string_view name, std::string_view device_id) {
  const std::string text = upper(name);
  for (const NameRule& rule : kNames)
    if (!text.empty() && base::contains(text, rule.fragment)) return rule.use;
  for (const IdRule& rule : kIds)
    if (device_id == rule.id) return rule.use;
  return NvlinkUse::Unknown;
}

bool is_multi_node_nvlink(std::string_view name) {
  const std::string text = upper(name);
  return base::contains(text, "GB200") || base::contains(text, "GB300") || base::contains(text, "NVL72");
}

bool has_ecc_memory(std::string_view name) {
  const std::string text = upper(name);
  for (const char* board : {"V100", "A100", "A800", "H100", "H200", "H20", "H800", "B200", "B300", "GB200",
                            "GB300", "L40", "A40", "A30", "T4"})
    if (base::contains(text, board)) return true;
  return false;
}

GpuDirectory::GpuDirectory(const model::Observations& observations) {
  for (const model::GpuReport& gpu : observations.gpus) {
    if (gpu.index.known() && gpu.name.known()) note(names_, gpu.index.value(), gpu.name.value());
    if (gpu.index.known() && gpu.device_id.known())
      note(device_ids_, gpu.index.value(), gpu.device_id.value());
    if (!gpu.pci.known()) continue;
    const std::string address = without_function(gpu.pci.value());
    if (gpu.index.known()) address_of_.emplace(key_of(gpu.input, gpu.index.value()), address);
    if (gpu.uuid.known()) address_of_.emplace(gpu.uuid.value(), address);
  }
}

model::Subject GpuDirectory::subject(const model::GpuReport& report) const {
  model::Subject subject;
  subject.kind = model::SubjectKind::Gpu;
  if (report.pci.known()) {
    subject.id = without_function(report.pci.value());
    return subject;
  }
  if (report.uuid.known()) {
    const auto known = address_of_.find(report.uuid.value());
    if (known != address_of_.end()) {
      subject.id = known->second;
      return subject;
    }
  }
  if (report.index.known()) return subject_of_index(report.index.value(), report.input);
  if (report.uuid.known()) subject.id = report.uuid.value();
  return subject;
}

model::Subject GpuDirectory::subject_of_index(std::int64_t index, const std::string& input) const {
  model::Subject subject;
  subject.kind = model::SubjectKind::Gpu;
  const auto known = address_of_.find(key_of(input, index));
  subject.id = known != address_of_.end() ? known->second : "#" + std::to_string(index);
  return subject;
}

std::string GpuDirectory::name_of_index(std::int64_t index) const {
  return value_at(names_, index);
}

std::string GpuDirectory::device_id_of_index(std::int64_t index) const {
  return value_at(device_ids_, index);
}

model::Event gpu_event(const char* judge, std::string signal, model::Subject subject) {
  model::Event event;
  event.signal = std::move(signal);
  event.signature = judge;
  event.subject = std::move(subject);
  return event;
}

}  // namespace gpuwright::rules
