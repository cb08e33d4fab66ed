// The list of evidence and how it is read; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/evidence.h"

#include "base/ids.h"
#include "base/text.h"
#include "host/kmsg.h"
#include "host/nvml_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::Result;
using std::chrono::seconds;

constexpr EvidenceKind kLog = EvidenceKind::KernelLog;
constexpr EvidenceKind kUptime = EvidenceKind::Uptime;
constexpr EvidenceKind kFile = EvidenceKind::File;
constexpr EvidenceKind kNvml = EvidenceKind::Nvml;
constexpr EvidenceKind kCommand = EvidenceKind::Command;
constexpr EvidenceKind kSmiCommand = EvidenceKind::SmiCommand;

// Deadlines: what asks the driver may wait for each GPU in turn on a sick machine; what asks nobody gets ten
// seconds.
constexpr auto kEvidence = std::to_array<EvidenceItem>({
    {kLog, "kernel log", seconds(0), true, "Xid, SXid, NVRM, AER, OOM and machine check lines"},
    {kUptime, "uptime", seconds(0), false, "some driver faults come after a fixed time"},
    {kFile, "/proc/driver/nvidia/version", seconds(0), true, "the loaded driver and its flavour"},
    {kFile, "/proc/driver/nvidia/gpus/*/information", seconds(0), false, "the GPUs that the driver holds"},
    {kFile, "/proc/driver/nvidia/params", seconds(0), false, "options of the loaded driver"},
    {kFile, "/proc/modules", seconds(0), false, "which modules are loaded: nouveau, nvidia_peermem"},
    {kFile, "/proc/version", seconds(0), false, "the running kernel"},
    {kFile, "/proc/cmdline", seconds(0), false, "options of the kernel: iommu, pci=realloc"},
    {kFile, "/etc/os-release", seconds(0), false, "the distribution"},
    {kNvml, "NVML", seconds(0), false, "state of each GPU: memory errors, clocks, links, processes"},
    {kCommand, "lspci -nnvv", seconds(10), true, "PCIe devices, their links and errors"},
    {kSmiCommand, "nvidia-smi", seconds(30), true, "whether the driver answers at all"},
    {kSmiCommand, "nvidia-smi -q", seconds(60), true, "state of each GPU where NVML cannot be asked"},
    {kSmiCommand, "nvidia-smi nvlink -s", seconds(30), false, "NVLink states and speeds"},
    {kSmiCommand, "nvidia-smi topo -m", seconds(30), false, "how GPUs and network cards are joined"},
    {kCommand, "dcgmi health -c", seconds(20), false, "DCGM's own opinion"},
    {kCommand, "ibstat", seconds(10), false, "state of InfiniBand ports"},
    {kFile, "/sys/class/infiniband/*/ports/1/state", seconds(0), false,
     "state of InfiniBand ports where ibstat is missing"},
    {kFile, "/var/log/fabricmanager.log", seconds(0), false, "NVSwitch errors and routing"},
    {kFile, "/var/log/nvidia-installer.log", seconds(0), false, "why a driver installation failed"},
    {kFile, "/var/lib/dkms/nvidia*/*/build/make.log", seconds(0), false, "why a module did not build"},
    {kFile, "/var/log/pods/*/k8s-driver-manager/*", seconds(0), false, "why the operator's driver waits"},
    {kFile, "/var/log/pods/*/nvidia-driver-ctr/*", seconds(0), false, "why the operator's driver fails"},
    {kCommand,
     "systemctl show nvidia-fabricmanager nvidia-persistenced nvidia-imex nvidia-dcgm "
     "--property=Id,LoadState,ActiveState,SubState,Result,UnitFileState",
     seconds(10), false, "services that GPUs need"},
    {kCommand,
     "journalctl -b --since=-24h -n 3000 -o short-iso --no-pager -q -u init.scope -u docker -u containerd -u "
     "crio -u "
     "kubelet -u nvidia-persistenced -u nvidia-cdi-refresh -u nvidia-mig-manager -u prometheus-node-exporter "
     "-u "
     "node_exporter -u libvirtd -u virtqemud -u openibd -u mdmonitor -u apt-daily -u apt-daily-upgrade",
     seconds(10), false, "what the services of containers, guests and storage complained of within a day"},
    {kCommand, "docker info", seconds(10), false, "container runtime and cgroup driver"},
    {kCommand, "mokutil --sb-state", seconds(5), false, "Secure Boot refuses unsigned modules"},
    {kCommand, "dkms status", seconds(20), false, "modules that were not built for this kernel"},
    {kCommand, "sinfo -R", seconds(10), false, "why Slurm drained nodes"},
    {kCommand, "ipmitool sel elist", seconds(30), false, "power, temperature and PCIe events of the BMC"},
});

