// SPDX-License-Identifier: Apache-2.0
#include "report/wording.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace gpuwright::report {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;  // in nanoseconds

using catalog::Language;
using model::SubjectKind;

struct GroupName {
  const char* group;
  const char* en;
  const char* zh;
};

constexpr std::array<GroupName, 28> kGroups = {{
    {"bench", "benchmark output", "基准测试输出"},
    {"bmc", "BMC event log", "BMC 事件日志"},
    {"container", "container error", "容器错误"},
    {"cuda", "CUDA error text", "CUDA 错误文本"},
    {"dcgm", "DCGM output", "DCGM 输出"},
    {"disk", "kernel log (storage)", "内核日志（存储）"},
    {"driver", "driver and kernel versions", "驱动与内核版本"},
    {"fm", "Fabric Manager log", "Fabric Manager 日志"},
    {"gpu", "GPU state", "GPU 状态"},
    {"gsp", "kernel log (GSP firmware)", "内核日志（GSP 固件）"},
    {"host", "state of the host", "主机状态"},
    {"ib", "InfiniBand state", "InfiniBand 状态"},
    {"k8s", "Kubernetes output", "Kubernetes 输出"},
    {"mlx5", "kernel log (mlx5)", "内核日志（mlx5）"},
    {"nccl", "NCCL log", "NCCL 日志"},
    {"nvlink", "NVLink state", "NVLink 状态"},
    {"nvrm", "kernel log (NVIDIA driver)", "内核日志（NVIDIA 驱动）"},
    {"oom", "out-of-memory report", "显存不足报告"},
    {"pcie", "kernel log (PCIe)", "内核日志（PCIe）"},
    {"slurm", "Slurm output", "Slurm 输出"},
    {"smi", "nvidia-smi message", "nvidia-smi 消息"},
    {"sxid", "kernel log (NVSwitch)", "内核日志（NVSwitch）"},
    {"tf", "TensorFlow log", "TensorFlow 日志"},
    {"torch", "PyTorch log", "PyTorch 日志"},
    {"xid", "kernel log (Xid)", "内核日志（Xid）"},
    {"kernel-log", "kernel log", "内核日志"},
    {"log", "log file", "日志文件"},
    {"text", "plain text", "纯文本"},
}};

const char* subject_word(SubjectKind kind, Language language) {
  const bool zh = language == Language::Chinese;
  switch (kind) {
    case SubjectKind::Host:
      return zh ? "本机" : "this machine";
    case SubjectKind::Gpu:
    case SubjectKind::Link:
      return "GPU";
    case SubjectKind::Switch:
      return "NVSwitch";
    case SubjectKind::Nic:
      return zh ? "网卡" : "NIC";
    case SubjectKind::Pci:
      return zh ? "PCIe 设备" : "PCIe device";
    case SubjectKind::Process:
      return zh ? "进程" : "process";
    case SubjectKind::Container:
      return zh ? "容器" : "container";
    case SubjectKind::Pod:
      return "pod";
    case SubjectKind::Node:
      return zh ? "节点" : "node";
    case SubjectKind::Disk:
      return zh ? "磁盘" : "disk";
    case SubjectKind::Job:
      return zh ? "作业" : "the job";
  }
  return "";
}

/// What a command shows where no line told the name.
struct StandIn {
  const char* name;
  const char* text;
};
constexpr std::array<StandIn, 5> kStandIns = {
    {{"bus_id", "<GPU>"}, {"disk", "<disk>"}, {"nic", "<device>"}, {"node", "<node>"}, {"pci", "<address>"}}};

std::string value_of(const std::string& name, const std::map<std::string, std::string>& params) {
  const auto value = params.find(name);
  if (value != params.end() && !value->second.empty()) return value->second;
  const auto stand_in = std::find_if(kStandIns.begin(), kStandIns.end(),
                                     [&](const StandIn& candidate) { return name == candidate.name; });
  return stand_in == kStandIns.end() ? std::string() : stand_in->text;
}

/// True when the text names parameters and none of them is known.
bool names_only_unknown(const std::string& text, const std::map<std::string, std::string>& params) {
  bool named = false;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    if (!value_of(text.substr(open + 1, close - open - 1), params).empty()) return false;
    named = true;
  }
  return named;
}

struct Parentheses {
  std::string_view open, close;
};

void drop_empty(std::string& text, const Parentheses& marks,
                const std::map<std::string, std::string>& params) {
  std::size_t open = text.find(marks.open);
  while (open != std::string::npos) {
    const std::size_t inside = open + marks.open.size();
    const std::size_t close = text.find(marks.close, inside);
    if (close == std::string::npos) return;
    const std::string held = text.substr(inside, close - inside);
    const bool is_command = open > 0 && text[open - 1] == '$';
    std::size_t next = inside;
    if (!is_command && held.find(marks.open) == std::string::npos && names_only_unknown(held, params)) {
      next = open > 0 && text[open - 1] == ' ' ? open - 1 : open;
      text.erase(next, close + marks.close.size() - next);
    }
    open = text.find(marks.open, next);
  }
}

/// A parenthesis that would hold nothing but unknown parameters goes, with the space before it.
std::string without_empty_parentheses(std::string text, const std::map<std::string, std::string>& params) {
  drop_empty(text, {"(", ")"}, params);
  drop_empty(text, {"（", "）"}, params);
  return text;
}

}  // namespace

