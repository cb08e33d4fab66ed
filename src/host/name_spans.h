// Where a line of evidence names somebody or something: by the shape of the text (a UUID, an address) or by
// the words around it ("Serial Number :", "Killed process 77 (x)"). Knows the forms that nvidia-smi, lspci,
// dmidecode, ibstat, the kernel, syslog, journald, NCCL, MPI, Kubernetes and Slurm print.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

enum class NameKind { Uuid, HexId, Ipv4, Ipv6, Serial, Host, HostList, User, Process, ProcessColumn };

/// Bytes [begin, end) of a line.
struct NameSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  NameKind kind = NameKind::Host;
};

/// Names recognisable by shape alone: UUIDs, MAC addresses and longer hardware addresses, InfiniBand GUIDs
/// (xxxx:xxxx:xxxx:xxxx), IPv4 and IPv6. Never PCI addresses, versions, times or C++ names. In order, not
/// overlapping.
std::vector<NameSpan> shaped_names(std::string_view line);

/// Names recognisable by what stands around them. Keeps state from line to line, because tables name their
/// columns once.
class LabelledNames {
 public:
  /// Spans of the next line, in no order, possibly overlapping.
  std::vector<NameSpan> next(std::string_view line);

 private:
  struct Column {
    std::size_t begin = 0;
    std::size_t end = 0;
    NameKind kind = NameKind::Host;
  };
  void table(std::string_view line, std::vector<NameSpan>& spans);
  std::vector<Column> columns_;
  bool oom_table_ = false;
  bool after_type_ = false;
};

/// A process name that says nothing about anybody (python3, Xorg, nvidia-smi, kworker/0:1, <unknown>): kept,
/// because diagnosis needs it.
bool is_common_process(std::string_view name);
/// A host name that is none or everybody's (localhost, N/A, (none)), or no host name at all.
bool is_common_host(std::string_view name);
/// root, nobody and the accounts of distributions and services.
bool is_common_user(std::string_view name);

}  // namespace gpuwright::host
