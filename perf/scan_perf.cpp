// The pieces of perf/run.sh that need our own code: a synthetic kernel log, our signatures as expressions
// that other programs understand, the scanner alone, and the regex-per-pattern loop that node agents use.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "kit/regex.h"
#include "parse/recogniser.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace gpuwright;

// What a healthy GPU node's kernel log is full of; {} is a number. None of these matches a signature
// (perf/run.sh checks).
constexpr auto kBenign = std::to_array<const char*>({
    "IPv6: ADDRCONF(NETDEV_CHANGE): veth{:07x}: link becomes ready",
    "cni0: port {}(veth3ac01d) entered forwarding state",
    "audit: type=1400 audit(1762000000.{}:7): apparmor=\"STATUS\" operation=\"profile_replace\" "
    "profile=\"unconfined\"",
    "systemd[1]: Started Session {} of user root.",
    "nvidia-uvm: Loaded the UVM driver, major device number {}.",
    "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.133.{}",
    "mlx5_core 0000:18:00.0: E-Switch: Enable: mode(LEGACY), nvfs({}), neovfs(0), active vports(1)",
    "nvme nvme0: {}/0/0 default/read/poll queues",
    "EXT4-fs (dm-{}): re-mounted. Opts: (null). Quota mode: none.",
    "device veth9d1f44a{} entered promiscuous mode",
    "overlayfs: upper fs does not support tmpfile, falling back to index={}",
    "perf: interrupt took too long ({} > 3142), lowering kernel.perf_event_max_sample_rate to 63750",
    "TCP: eth0: Driver has suspect GRO implementation, TCP performance may be compromised. {}",
    "pci 0000:17:00.0: BAR {}: assigned [mem 0x20000000000-0x21fffffffff 64bit pref]",
    "usb 1-{}: new high-speed USB device number 4 using xhci_hcd",
    "kauditd_printk_skb: {} callbacks suppressed",
});

