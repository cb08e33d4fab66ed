// Process names by the words around them: Xid lines, OOM reports, hung tasks, segmentation faults,
// nvidia-smi's tables.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "host/name_rules.h"

#include <algorithm>
#include <array>

namespace gpuwright::host {

namespace rules {

namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}
bool is_space(char letter) {
  return letter == ' ' || letter == '\t';
}
std::size_t skip_spaces(std::string_view line, std::size_t at) {
  while (at < line.size() && is_space(line[at])) ++at;
  return at;
}
bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

void add_process(std::string_view line, std::size_t begin, std::size_t end, std::vector<NameSpan>& spans) {
  while (begin < end && is_space(line[begin])) ++begin;
  while (end > begin && is_space(line[end - 1])) --end;
  if (end > begin && !is_common_process(line.substr(begin, end - begin)))
    spans.push_back({begin, end, NameKind::Process});
}

std::size_t word_start(std::string_view line, std::size_t end) {
  while (end > 0 && !is_space(line[end - 1])) --end;
  return end;
}

namespace {

using Spans = std::vector<NameSpan>;

/// Each place behind `label` in the lower-case line where no longer word stands before it.
template <class Visit>
void behind_each(std::string_view low, std::string_view label, Visit visit) {
  for (std::size_t at = low.find(label); at != std::string_view::npos;
       at = low.find(label, at + label.size())) {
    const char before = at == 0 ? ' ' : low[at - 1];
    if (!is_digit(before) && !(before >= 'a' && before <= 'z')) visit(at + label.size());
  }
}

void xid_process(std::string_view line, Spans& spans) {
  // "pid=1234, name=python3, Ch 00000008"; "pid='<unknown>', name=<unknown>". The name ends at the next ", "
  // or the line's end.
  const auto pid = line.find("pid=");
  const auto name = pid == std::string_view::npos ? pid : line.find("name=", pid);
  if (name == std::string_view::npos || name - pid > 40) return;
  add_process(line, name + 5, std::min(line.find(", ", name), line.size()), spans);
}

void comm_process(std::string_view line, std::string_view low, Spans& spans) {
  behind_each(low, "comm=", [&](std::size_t behind) {
    const bool quoted = behind < line.size() && (line[behind] == '"' || line[behind] == '\'');
    const std::size_t begin = behind + (quoted ? 1 : 0);
    const std::size_t end = line.find_first_of(quoted ? "\"'" : " ,\t", begin);
    add_process(line, begin, std::min(end, line.size()), spans);
  });
  for (const std::string_view label : {"_comm\":\"", "_comm\" : \"", "_comm\": \""}) {
    const auto at = low.find(label);
    if (at != std::string_view::npos)
      add_process(line, at + label.size(), std::min(line.find('"', at + label.size()), line.size()), spans);
  }
  const auto at = line.find("Comm: ");  // "CPU: 3 PID: 77 Comm: NAME Tainted: P" or "Not tainted"
  if (at == std::string_view::npos) return;
  const auto end = std::min(line.find(" Tainted:", at), line.find(" Not tainted", at));
  add_process(line, at + 6, std::min(end, line.size()), spans);
}

void oom_process(std::string_view line, Spans& spans) {
  for (const std::string_view label : {"Killed process ", "Kill process "}) {
    const auto at = line.find(label);
    if (at == std::string_view::npos) continue;
    const auto open = line.find('(', at);
    if (open == std::string_view::npos) continue;
    // The name itself may hold brackets: it ends at the last ")" before what the kernel prints next.
    auto close = std::min(line.find(") total-vm", open), line.find("), ", open));
    close = std::min({close, line.find(") score", open), line.find(") sharing", open)});
    if (close == std::string_view::npos) close = line.find(')', open);
    if (close != std::string_view::npos) add_process(line, open + 1, close, spans);
  }
  const auto invoked = line.find(" invoked oom-killer");
  if (invoked != std::string_view::npos) add_process(line, word_start(line, invoked), invoked, spans);
  const auto task = line.find(",task=");
  if (task != std::string_view::npos)
    add_process(line, task + 6, std::min(line.find(",pid=", task), line.size()), spans);
}

void task_process(std::string_view line, Spans& spans) {
  // "INFO: task NAME:123 blocked for more than 120 seconds"
  const auto blocked = line.find(" blocked for more than ");
  const auto task = blocked == std::string_view::npos ? blocked : line.rfind("task ", blocked);
  if (task != std::string_view::npos) {
    const auto colon = line.rfind(':', blocked);
    if (colon != std::string_view::npos && colon > task + 5) add_process(line, task + 5, colon, spans);
  }
  // "task:NAME   state:D"
  const auto state = line.find("state:");
  const auto short_task = line.find("task:");
  if (short_task != std::string_view::npos && state != std::string_view::npos && short_task < state)
    add_process(line, short_task + 5, state, spans);
  // "NAME[123]: segfault at", "traps: NAME[123] general protection"
  for (const std::string_view sign : {"]: segfault at ", "] trap ", "] general protection", "] traps:"}) {
    const auto at = line.find(sign);
    const auto open = at == std::string_view::npos ? at : line.rfind('[', at);
    if (open != std::string_view::npos && open > 0 && all_digits(line.substr(open + 1, at - open - 1)))
      add_process(line, word_start(line, open), open, spans);
  }
}

/// The process table of nvidia-smi: "|    0   N/A  N/A      1234      C   python3        4MiB |". The name
/// keeps its width.
void smi_process(std::string_view line, Spans& spans) {
  if (!line.starts_with('|')) return;
  for (const std::string_view type : {" C ", " G ", " C+G ", " M+C ", " M "}) {
    const auto at = line.find(type);
    if (at == std::string_view::npos) continue;
    std::size_t pid = at;
    while (pid > 0 && is_space(line[pid - 1])) --pid;
    if (pid == 0 || !is_digit(line[pid - 1])) return;
    const std::size_t begin = skip_spaces(line, at + type.size());
    auto memory = line.rfind("MiB");
    if (memory == std::string_view::npos) memory = line.rfind("N/A");
    if (memory == std::string_view::npos || memory <= begin) return;
    const std::size_t end = word_start(line, memory);
    if (end > begin && !is_common_process(base::trim(line.substr(begin, end - begin))))
      spans.push_back({begin, end - 1, NameKind::ProcessColumn});
    return;
  }
}

void xml_process(std::string_view line, Spans& spans) {
  const auto open = line.find("<process_name>");
  const auto close = line.find("</process_name>");
  if (open != std::string_view::npos && close != std::string_view::npos && open < close)
    add_process(line, open + 14, close, spans);
}

}  // namespace

void processes(std::string_view line, std::string_view low, std::vector<NameSpan>& spans) {
  xid_process(line, spans);
  comm_process(line, low, spans);
  oom_process(line, spans);
  task_process(line, spans);
  smi_process(line, spans);
  xml_process(line, spans);
}

}  // namespace rules