std::string subject_text(const model::Subject& subject, Language language) {
  std::string text = subject_word(subject.kind, language);
  const bool whole =
      subject.kind == SubjectKind::Host || subject.kind == SubjectKind::Job || subject.id.empty();
  if (!whole) text += subject.id[0] == '#' ? " " + subject.id.substr(1) : " " + subject.id;
  if (subject.kind == SubjectKind::Link && subject.link) text += fmt::format(" link {}", *subject.link);
  if (subject.host.empty() || subject.host == subject.id) return text;
  return subject.kind == SubjectKind::Host
             ? subject.host
             : text + (language == Language::Chinese ? "，主机 " : " on ") + subject.host;
}

std::string severity_text(model::Severity severity, Language language) {
  const bool zh = language == Language::Chinese;
  switch (severity) {
    case model::Severity::Harmless:
      return zh ? "无害" : "harmless";
    case model::Severity::Info:
      return zh ? "提示" : "info";
    case model::Severity::Warning:
      return zh ? "警告" : "warning";
    case model::Severity::Error:
      return zh ? "错误" : "error";
    case model::Severity::Critical:
      return zh ? "严重" : "critical";
  }
  return "";
}

std::string ending_text(const catalog::Catalog& catalog, const std::string& code, Language language) {
  const base::CsvTable* endings = catalog.table("endings");
  if (endings == nullptr) return code;
  for (const base::CsvTable::Row& row : endings->rows) {
    if (endings->cell(row, "code") == code)
      return endings->cell(row, language == Language::Chinese ? "text_zh" : "text");
  }
  return code;
}

namespace {

/// What stands for the {parts} of the template; nothing where the text is not made of it.
std::optional<std::map<std::string, std::string>> parts_of(std::string_view text, std::string_view made_of) {
  std::map<std::string, std::string> parts;
  while (true) {
    const std::size_t open = made_of.find('{');
    const std::string_view fixed = made_of.substr(0, open);
    if (!text.starts_with(fixed)) return std::nullopt;
    text.remove_prefix(fixed.size());
    if (open == std::string_view::npos) break;
    const std::size_t close = made_of.find('}', open);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string name(made_of.substr(open + 1, close - open - 1));
    made_of.remove_prefix(close + 1);
    const std::string_view next = made_of.substr(0, made_of.find('{'));
    // The last part goes as far as what follows it stands at the end.
    const bool last = next.size() == made_of.size();
    const std::size_t end = next.empty() ? text.size() : last ? text.rfind(next) : text.find(next);
    if (end == std::string_view::npos) return std::nullopt;
    parts[name] = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

}  // namespace

std::string reason_text(const catalog::Catalog& catalog, const std::string& reason, Language language) {
  const base::CsvTable* reasons = catalog.table("reasons");
  if (language != Language::Chinese || reasons == nullptr) return reason;
  for (const base::CsvTable::Row& row : reasons->rows) {
    const auto parts = parts_of(reason, reasons->cell(row, "text"));
    if (!parts) continue;
    std::string text = reasons->cell(row, "text_zh");
    for (const auto& [name, part] : *parts)
      text = base::replace_all(text, "{" + name + "}", reason_text(catalog, part, language));
    return text;
  }
  return reason;
}

std::string of_year_text(const model::EventTime& time) {
  const std::int64_t second = time.of_year_ns.value_or(0) / kSecond;
  const std::chrono::sys_days day =
      std::chrono::sys_days(std::chrono::year(2000) / 1 / 1) + std::chrono::days(second / 86400);
  const std::chrono::year_month_day date{day};
  return fmt::format("{:02}-{:02} {:02}:{:02}:{:02}", static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), second % 86400 / 3600, second / 60 % 60, second % 60);
}

std::string wall_time_text(std::int64_t wall_ns) {
  const std::chrono::sys_days day{std::chrono::days(wall_ns / (86400 * kSecond))};
  const std::chrono::year_month_day date{day};
  const std::int64_t second = wall_ns / kSecond % 86400;
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), second / 3600,
                     second / 60 % 60, second % 60);
}

std::string time_text(const model::EventTime& time, Language language) {
  if (time.wall_ns) return wall_time_text(*time.wall_ns);
  if (!time.since_boot_ns && time.of_year_ns) return of_year_text(time);
  if (!time.since_boot_ns) return {};
  const double seconds = static_cast<double>(*time.since_boot_ns) / static_cast<double>(kSecond);
  return language == Language::Chinese ? fmt::format("开机后 {:.3f} 秒", seconds)
                                       : fmt::format("{:.3f} s after boot", seconds);
}

std::string fill_in(const std::string& template_text, const std::map<std::string, std::string>& params) {
  const std::string text = without_empty_parentheses(template_text, params);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return out + text.substr(at);
    out += text.substr(at, open - at);
    const std::string value = value_of(text.substr(open + 1, close - open - 1), params);
    at = close + 1;
    if (!value.empty()) {
      out += value;
    } else if (!out.empty() && out.back() == ' ' && at < text.size() && text[at] == ' ') {
      ++at;
    }
  }
  return out;
}

std::string format_text(const std::string& id, Language language) {
  const std::string group = id.rfind("lines:", 0) == 0 ? id.substr(6) : id;
  for (const GroupName& name : kGroups) {
    if (group == name.group) return language == Language::Chinese ? name.zh : name.en;
  }
  return id;
}

}  // namespace gpuwright::report