// Where loggers put kernel lines, the most complete first: syslog and messages hold what kern.log holds.
constexpr auto kLogFiles = std::to_array<const char*>(
    {"/var/log/syslog", "/var/log/messages", "/var/log/kern.log", "/var/log/dmesg"});
// No command: each costs more than all of these together. The services' states come with the facts.
constexpr auto kQuick = std::to_array<EvidenceItem>({
    {EvidenceKind::KernelTail, "kernel log", seconds(0), true,
     "Xid, SXid, NVRM, AER and machine check lines"},
    {kUptime, "uptime", seconds(0), false, "some driver faults come after a fixed time"},
    {kFile, "/proc/driver/nvidia/version", seconds(0), false, "the loaded driver and its flavour"},
    {kFile, "/proc/driver/nvidia/gpus/*/information", seconds(0), false, "the GPUs that the driver holds"},
    {EvidenceKind::PciLinks, "/sys/bus/pci/devices", seconds(0), true, "whether the GPUs are on the bus"},
    {kNvml, "NVML", seconds(0), true, "state of each GPU: memory errors, clocks, links"},
});

constexpr std::size_t kMaxWildcard = 256;
const std::vector<std::string> kJournal = {"journalctl", "-k", "-b", "-o", "json", "--no-pager", "-q"};

std::vector<std::string> argv_of(const char* command) {
  std::vector<std::string> argv;
  for (const auto word : base::words(command)) argv.emplace_back(word);
  return argv;
}

class Collector {
 public:
  Collector(Source& source, Inputs& inputs) : source_(source), inputs_(inputs) {}

  /// Lets the tools begin that will be asked in any case.
  void begin(std::span<const EvidenceItem> items) {
    std::vector<ToolCall> calls;
    for (const EvidenceItem& item : items) {
      if (item.kind == EvidenceKind::Command) calls.push_back({argv_of(item.what), item.deadline});
    }
    source_.expect(calls);
  }

  void read(const EvidenceItem& item) {
    switch (item.kind) {
      case EvidenceKind::KernelLog:
        return kernel_log();
      case EvidenceKind::KernelTail:
        return kernel_tail();
      case EvidenceKind::PciLinks:
        return pci_links(item.expected);
      case EvidenceKind::Uptime:
        return uptime();
      case EvidenceKind::File:
        return file(item);
      case EvidenceKind::Nvml:
        return nvml(item.expected);
      case EvidenceKind::Command:
        return command(item);
      case EvidenceKind::SmiCommand:
        if (!nvml_answered_) command(item);
    }
  }

  /// What stands in a recording that was written by hand, beside what the list asks for: logs, and what
  /// programs said, whoever started them. An answer that was read above is not read again, and what states
  /// facts, such as that there is no module on the host, is judged with all other facts by the checks.
  void further() {
    static constexpr std::array<std::string_view, 12> kStates = {
        "modinfo",   "mokutil",    "dpkg-query", "dpkg_-l", "rpm_-q",      "nv-fabricmanager",
        "apt-cache", "nvidia-ctk", "lsinitrd",   "uname",   "lsinitramfs", "nvidia-imex"};
    std::set<std::string> read;
    for (const Document& document : inputs_.documents)
      read.insert(base::replace_all(document.name, " ", "_"));
    for (auto& [name, text] : source_.further_texts()) {
      const auto states = [&name = name](std::string_view begin) { return name.starts_with(begin); };
      if (read.count(name) != 0 || std::any_of(kStates.begin(), kStates.end(), states)) continue;
      add_text(name, std::move(text));
    }
  }

