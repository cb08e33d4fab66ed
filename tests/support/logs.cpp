// Forms of time stamps: dmesg(1), journalctl(1), rsyslog's templates, Documentation/ABI/testing/dev-kmsg of
// the Linux kernel.
// SPDX-License-Identifier: Apache-2.0
#include "support/logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <random>
#include <set>

namespace gpuwright::tests {
namespace {

constexpr std::int64_t kBoot = 1'762'100'000;  // 2 November 2025: when the machine of these logs booted

std::tm utc(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm out{};
  gmtime_r(&time, &out);
  return out;
}

std::string format_time(const char* format, double since_boot) {
  const std::tm time = utc(kBoot + static_cast<std::int64_t>(since_boot));
  char buffer[64];
  const std::size_t length = std::strftime(buffer, sizeof buffer, format, &time);
  return std::string(buffer, length);
}

std::int64_t microseconds(double seconds) {
  return std::llround(seconds * 1e6);
}

std::string fraction(double seconds) {
  return fmt::format("{:06}", microseconds(seconds) % 1'000'000);
}

/// Takes "[...]" off the front; returns its inside.
std::optional<std::string> take_bracket(std::string& line) {
  if (line.empty() || line.front() != '[') return std::nullopt;
  const std::size_t end = line.find(']');
  if (end == std::string::npos) return std::nullopt;
  std::string inside = line.substr(1, end - 1);
  line.erase(0, end + 1);
  if (!line.empty() && line.front() == ':') line.erase(0, 1);
  if (!line.empty() && line.front() == ' ') line.erase(0, 1);
  return inside;
}

/// Seconds since some fixed time, out of "74785.660366", "Fri Aug 30 11:43:09 2024" or
/// "2026-04-22T21:30:51.526447914Z".
std::optional<double> read_time(const std::string& inside) {
  char* end = nullptr;
  const double seconds = std::strtod(inside.c_str(), &end);
  if (end != nullptr && *end == '\0' && inside.find('.') != std::string::npos) return seconds;
  std::tm time{};
  for (const char* format : {"%a %b %d %H:%M:%S %Y", "%Y-%m-%dT%H:%M:%S"}) {
    const char* rest = strptime(inside.c_str(), format, &time);
    if (rest == nullptr) continue;
    const double part = *rest == '.' ? std::strtod(rest, nullptr) : 0.0;
    return static_cast<double>(timegm(&time) - 1'700'000'000) + part;
  }
  return std::nullopt;
}

bool is_continuation(const std::string& line) {
  return line.size() > 8 && line.compare(0, 8, "        ") == 0;
}

std::string json_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string joined(const Record& record, const char* separator) {
  std::string out;
  for (const std::string& line : record.lines) out += (out.empty() ? "" : separator) + line;
  return out;
}

std::string render_one(const Record& record, Stamp stamp, std::size_t number) {
  const double at = record.seconds;
  const std::string dmesg = fmt::format("[{:12.6f}] ", at);
  std::string prefix;
  std::string indent(15, ' ');
  switch (stamp) {
    case Stamp::Dmesg:
      prefix = dmesg;
      break;
    case Stamp::DmesgHuman:
      prefix = format_time("[%a %b %e %H:%M:%S %Y] ", at);
      break;
    case Stamp::DmesgIso:
      prefix = format_time("%Y-%m-%dT%H:%M:%S,", at) + fraction(at) + "+00:00 ";
      break;
    case Stamp::Journal:
      prefix = indent = format_time("%b %d %H:%M:%S node1 kernel: ", at);
      break;
    case Stamp::SyslogIso:
      prefix = indent = format_time("%Y-%m-%dT%H:%M:%S.", at) + fraction(at) + "+00:00 node1 kernel: ";
      break;
    case Stamp::SyslogKernel:
      prefix = indent = format_time("%b %e %H:%M:%S node1 kernel: ", at) + dmesg;
      break;
    case Stamp::Kmsg:
      return fmt::format("4,{},{},-;{}\n", 1000 + number, microseconds(at), joined(record, "\\x0a"));
    case Stamp::JournalJson:
      return fmt::format(
          "{{\"__REALTIME_TIMESTAMP\":\"{}\",\"_SOURCE_MONOTONIC_TIMESTAMP\":\"{}\",\"_TRANSPORT\":"
          "\"kernel\","
          "\"PRIORITY\":\"4\",\"SYSLOG_IDENTIFIER\":\"kernel\",\"_HOSTNAME\":\"node1\",\"MESSAGE\":\"{}\"}}"
          "\n",
          kBoot * 1'000'000 + microseconds(at), microseconds(at),
          joined(Record{at,
                        [&] {
                          std::vector<std::string> escaped;
                          for (const std::string& line : record.lines) escaped.push_back(json_text(line));
                          return escaped;
                        }()},
                 "\\n"));
    case Stamp::Bare:
      indent = prefix;
      break;
  }
  std::string out;
  for (const std::string& line : record.lines) out += (out.empty() ? prefix : indent) + line + "\n";
  return out;
}

std::string benign_kernel_line(std::mt19937& random) {
  const auto number = [&](std::uint32_t limit) { return random() % limit; };
  switch (number(14)) {
    case 0:
      return fmt::format("IPv6: ADDRCONF(NETDEV_CHANGE): veth{:07x}: link becomes ready", number(0xfffffff));
    case 1:
      return fmt::format("cni0: port {}(veth{:07x}) entered forwarding state", 1 + number(60),
                         number(0xfffffff));
    case 2:
      return fmt::format("device veth{:07x} entered promiscuous mode", number(0xfffffff));
    case 3:
      return fmt::format(
          "perf: interrupt took too long ({} > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
          2501 + number(900));
    case 4:
      return "EXT4-fs (nvme1n1p1): mounted filesystem with ordered data mode. Quota mode: none.";
    case 5:
      return "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.20  Sun Mar 23 03:31:10 UTC 2025";
    case 6:
      return "nvidia-uvm: Loaded the UVM driver, major device number 510.";
    case 7:
      return "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.133.20";
    case 8:
      return fmt::format(
          "audit: type=1400 audit(1762{:06}.{:03}:{}): apparmor=\"STATUS\" operation=\"profile_replace\" "
          "profile=\"unconfined\" name=\"cri-containerd.apparmor.d\"",
          number(1000000), number(1000), number(9000));
    case 9:
      return fmt::format("docker0: port 1(veth{:07x}) entered disabled state", number(0xfffffff));
    case 10:
      return fmt::format(
          "workqueue: drain_vmap_area_work hogged CPU for >10000us {} times, consider switching to "
          "WQ_UNBOUND",
          4 + number(30));
    case 11:
      return "nvidia-nvlink: Nvlink Core is being initialized, major device number 235";
    case 12:
      return fmt::format("eth0: renamed from veth{:07x}", number(0xfffffff));
    default:
      return "systemd-journald[611]: Received client request to flush runtime journal.";
  }
}

std::string benign_daemon_line(std::mt19937& random) {
  const auto number = [&](std::uint32_t limit) { return random() % limit; };
  switch (number(9)) {
    case 0:
      return "systemd[1]: Starting Cleanup of Temporary Directories...";
    case 1:
      return "systemd[1]: logrotate.service: Deactivated successfully.";
    case 2:
      return fmt::format("systemd[1]: run-containerd-runc-k8s.io-{:08x}.mount: Deactivated successfully.",
                         random());
    case 3:
      return fmt::format(
          "kubelet[2417]: I1102 16:{:02}:{:02}.{:06} 2417 pod_startup_latency_tracker.go:104] \"Observed pod "
          "startup duration\" pod=\"default/train-{}\"",
          number(60), number(60), number(1000000), number(64));
    case 4:
      return fmt::format(
          "containerd[1388]: time=\"2025-11-02T16:{:02}:{:02}Z\" level=info msg=\"StartContainer for "
          "\\\"{:08x}\\\" returns successfully\"",
          number(60), number(60), random());
    case 5:
      return fmt::format("sshd[{}]: Accepted publickey for ops from 192.0.2.{} port {} ssh2",
                         2000 + number(90000), number(250), 1024 + number(60000));
    case 6:
      return fmt::format("CRON[{}]: (root) CMD (/usr/lib/sysstat/debian-sa1 1 1)", 2000 + number(90000));
    case 7:
      return "nvidia-persistenced[902]: Started (902)";
    default:
      return "chronyd[744]: Selected source 192.0.2.1 (ntp1)";
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

/// Position of the bus digits of the PCI address (dddd:bb:dd or dddddddd:bb:dd) at or behind `from`, or npos.
std::size_t find_bus(const std::string& text, std::size_t from) {
  for (std::size_t at = text.find(':', from); at != std::string::npos; at = text.find(':', at + 1)) {
    std::size_t digits = 0;
    while (digits < at && is_hex(text[at - 1 - digits])) ++digits;
    const bool domain = digits == 4 || digits == 8;
    if (!domain || at + 5 >= text.size() || text[at + 3] != ':') continue;
    if (is_hex(text[at + 1]) && is_hex(text[at + 2]) && is_hex(text[at + 4]) && is_hex(text[at + 5]))
      return at + 1;
  }
  return std::string::npos;
}

}  // namespace

const char* stamp_name(Stamp stamp) {
  switch (stamp) {
    case Stamp::Dmesg:
      return "dmesg";
    case Stamp::DmesgHuman:
      return "dmesg -T";
    case Stamp::DmesgIso:
      return "dmesg --time-format=iso";
    case Stamp::Journal:
      return "journalctl -k";
    case Stamp::SyslogIso:
      return "syslog with ISO time";
    case Stamp::SyslogKernel:
      return "syslog with kernel seconds";
    case Stamp::Kmsg:
      return "/dev/kmsg";
    case Stamp::JournalJson:
      return "journalctl -o json";
    case Stamp::Bare:
      return "no time";
  }
  return "";
}

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> out;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    out.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::vector<Record> records(const std::string& text) {
  std::vector<Record> out;
  std::optional<double> first_calendar_time;
  for (std::string line : text_lines(text)) {
    if (is_continuation(line) && !out.empty()) {
      out.back().lines.push_back(line.substr(line.find_first_not_of(' ')));
      continue;
    }
    Record record;
    record.seconds = out.empty() ? 1000.0 : out.back().seconds + 0.001;
    if (const auto inside = take_bracket(line)) {
      if (const auto time = read_time(*inside)) {
        const bool calendar = inside->find(':') != std::string::npos;
        if (calendar && !first_calendar_time) first_calendar_time = *time;
        record.seconds = calendar ? 1000.0 + *time - *first_calendar_time : *time;
      }
    }
    if (line.compare(0, 8, "kernel: ") == 0) line.erase(0, 8);
    record.lines.push_back(line);
    out.push_back(record);
  }
  return out;
}

std::string render(const std::vector<Record>& records, Stamp stamp) {
  std::string out;
  for (std::size_t i = 0; i < records.size(); ++i) out += render_one(records[i], stamp, i);
  return out;
}

std::vector<Record> benign_records(std::uint32_t seed, std::size_t count, double from_seconds,
                                   double to_seconds) {
  std::mt19937 random(seed);
  std::vector<Record> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    out.push_back(Record{from_seconds + (to_seconds - from_seconds) * share, {benign_kernel_line(random)}});
  }
  return out;
}

std::string benign_syslog(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = 500.0 + static_cast<double>(i) * 1.7;
    const bool kernel = random() % 2 == 0;
    out += format_time("%b %d %H:%M:%S node1 ", at);
    out += (kernel ? "kernel: " + benign_kernel_line(random) : benign_daemon_line(random)) + "\n";
  }
  return out;
}

std::vector<Record> among_benign(const std::vector<Record>& records, std::uint32_t seed) {
  std::vector<Record> out;
  double before = records.empty() ? 0.0 : std::max(0.0, records.front().seconds - 60.0);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const double at = records[i].seconds;
    for (Record& noise :
         benign_records(seed + static_cast<std::uint32_t>(i), i == 0 ? 12 : 2, std::min(before, at), at)) {
      out.push_back(std::move(noise));
    }
    out.push_back(records[i]);
    before = at;
  }
  for (Record& noise : benign_records(seed + 77, 12, before, before + 60)) out.push_back(std::move(noise));
  return out;
}

std::string apply_renumbering(const std::string& text, const std::map<std::string, std::string>& moved) {
  std::string out = text;
  for (std::size_t at = find_bus(out, 0); at != std::string::npos; at = find_bus(out, at + 4)) {
    const auto found = moved.find(lower(out.substr(at, 2)));
    if (found != moved.end()) out.replace(at, 2, found->second);
  }
  return out;
}

std::string renumber_gpus(const std::string& text, std::map<std::string, std::string>& moved) {
  std::set<std::string> used;
  for (std::size_t at = find_bus(text, 0); at != std::string::npos; at = find_bus(text, at + 4)) {
    used.insert(lower(text.substr(at, 2)));
  }
  std::uint32_t next = 0xe8;
  for (const std::string& bus : used) {
    moved[bus] = fmt::format("{:02x}", next);
    next -= 0x0b;
  }
  return apply_renumbering(text, moved);
}

}  // namespace gpuwright::tests
