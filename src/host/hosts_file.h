// The list of nodes that `gpuwright fleet` asks: one a line, as `ssh` would be told.
//
//     # comment
//     gpu-01
//     admin@gpu-02:2222       binary=/opt/gpuwright/gpuwright
//     [2001:db8::7]:22        name=gpu-03 sysroot=/mnt/disk
//
// A name in such a file ends up on a command line, and may come from an inventory that others can write: what
// could be taken for an option, or mean something to a shell (ssh fills names into ProxyCommand), is refused.
// Source: ssh(1); CVE-2023-51385.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

/// One node and how to reach it.
struct RemoteHost {
  std::string name;       ///< what tables call it: name=, else the first word as written
  std::string user;       ///< empty: ssh decides
  std::string host;       ///< a name, an address or an alias of ssh's configuration
  std::int64_t port = 0;  ///< 0: ssh decides
  std::string sysroot;    ///< for `doctor --sysroot` there; empty: the machine itself
  std::string binary;     ///< the program there; empty: the caller's choice
  std::int64_t line = 0;  ///< where it stands in the file
};

/// Takes "user@host:port", "host", "[address]:port" or a bare IPv6 address apart. Malformed says what is
/// wrong.
base::Result<RemoteHost> parse_remote_host(std::string_view text);

/// Reads the whole list. Malformed names the file and line: a bad host, key or value, one name twice, no
/// host, more than 100,000.
base::Result<std::vector<RemoteHost>> parse_hosts(std::string_view text, const std::string& file);

}  // namespace gpuwright::host
