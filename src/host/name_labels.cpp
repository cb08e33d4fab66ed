// Names by the words around them; see name_spans.h. Each rule stands for one printer's form.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "host/name_rules.h"
#include "host/name_spans.h"

#include <algorithm>
#include <array>

namespace gpuwright::host {

namespace {

using Spans = std::vector<NameSpan>;
using rules::add_process;
using rules::word_start;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}
bool is_alpha(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}
bool is_alnum(char letter) {
  return is_digit(letter) || is_alpha(letter);
}
bool is_space(char letter) {
  return letter == ' ' || letter == '\t';
}

bool all_of(std::string_view text, bool (*test)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), test);
}
bool any_of(std::string_view text, bool (*test)(char)) {
  return std::any_of(text.begin(), text.end(), test);
}

bool in_host_name(char letter) {
  return is_alnum(letter) || letter == '-' || letter == '.' || letter == '_';
}
bool in_host_list(char letter) {
  return in_host_name(letter) || letter == '[' || letter == ']' || letter == ',';
}
bool in_user_name(char letter) {
  return is_alnum(letter) || letter == '-' || letter == '.' || letter == '_';
}
bool in_serial(char letter) {
  return is_alnum(letter) || letter == '-' || letter == '.' || letter == '_' || letter == '/';
}
bool in_hex_id(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F') ||
         letter == ':' || letter == '-';
}

std::size_t run_end(std::string_view line, std::size_t at, bool (*test)(char)) {
  while (at < line.size() && test(line[at])) ++at;
  return at;
}

/// The end of a value with sentence punctuation at its end taken off.
std::size_t value_end(std::string_view line, std::size_t begin, bool (*test)(char)) {
  std::size_t end = run_end(line, begin, test);
  while (end > begin && (line[end - 1] == '.' || line[end - 1] == '-' || line[end - 1] == ',')) --end;
  return end;
}

enum class Gap { Sign, SignOrSpace };

/// From the end of a label over `: = > " '` and spaces to its value; npos where no sign follows.
std::size_t value_begin(std::string_view line, std::size_t at, Gap gap) {
  bool sign = false;
  std::size_t here = at;
  while (here < line.size() && here - at < 64) {
    const char letter = line[here];
    const bool is_sign = letter == ':' || letter == '=' || letter == '>';
    const bool filler = is_space(letter) || letter == '"' || letter == '\'' || letter == '\\';
    if (!is_sign && !filler) break;
    sign = sign || is_sign;
    ++here;
  }
  const bool enough = sign || (gap == Gap::SignOrSpace && here > at);
  return enough && here < line.size() ? here : std::string_view::npos;
}

/// Each place behind `label` (lower case; searched in the lower-case line) that begins no longer word before
/// it.
template <class Visit>
void behind_each(std::string_view lower_line, std::string_view label, Visit visit) {
  for (std::size_t at = lower_line.find(label); at != std::string_view::npos;
       at = lower_line.find(label, at + label.size())) {
    if (at == 0 || !is_alnum(lower_line[at - 1]) || !is_alnum(label.front())) visit(at + label.size());
  }
}

void add_serial(std::string_view line, std::size_t begin, Spans& spans) {
  if (begin == std::string_view::npos) return;
  const std::size_t end = value_end(line, begin, in_serial);
  const auto value = line.substr(begin, end - begin);
  // Too short for a serial number: an index ("SerialNumber=3"). Without digit: a word ("N/A", "Not",
  // "Unknown").
  const bool uart = value.starts_with("8250/");  // "Serial: 8250/16550 driver"
  if (!uart && value.size() >= 5 && value.size() <= 64 && any_of(value, is_digit))
    spans.push_back({begin, end, NameKind::Serial});
}

