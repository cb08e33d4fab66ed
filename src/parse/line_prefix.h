// What a logger puts in front of a message: time, host, facility. Kernel messages reach us in many dresses:
// dmesg seconds
// ("[ 1843.308145] "), dmesg -T ("[Fri Aug 30 11:43:09 2024] "), raw /dev/kmsg ("6,1234,98765432,-;"), syslog
// ("Aug 30 11:43:09 node1 kernel: "), ISO 8601 syslog and journalctl -o short-iso, journalctl -o json,
// Docker's json-file, or none. Source: printk(), dmesg(1), Documentation/ABI/testing/dev-kmsg, RFC 3164, RFC
// 5424, systemd.journal-fields(7).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"

#include <string>
#include <string_view>

namespace gpuwright::parse {

struct LinePrefix {
  model::EventTime time;
  std::string host;
  bool is_log = false;      ///< some logger's prefix was there
  bool is_kernel = false;   ///< and it says that the kernel is the speaker
  bool is_foreign = false;  ///< a record of /dev/kmsg that a process wrote, not the kernel
};

/// Reads the prefix of a line, JSON records included. Where syslog gives no year, only the time of the year
/// is given. Never fails.
LinePrefix read_line_prefix(std::string_view line);

/// For a line that is a JSON object of journald ("MESSAGE") or Docker ("log"): the message, unescaped, and
/// its prefix fields. False otherwise.
bool read_json_line(std::string_view line, std::string& message, LinePrefix& prefix);

}  // namespace gpuwright::parse