bool is_common_process(std::string_view name) {
  static constexpr std::array<std::string_view, 46> kNames = {"<unknown>",
                                                              "unknown",
                                                              "N/A",
                                                              "[Not Found]",
                                                              "[Insufficient Permissions]",
                                                              "pt_main_thread",
                                                              "pt_data_worker",
                                                              "pt_data_pin",
                                                              "ray",
                                                              "raylet",
                                                              "torchrun",
                                                              "accelerate",
                                                              "deepspeed",
                                                              "X",
                                                              "Xorg",
                                                              "Xwayland",
                                                              "gnome-shell",
                                                              "kwin_x11",
                                                              "plasmashell",
                                                              "gpud",
                                                              "gpu_burn",
                                                              "gpu-burn",
                                                              "mpirun",
                                                              "orted",
                                                              "prted",
                                                              "srun",
                                                              "slurmd",
                                                              "slurmstepd",
                                                              "kubelet",
                                                              "containerd",
                                                              "containerd-shim",
                                                              "dockerd",
                                                              "runc",
                                                              "bash",
                                                              "sh",
                                                              "java",
                                                              "node",
                                                              "modprobe",
                                                              "insmod",
                                                              "rmmod",
                                                              "cat",
                                                              "lspci",
                                                              "init",
                                                              "init(1)",
                                                              "all_reduce_perf",
                                                              "nvbandwidth"};
  static constexpr std::array<std::string_view, 17> kBegins = {
      "python",    "nvidia-", "nv-",       "nv_",       "dcgm", "systemd",
      "kworker",   "swapper", "migration", "ksoftirqd", "irq/", "khugepaged",
      "kcompactd", "kswapd",  "cuda",      "nvsm",      "UVM"};
  const auto slash = name.rfind('/');
  const bool path = name.starts_with('/') || name.starts_with("...");
  const auto base_name = path && slash != std::string_view::npos ? name.substr(slash + 1) : name;
  if (name.empty() || std::find(kNames.begin(), kNames.end(), base_name) != kNames.end()) return true;
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&base_name](std::string_view begin) { return base_name.starts_with(begin); });
}

}  // namespace gpuwright::host