void serials(std::string_view line, std::string_view low, Spans& spans) {
  for (std::size_t at = low.find("serial"); at != std::string_view::npos; at = low.find("serial", at + 6)) {
    std::size_t behind = at + 6;
    while (behind < low.size() && (low[behind] == ' ' || low[behind] == '_' || low[behind] == '-')) ++behind;
    bool numbered = false;
    for (const std::string_view word : {"number", "num", "no.", "no", "#"}) {
      if (!low.substr(behind).starts_with(word)) continue;
      behind += word.size();
      numbered = true;
      break;
    }
    add_serial(line, value_begin(line, numbered ? behind : at + 6, numbered ? Gap::SignOrSpace : Gap::Sign),
               spans);
  }
  for (const std::string_view label : {"asset tag", "service tag", "s/n", "sn", "board id serial", "_sn"}) {
    behind_each(low, label,
                [&](std::size_t behind) { add_serial(line, value_begin(line, behind, Gap::Sign), spans); });
  }
}

void add_hex_id(std::string_view line, std::size_t begin, Spans& spans) {
  if (begin == std::string_view::npos) return;
  if (line.substr(begin).starts_with("0x") || line.substr(begin).starts_with("0X")) begin += 2;
  const std::size_t end = value_end(line, begin, in_hex_id);
  const bool ends = end >= line.size() || !is_alnum(line[end]);
  if (ends && end - begin >= 8 && end - begin <= 64) spans.push_back({begin, end, NameKind::HexId});
}

void hex_ids(std::string_view line, std::string_view low, Spans& spans) {
  for (const std::string_view label :
       {"guid", "pdi", "machine_id", "machine-id", "machine id", "boot_id", "boot id"}) {
    for (std::size_t at = low.find(label); at != std::string_view::npos;
         at = low.find(label, at + label.size())) {
      add_hex_id(line, value_begin(line, at + label.size(), Gap::SignOrSpace), spans);
    }
  }
}

void add_host(std::string_view line, std::size_t begin, NameKind kind, Spans& spans) {
  if (begin == std::string_view::npos) return;
  const std::size_t end = value_end(line, begin, kind == NameKind::HostList ? in_host_list : in_host_name);
  if (!is_common_host(line.substr(begin, end - begin))) spans.push_back({begin, end, kind});
}

void host_labels(std::string_view line, std::string_view low, Spans& spans) {
  static constexpr std::array<std::string_view, 18> kLabels = {
      "slurmctldhost",    "controlmachine", "dbdhost",      "accountingstoragehost",
      "hostname",         "host name",      "host_name",    "nodename",
      "node name",        "node_name",      "nodehostname", "nodeaddr",
      "batchhost",        "logname",        "_hostname",    "kubernetes_node",
      "noderesourcename", "node_hostname"};
  for (const auto label : kLabels) {
    if (label == "logname") continue;
    behind_each(low, label, [&](std::size_t behind) {
      add_host(line, value_begin(line, behind, Gap::Sign), NameKind::HostList, spans);
    });
  }
  behind_each(low, "nodelist", [&](std::size_t behind) {
    if (behind < line.size() && line[behind] == '=') add_host(line, behind + 1, NameKind::HostList, spans);
  });
  for (const std::string_view label : {"node/", "node=\"", "nodes/"}) {
    behind_each(low, label, [&](std::size_t behind) { add_host(line, behind, NameKind::Host, spans); });
  }
  if (low.starts_with("node:")) add_host(line, value_begin(line, 4, Gap::Sign), NameKind::Host, spans);
}

/// Length of a leading syslog or ISO time stamp with the space behind it, or 0.
std::size_t time_stamp(std::string_view line) {
  if (line.size() > 16 && is_alpha(line[0]) && is_alpha(line[1]) && is_alpha(line[2]) && line[3] == ' ' &&
      line[9] == ':' && line[12] == ':' && line[15] == ' ')
    return 16;
  const bool iso = line.size() > 20 && is_digit(line[0]) && line[4] == '-' && line[7] == '-' &&
                   line[10] == 'T' && line[13] == ':';
  const auto space = line.find(' ');
  return iso && space != std::string_view::npos && space < 40 ? space + 1 : 0;
}