 private:
  void add(std::string name, std::unique_ptr<base::ByteStream> content) {
    Document document;
    document.name = std::move(name);
    document.content = std::move(content);
    inputs_.documents.push_back(std::move(document));
  }

  void add_text(std::string name, std::string text) {
    add(std::move(name), std::make_unique<base::MemoryStream>(std::move(text)));
  }

  void could_not(const std::string& what, std::string_view why) {
    inputs_.could_not_look.push_back(base::printable(fmt::format("{}: {}", what, why)));
  }

  void kernel_log() {
    auto log = source_.kernel_log();
    if (log && log->overwritten == 0) return use(*log);
    // Denied to this user, or the oldest records are gone from memory: the journal may still have them.
    auto journal = journal_log();
    if (journal && !journal->text.empty()) return use(*journal);
    if (log) return use(*log);
    if (log_file()) return;
    could_not("kernel log", fmt::format("{} (run as root, or give the log as a file)", log.error().message));
  }

  /// What programs wrote into it is left out without a word: it is not the kernel's.
  void kernel_tail() {
    auto log = source_.kernel_log();
    if (!log) return could_not("kernel log", log.error().message + " (run as root)");
    if (log->lost + log->overwritten > 0)
      could_not("kernel log", fmt::format("only its newest lines: {} older records are gone",
                                          log->lost + log->overwritten));
    inputs_.kernel_log_seen = true;
    inputs_.kernel_log_whole = log->lost + log->overwritten == 0;
    add_text("kernel log", std::move(log->text));
  }

  void use(KernelLog& log) {
    inputs_.kernel_log_seen = true;
    inputs_.kernel_log_whole = log.lost + log.overwritten == 0;
    if (log.lost > 0)
      could_not("kernel log", fmt::format("{} records were overwritten while it was read", log.lost));
    if (log.overwritten > 0)
      could_not("kernel log",
                fmt::format("the first {} records since boot are gone from memory", log.overwritten));
    if (log.foreign > 0)
      could_not("kernel log",
                fmt::format("{} records were written by programs, not by the kernel: left out", log.foreign));
    add_text("kernel log", std::move(log.text));
  }

  Result<KernelLog> journal_log() {
    GPUWRIGHT_TRY(const auto answer, source_.run(kJournal, seconds(30)));
    return kernel_log_from_journal(answer.output);
  }

  bool log_file() {
    for (const char* path : kLogFiles) {
      auto stream = source_.open_file(path);
      if (stream) {
        add(path, std::move(stream).value());
        inputs_.kernel_log_seen = true;
        return true;
      }
      if (stream.error().kind != ErrorKind::NotFound) could_not(path, stream.error().message);
    }
    return false;
  }

  void uptime() {
    const auto text = source_.read_file("/proc/uptime", 256);
    const auto words = text ? base::words(*text) : std::vector<std::string_view>{};
    const auto up = words.empty() ? std::nullopt : base::parse_double(words.front());
    if (!up || !(*up >= 0 && *up < 1e12)) return;
    const auto hours = static_cast<std::int64_t>(*up) / 3600;
    add_text("uptime", fmt::format("uptime {} days {} h\n", hours / 24, hours % 24));
  }

  void nvml(bool expected) {
    auto answers = source_.gpu_answers();
    nvml_answered_ = answers.ok();
    if (answers) {
      tell_busy(*answers);
      const std::string name = simulated_in(*answers) ? "NVML (simulated)" : "NVML";
      return add_text(name, std::move(*answers));
    }
    // Where there is no such library nvidia-smi is asked, and says that there is none.
    const ErrorKind kind = answers.error().kind;
    if (expected || (kind != ErrorKind::NotFound && kind != ErrorKind::Unsupported))
      could_not("NVML", answers.error().text());
  }

  /// GPUs that were not asked, for another run was at them.
  void tell_busy(std::string_view answers) {
    std::string_view gpu;
    for (const std::string_view line : base::lines(answers)) {
      if (line.starts_with("GPU ")) gpu = line;
      if (line.starts_with("handle: [") && line.substr(9).starts_with(nvml::kBusy))
        could_not(std::string(gpu), nvml::kBusy);
    }
  }

