// The same evidence in other clothes: other time stamps, other GPU addresses, noise around it, lines doubled.
// A diagnosis that hangs on any of these hangs on the wrong thing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::tests {

/// One kernel record: its text without any prefix (continuation lines of a multi-line printk follow) and its
/// time in seconds since boot.
struct Record {
  double seconds = 0;
  std::vector<std::string> lines;
};

/// How a log shows time. Dmesg: `[  12.345678]`; DmesgHuman: `dmesg -T`; DmesgIso: `dmesg --time-format=iso`;
/// Journal: `journalctl -k`; SyslogIso: rsyslog's ISO form; SyslogKernel: the old form with seconds behind
/// `kernel:`; Kmsg: /dev/kmsg; JournalJson: `journalctl -o json`; Bare: the text alone, as
/// `nvidia-bug-report` or a pasted message has it.
enum class Stamp { Dmesg, DmesgHuman, DmesgIso, Journal, SyslogIso, SyslogKernel, Kmsg, JournalJson, Bare };

inline constexpr Stamp kAllStamps[] = {Stamp::Dmesg,   Stamp::DmesgHuman,  Stamp::DmesgIso,
                                       Stamp::Journal, Stamp::SyslogIso,   Stamp::SyslogKernel,
                                       Stamp::Kmsg,    Stamp::JournalJson, Stamp::Bare};

const char* stamp_name(Stamp stamp);

/// Cuts a kernel log in any of the usual forms into records. Records without a time follow the one before by
/// a millisecond.
std::vector<Record> records(const std::string& text);

/// Writes records in one form.
std::string render(const std::vector<Record>& records, Stamp stamp);

/// `count` records that a healthy node writes, between two times; another seed gives others.
std::vector<Record> benign_records(std::uint32_t seed, std::size_t count, double from_seconds,
                                   double to_seconds);

/// Lines a healthy node's syslog holds, kernel and daemons mixed.
std::string benign_syslog(std::uint32_t seed, std::size_t count);

/// Records with benign ones before, between and after.
std::vector<Record> among_benign(const std::vector<Record>& records, std::uint32_t seed);

/// Gives each PCI bus another number, the same one everywhere. `moved` receives old -> new bus, two
/// hexadecimal digits each.
std::string renumber_gpus(const std::string& text, std::map<std::string, std::string>& moved);

/// Applies the renumbering of renumber_gpus to another text.
std::string apply_renumbering(const std::string& text, const std::map<std::string, std::string>& moved);

/// Lines of a text, without line ends.
std::vector<std::string> text_lines(const std::string& text);

/// A text of lines.
std::string join_lines(const std::vector<std::string>& lines);

}  // namespace gpuwright::tests