/// "May  3 10:00:00 HOST kernel:", "2024-05-03T10:00:00+00:00 HOST kernel:", journalctl -o short-monotonic's
/// "[   12.3] HOST kernel:".
void syslog_host(std::string_view line, Spans& spans) {
  std::size_t at = 0;
  if (line.starts_with('<')) {  // RFC 5424 "<6>1 " or RFC 3164 "<6>"
    at = run_end(line, 1, is_digit);
    if (at < line.size() && line[at] == '>') ++at;
    if (line.substr(at).starts_with("1 ")) at += 2;
  }
  std::size_t length = time_stamp(line.substr(at));
  if (length == 0 && line.starts_with('[')) {
    const auto close = line.find("] ");
    const auto inner =
        close == std::string_view::npos ? std::string_view{} : base::trim(line.substr(1, close - 1));
    if (!inner.empty() && base::parse_double(inner)) length = close + 2;
  }
  if (length == 0) return;
  at += length;
  const std::size_t end = run_end(line, at, in_host_name);
  if (end >= line.size() || line[end] != ' ' || end == at) return;
  // What follows a host name is the program's tag, which ends with a colon.
  const auto tag_end = line.find(' ', end + 1);
  const auto tag =
      line.substr(end + 1, tag_end == std::string_view::npos ? std::string_view::npos : tag_end - end - 1);
  const bool known_tag =
      tag == "kernel:" || tag.ends_with("]:") || (tag.ends_with(':') && !line.starts_with('['));
  if (known_tag && !is_common_host(line.substr(at, end - at))) spans.push_back({at, end, NameKind::Host});
}

/// NCCL's "HOST:PID:TID [0] NCCL", Open MPI's "[HOST:PID]", torch's "[HOST]:PORT".
void launcher_hosts(std::string_view line, Spans& spans) {
  const auto nccl = line.find(" NCCL ");
  if (nccl != std::string_view::npos) {
    const auto bracket = line.rfind('[', nccl);
    std::size_t end = bracket == std::string_view::npos || bracket == 0 ? 0 : bracket - 1;
    for (int number = 0; number < 2 && end > 0; ++number) {
      const std::size_t last = end;
      while (end > 0 && is_digit(line[end - 1])) --end;
      end = end < last && end > 0 && line[end - 1] == ':' ? end - 1 : 0;
    }
    std::size_t begin = end;
    while (begin > 0 && in_host_name(line[begin - 1])) --begin;
    if (end > 0 && !is_common_host(line.substr(begin, end - begin)))
      spans.push_back({begin, end, NameKind::Host});
  }
  if (line.starts_with('[')) {
    const std::size_t end = run_end(line, 1, in_host_name);
    const std::size_t digits = end < line.size() && line[end] == ':' ? run_end(line, end + 1, is_digit) : end;
    const bool pid = digits - end > 3 && digits < line.size() && line[digits] == ']';
    const auto name = line.substr(1, end - 1);
    const bool source_file = name.ends_with(".cpp") || name.ends_with(".cc") || name.ends_with(".py") ||
                             name.ends_with(".c") || name.ends_with(".cu");
    if (pid && !source_file && any_of(name, is_alpha) && !is_common_host(name))
      spans.push_back({1, end, NameKind::Host});
  }
  for (auto at = line.find("]:"); at != std::string_view::npos; at = line.find("]:", at + 2)) {
    const std::size_t digits = run_end(line, at + 2, is_digit) - at - 2;
    std::size_t begin = at;
    while (begin > 0 && in_host_name(line[begin - 1])) --begin;
    const auto name = line.substr(begin, at - begin);
    const bool bracket = begin > 0 && line[begin - 1] == '[';
    if (digits >= 3 && bracket && any_of(name, is_alpha) && !is_common_host(name))
      spans.push_back({begin, at, NameKind::Host});
  }
}