  static bool simulated_in(std::string_view answers) {
    return answers.substr(0, 400).find("\nsimulated: ") != std::string_view::npos;
  }

  void file(const EvidenceItem& item) {
    const std::string path = item.what;
    if (path.find('*') == std::string::npos) return one_file(path, item.expected);
    files_like(path, 0);
  }

  /// A part of a path may be "*" or end in it.
  void files_like(const std::string& path, std::size_t from) {
    const auto star = path.find('*', from);
    if (star == std::string::npos) return one_file(path, false);
    const std::size_t slash = path.rfind('/', star);
    const std::string begin = path.substr(slash + 1, star - slash - 1);
    const std::string rest = path.substr(star + 1);
    const auto names = source_.list_directory(path.substr(0, slash));
    if (!names) {
      if (names.error().kind != ErrorKind::NotFound && from == 0) could_not(path, names.error().message);
      return;
    }
    std::size_t count = 0;
    for (const auto& name : *names) {
      if (!name.starts_with(begin)) continue;
      if (++count > kMaxWildcard) return could_not(path, fmt::format("more than {} matches", kMaxWildcard));
      const std::string whole = path.substr(0, slash + 1) + name;
      files_like(whole + rest, whole.size());
    }
  }

  void one_file(const std::string& path, bool expected) {
    auto stream = source_.open_file(path);
    if (stream) return add(path, std::move(stream).value());
    if (expected || stream.error().kind != ErrorKind::NotFound) could_not(path, stream.error().message);
  }

  void command(const EvidenceItem& item) {
    const auto answer = source_.run(argv_of(item.what), item.deadline);
    if (!answer && std::string_view(item.what).starts_with("lspci")) pci_links(false);
    if (!answer) return no_answer(item, answer.error());
    std::string text = answer->output;
    const bool failed = answer->status != 0;
    // The complaint of a tool that must work is evidence as well; of success we want the output alone.
    if (failed && !answer->errors.empty())
      text += (text.empty() || text.ends_with('\n') ? "" : "\n") + answer->errors;
    if (answer->timed_out) {
      const auto waited =
          answer->waited.count() > 0 ? std::chrono::ceil<seconds>(answer->waited) : item.deadline;
      text += fmt::format("{}{}: no answer after {} s\n", text.empty() || text.ends_with('\n') ? "" : "\n",
                          item.what, waited.count());
      could_not(item.what, fmt::format("no answer after {} s: killed", waited.count()));
    } else if (failed && (!item.expected || base::trim(text).empty())) {
      // nvidia-smi's complaint is evidence. That a tool which merely happens to be installed finds no daemon
      // or no device is none: many machines run without, and nobody asked.
      return could_not(item.what, failure_of(*answer, text));
    }
    if (answer->output_cut) could_not(item.what, "the output was too long and is cut");
    if (!text.empty()) add_text(item.what, std::move(text));
  }

  static std::string failure_of(const CommandAnswer& answer, std::string_view text) {
    if (answer.signal != 0) return fmt::format("ended by signal {}", answer.signal);
    const auto said = base::trim(text);
    if (said.empty()) return fmt::format("failed with status {}", answer.status);
    return base::printable(base::trim(said.substr(said.rfind('\n') + 1)), 160);
  }

  /// What lspci would say of NVIDIA's devices and their links, from sysfs, in lspci's words.
  void pci_links(bool expected) {
    const std::string top = "/sys/bus/pci/devices";
    const auto names = source_.list_directory(top);
    if (!names && expected) could_not(top, names.error().message);
    if (!names) return;
    std::string text;
    for (const auto& name : *names) {
      const std::string folder = top + "/" + name + "/";
      if (line_of(folder + "vendor") != "0x10de") continue;
      const std::string kind = line_of(folder + "class");
      text += fmt::format("{} {}: NVIDIA Corporation Device [10de:{}]\n", name,
                          kind.starts_with("0x0300")   ? "VGA compatible controller [0300]"
                          : kind.starts_with("0x0302") ? "3D controller [0302]"
                                                       : "Bridge [0680]",
                          base::replace_all(line_of(folder + "device"), "0x", ""));
      const std::string most = link_of(folder, "max");
      const std::string now = link_of(folder, "current");
      if (!most.empty()) text += "\t\tLnkCap:\tPort #0, " + most + "\n";
      if (!now.empty()) text += "\t\tLnkSta:\t" + now + "\n";
      const auto driver = source_.read_link(folder + "driver");
      if (driver) text += "\tKernel driver in use: " + driver->substr(driver->rfind('/') + 1) + "\n";
    }
    if (!text.empty()) add_text(top, std::move(text));
  }