constexpr auto kFaults = std::to_array<const char*>({
    "NVRM: Xid (PCI:0000:{:02x}:00): 31, pid={}, name=python3, Ch 00000010, intr 00000000. MMU Fault: ENGINE "
    "GRAPHICS "
    "GPCCLIENT_T1_0 faulted @ 0x7f12_00000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    "NVRM: Xid (PCI:0000:{:02x}:00): 13, pid={}, name=python3, Graphics SM Warp Exception on (GPC 1, TPC 0, "
    "SM 0): Illegal Instruction Encoding",
    "NVRM: Xid (PCI:0000:{:02x}:00): 45, pid={}, name=python3, Ch 0000000a",
    "NVRM: Xid (PCI:0000:{:02x}:00): 94, pid={}, name=python3, Contained: SM (0x1). RST: No, D-RST: No",
    "nvidia-nvswitch0: SXid (PCI:0000:{:02x}:00.0): 20034, Fatal, Link {} LTSSM Fault Up",
    "nvidia 0000:{:02x}:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID) {}",
    "mlx5_core 0000:{:02x}:00.0: Port module event[error]: module {}, Cable error, Bus stuck (I2C or data "
    "shorted)",
    "EDAC MC0: {} CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x{:x} "
    "offset:0x0 grain:32)",
});

/// Writes about `bytes` of kernel log, one line in `every` a fault.
void make_log(std::int64_t bytes, std::uint32_t every) {
  std::mt19937 random(7);
  std::string buffer;
  double seconds = 100;
  for (std::int64_t written = 0; written < bytes;) {
    buffer = fmt::format("[{:12.6f}] ", seconds);
    seconds += 0.0007;
    if (random() % every == 0) {
      buffer += fmt::format(fmt::runtime(kFaults[random() % kFaults.size()]), 16 + random() % 8 * 16,
                            4000 + random() % 8);
    } else {
      buffer += fmt::format(fmt::runtime(kBenign[random() % kBenign.size()]), random() % 4096);
    }
    buffer += '\n';
    std::fwrite(buffer.data(), 1, buffer.size(), stdout);
    written += static_cast<std::int64_t>(buffer.size());
  }
}

std::string escaped(const std::string& literal) {
  std::string out;
  for (const char c : literal) {
    if (std::string_view("\\^$.|?*+()[]{}#&-~/ ").find(c) != std::string_view::npos && c != '/' && c != ' ')
      out += '\\';
    out += c;
  }
  return out;
}

const char* class_expression(catalog::CaptureClass capture_class) {
  switch (capture_class) {
    case catalog::CaptureClass::Int:
      return "[0-9]+";
    case catalog::CaptureClass::Hex:
      return "(?:0x)?[0-9a-fA-F]+";
    case catalog::CaptureClass::Num:
      return "[-0-9.]+";
    case catalog::CaptureClass::Id:
      return "[A-Za-z0-9_]+";
    case catalog::CaptureClass::Word:
      return "[A-Za-z0-9_./@+-]+";
    case catalog::CaptureClass::Token:
      return "[^ \\t]+";
    case catalog::CaptureClass::Bdf:
      return "[0-9a-fA-F:.]+";
    case catalog::CaptureClass::Any:
      return ".*";
  }
  return "";
}

/// "(?P<name>" as "(?:": two groups of one name are refused when expressions are joined.
std::string without_names(std::string expression) {
  for (std::size_t at = expression.find("(?P<"); at != std::string::npos; at = expression.find("(?P<", at)) {
    expression.replace(at, expression.find('>', at) + 1 - at, "(?:");
  }
  return expression;
}

/// All signatures as regular expressions.
std::vector<std::string> expressions(const catalog::Catalog& catalog) {
  std::vector<std::string> all;
  for (const catalog::Signature& signature : catalog.signatures()) {
    if (!signature.regex.empty()) all.push_back(without_names(signature.regex));
    for (const catalog::Template& pattern : signature.templates) {
      std::string expression;
      for (const catalog::TemplatePart& part : pattern.parts) {
        expression += part.kind == catalog::TemplatePart::Kind::Literal
                          ? escaped(part.literal)
                          : class_expression(part.capture_class);
      }
      all.push_back(expression);
    }
  }
  return all;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::int64_t peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int scan(const catalog::Catalog& catalog, const std::string& path) {
  base::Result<base::Fd> fd = base::open_for_reading(path);
  if (!fd) return 1;
  base::FileStream stream(std::move(*fd), path);
  const double begin = cpu_seconds();
  parse::Recogniser recogniser(catalog);
  if (!recogniser.add(path, stream)) return 1;
  const model::Observations observations = recogniser.finish();
  const double seconds = cpu_seconds() - begin;
  std::int64_t matches = 0;
  for (const model::Event& event : observations.events) matches += event.count;
  fmt::print("{:.3f} s {:.3f} GB/s {} matches {} KiB\n", seconds,
             static_cast<double>(observations.inputs[0].bytes) / 1e9 / seconds, matches, peak_kib());
  return 0;
}

/// The usual way of a node agent: each line against each expression in turn.
int regex_loop(const catalog::Catalog& catalog, const std::string& path, std::size_t bytes) {
  std::vector<kit::Regex> regexes;
  for (const std::string& expression : expressions(catalog)) {
    base::Result<kit::Regex> regex = kit::Regex::compile(expression);
    if (regex) regexes.push_back(std::move(*regex));
  }
  base::Result<base::Fd> fd = base::open_for_reading(path);
  if (!fd) return 1;
  base::FileStream stream(std::move(*fd), path);
  std::string text(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const base::Result<std::size_t> count = stream.read(std::span(text).subspan(have));
    if (!count || *count == 0) break;
    have += *count;
  }
  text.resize(have);
  const double begin = cpu_seconds();
  std::int64_t matches = 0;
  for (const std::string_view line : base::lines(text)) {
    matches += std::any_of(regexes.begin(), regexes.end(),
                           [&](const kit::Regex& regex) { return regex.matches(line); })
                   ? 1
                   : 0;
  }
  const double seconds = cpu_seconds() - begin;
  fmt::print("{:.3f} s {:.4f} GB/s {} lines\n", seconds, static_cast<double>(have) / 1e9 / seconds, matches);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto argument = [&](std::size_t i) { return i < arguments.size() ? arguments[i] : std::string(); };
  const auto number = [&](std::size_t i) { return base::parse_int(argument(i)).value_or(0); };
  if (argument(0) == "make-log" && number(1) > 0 && number(2) > 0) {
    make_log(number(1), static_cast<std::uint32_t>(number(2)));
    return 0;
  }
  const base::Result<catalog::Catalog> catalog = catalog::Catalog::embedded();
  if (!catalog) return 1;
  if (argument(0) == "scan") return scan(*catalog, argument(1));
  if (argument(0) == "regex-loop")
    return regex_loop(*catalog, argument(1), static_cast<std::size_t>(number(2)));
  if (argument(0) == "expressions") {
    for (const std::string& expression : expressions(*catalog)) fmt::print("{}\n", expression);
    return 0;
  }
  fmt::print(stderr,
             "usage: scan_perf make-log BYTES EVERY | scan FILE | regex-loop FILE BYTES | expressions\n");
  return 2;
}