void other_hosts(std::string_view line, Spans& spans) {
  // uname -a: "Linux HOST 5.15.0-..."
  if (line.starts_with("Linux ") && !line.starts_with("Linux version ")) {
    const std::size_t end = run_end(line, 6, in_host_name);
    if (end + 1 < line.size() && line[end] == ' ' && is_digit(line[end + 1]) &&
        !is_common_host(line.substr(6, end - 6)))
      spans.push_back({6, end, NameKind::Host});
  }
  // Clouds name machines after their addresses: ip-10-0-1-23.
  behind_each(line, "ip-", [&](std::size_t behind) {
    std::size_t here = behind;
    for (int part = 0; part < 4; ++part) {
      const std::size_t end = run_end(line, here, is_digit);
      if (end == here || end - here > 3) return;
      here = end + (part < 3 ? 1 : 0);
      if (part < 3 && (end >= line.size() || line[end] != '-')) return;
    }
    spans.push_back({behind - 3, value_end(line, here, in_host_name), NameKind::Host});
  });
  // NAME@HOST, except units of systemd ("getty@tty1.service"), interfaces ("veth1@if2") and image digests.
  for (auto at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && in_user_name(line[begin - 1])) --begin;
    const std::size_t end = value_end(line, at + 1, in_host_name);
    const auto name = line.substr(at + 1, end - at - 1);
    const bool unit = name.ends_with(".service") || name.ends_with(".slice") || name.ends_with(".scope") ||
                      name.ends_with(".timer") || name.ends_with(".socket");
    const bool interface = name.starts_with("if") && all_of(name.substr(2), is_digit);
    if (begin == at || name.empty() || !is_alpha(name.front()) || unit || interface ||
        name.starts_with("sha256"))
      continue;
    if (!is_common_user(line.substr(begin, at - begin))) spans.push_back({begin, at, NameKind::User});
    if (!is_common_host(name)) spans.push_back({at + 1, end, NameKind::Host});
  }
}

void add_user(std::string_view line, std::size_t begin, Spans& spans) {
  if (begin == std::string_view::npos) return;
  const std::size_t end = value_end(line, begin, in_user_name);
  const auto name = line.substr(begin, end - begin);
  if (name.empty() || !(is_alpha(name.front()) || name.front() == '_') || is_common_user(name)) return;
  spans.push_back({begin, end, NameKind::User});
}

void users(std::string_view line, std::string_view low, Spans& spans) {
  for (const std::string_view folder : {"/home/", "/users/", "c:\\users\\"}) {
    behind_each(low, folder, [&](std::size_t behind) { add_user(line, behind, spans); });
  }
  for (const std::string_view label :
       {"user=", "user=\"", "logname=", "ruser=", "acct=\"", "userid=", "\"user\":\"", "\"user\": \"",
        "\"username\":\"", "for user ", "for invalid user ", "username=", "username: ", "user name: ",
        "accepted publickey for ", "accepted password for ", "failed password for ", "sudo_user="}) {
    behind_each(low, label, [&](std::size_t behind) { add_user(line, behind, spans); });
  }
  // id: "uid=1000(alice) gid=1000(alice)"
  for (auto at = low.find("id="); at != std::string_view::npos; at = low.find("id=", at + 3)) {
    const std::size_t digits = run_end(line, at + 3, is_digit);
    if (digits > at + 3 && digits < line.size() && line[digits] == '(') add_user(line, digits + 1, spans);
  }
  // sudo: "sudo:    alice : TTY=pts/0"
  const auto sudo = low.find("sudo");
  const auto tty = low.find(" : tty=");
  if (sudo == std::string_view::npos || tty == std::string_view::npos || tty < sudo) return;
  std::size_t begin = tty;
  while (begin > sudo && in_user_name(line[begin - 1])) --begin;
  add_user(line, begin, spans);
}

struct Header {
  std::string_view word;
  NameKind kind;
};

}  // namespace