  /// "16.0 GT/s PCIe" and "8" as "Speed 16GT/s, Width x8"; empty where the device does not answer
  /// ("Unknown").
  std::string link_of(const std::string& folder, const std::string& which) {
    const auto speed = base::parse_number_and_unit(line_of(folder + which + "_link_speed"));
    const auto width = base::parse_int(line_of(folder + which + "_link_width"));
    if (!speed || !width) return {};
    return fmt::format("Speed {}GT/s, Width x{}", speed->number, *width);
  }

  std::string line_of(const std::string& path) {
    const auto text = source_.read_file(path, 4096);
    if (!text && text.error().kind == ErrorKind::TimedOut) could_not(path, text.error().message);
    return text ? std::string(base::trim(*text)) : std::string();
  }

  void no_answer(const EvidenceItem& item, const base::Error& error) {
    if (error.kind == ErrorKind::Unsupported) {
      if (!told_no_commands_) could_not("commands", error.message);
      told_no_commands_ = true;
    } else if (item.expected || error.kind != ErrorKind::NotFound) {
      could_not(item.what, error.message);
    }
  }

  Source& source_;
  Inputs& inputs_;
  bool told_no_commands_ = false;
  bool nvml_answered_ = false;
};

}  // namespace

std::span<const EvidenceItem> evidence_list() {
  return kEvidence;
}

std::span<const EvidenceItem> quick_evidence_list() {
  return kQuick;
}

Result<std::int64_t> count_nvidia_gpus(Source& source) {
  constexpr std::size_t kMaxDevices = 4096;
  const std::string folder = "/sys/bus/pci/devices";
  GPUWRIGHT_TRY(auto names, source.list_directory(folder));
  names.resize(std::min(names.size(), kMaxDevices));
  std::int64_t count = 0;
  for (const auto& name : names) {
    const auto vendor = source.read_file(folder + "/" + name + "/vendor", 64);
    const auto device_class = source.read_file(folder + "/" + name + "/class", 64);
    const bool nvidia = vendor && base::trim(*vendor) == "0x10de";
    count += nvidia && device_class && base::trim(*device_class).starts_with("0x03") ? 1 : 0;
  }
  return count;
}

/// "0000:3b:00.0" where a part of the path names a PCI device, the last one; else "".
static std::string pci_address_in(std::string_view path) {
  std::string found;
  for (const auto part : base::split(path, '/')) {
    const auto address = base::PciAddress::parse(part);
    if (address) found = address->text();
  }
  return found;
}

std::string unanswered_text(Source& source) {
  std::string text;
  for (const Unanswered& one : source.unanswered()) {
    const std::string device = pci_address_in(one.path);
    text += fmt::format("gpuwright: {}: no answer of {}: {}\n", base::printable(one.path, 300),
                        device.empty() ? "the kernel" : "device " + device, base::printable(one.why));
  }
  return text;
}

Inputs collect_evidence(Source& source, const Progress& progress) {
  return collect_evidence(source, kEvidence, progress);
}

Inputs collect_evidence(Source& source, std::span<const EvidenceItem> items, const Progress& progress) {
  Inputs inputs;
  Collector collector(source, inputs);
  collector.begin(items);
  std::size_t at = 0;
  for (const auto& item : items) {
    if (progress) progress(item, at, items.size());
    ++at;
    collector.read(item);
  }
  collector.further();
  return inputs;
}

}  // namespace gpuwright::host