void LabelledNames::table(std::string_view line, Spans& spans) {
  if (base::trim(line).empty()) {
    columns_.clear();
    return;
  }
  for (const auto& column : columns_) {
    if (column.begin >= line.size()) continue;
    std::size_t begin = column.begin;
    while (begin < std::min(column.end, line.size()) && is_space(line[begin])) ++begin;
    while (begin > 0 && begin < line.size() && !is_space(line[begin - 1]) && !is_space(line[begin])) --begin;
    if (begin >= line.size() || is_space(line[begin])) continue;
    if (column.kind == NameKind::User) {
      add_user(line, begin, spans);
    } else if (line[begin] != '(') {
      add_host(line, begin, NameKind::HostList, spans);
    }
  }
  static constexpr std::array<Header, 6> kHeaders = {Header{"NODELIST", NameKind::HostList},
                                                     {"NODELIST(REASON)", NameKind::HostList},
                                                     {"NODE", NameKind::HostList},
                                                     {"HOSTNAMES", NameKind::HostList},
                                                     {"USER", NameKind::User},
                                                     {"User", NameKind::User}};
  std::vector<Column> found;
  bool capitals = false;  // a header's words are capitals: a second one makes sure that this is a header
  std::size_t words = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const auto word = line.substr(at, end - at);
    const bool node_name = word == "NAME" && base::contains(line, "ROLES") && base::contains(line, "STATUS");
    for (const auto& header : kHeaders) {
      if (word == header.word) found.push_back({at, end, header.kind});
    }
    if (node_name) found.push_back({at, end, NameKind::HostList});
    capitals = capitals || word == "PID" || word == "REASON" || word == "STATE" || word == "STATUS" ||
               word == "JOBID" || word == "PARTITION";
    ++words;
    at = end;
  }
  if (!found.empty() && capitals && words >= 3) columns_ = std::move(found);
}

std::vector<NameSpan> LabelledNames::next(std::string_view line) {
  Spans spans;
  if (line.size() > 65536)
    line = line.substr(0, 65536);  // the rest is looked at by shape and by known names only
  const std::string low = base::lower(line);
  serials(line, low, spans);
  hex_ids(line, low, spans);
  host_labels(line, low, spans);
  syslog_host(line, spans);
  launcher_hosts(line, spans);
  other_hosts(line, spans);
  users(line, low, spans);
  rules::processes(line, low, spans);
  table(line, spans);

  const auto colon = line.find(" : ");
  const auto key = base::trim(line.substr(0, colon));
  if (colon != std::string_view::npos && key == "Name" && after_type_)
    add_process(line, colon + 3, line.size(), spans);
  after_type_ = colon != std::string_view::npos && key == "Type";

  if (oom_table_) {
    const auto parts = base::words(line);
    const auto numbers = std::count_if(
        parts.begin(), parts.end(), [](std::string_view part) { return base::parse_int(part).has_value(); });
    oom_table_ = numbers >= 5;
    // A blank line ends the table: it has no last word.
    if (oom_table_)
      add_process(line, word_start(line, line.find_last_not_of(" \t\r") + 1), line.size(), spans);
  }
  if (base::contains(line, "oom_score_adj name")) oom_table_ = true;
  return spans;
}

bool is_common_host(std::string_view name) {
  static constexpr std::array<std::string_view, 30> kNames = {"localhost", "localhost.localdomain",
                                                              "N/A",       "n/a",
                                                              "none",      "None",
                                                              "null",      "unknown",
                                                              "kernel",    "INFO",
                                                              "WARN",      "WARNING",
                                                              "ERROR",     "DEBUG",
                                                              "FATAL",     "CRITICAL",
                                                              "NOTICE",    "TRACE",
                                                              "stdout",    "stderr",
                                                              "info",      "warning",
                                                              "error",     "debug",
                                                              "cuda",      "cpu",
                                                              "gpu",       "host",
                                                              "NVRM",      "true"};
  if (name.size() < 2 || !any_of(name, is_alpha)) return true;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_common_user(std::string_view name) {
  static constexpr std::array<std::string_view, 24> kNames = {"root",
                                                              "nobody",
                                                              "daemon",
                                                              "bin",
                                                              "sys",
                                                              "syslog",
                                                              "ubuntu",
                                                              "centos",
                                                              "ec2-user",
                                                              "admin",
                                                              "slurm",
                                                              "munge",
                                                              "nvidia",
                                                              "dcgm",
                                                              "nvidia-persistenced",
                                                              "messagebus",
                                                              "systemd-network",
                                                              "systemd-resolve",
                                                              "user",
                                                              "none",
                                                              "null",
                                                              "unknown",
                                                              "N/A",
                                                              "dvs-builder"};
  return name.empty() || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace gpuwright::host
