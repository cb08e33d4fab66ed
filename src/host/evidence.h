// What `gpuwright doctor` reads on a machine when nobody hands it a file: one visible list, each entry with
// its deadline and its reason. `gpuwright capture` packs exactly these.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/inputs.h"
#include "host/source.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>

namespace gpuwright::host {

enum class EvidenceKind {
  KernelLog,   ///< the kernel's log from memory, else the journal's, else the first log file there is
  KernelTail,  ///< the newest of the kernel's log in memory, and nothing in its place
  Uptime,      ///< /proc/uptime, told in days
  Nvml,        ///< what the GPUs answer through NVML
  PciLinks,    ///< NVIDIA's devices and their links, from sysfs in lspci's words
  File,        ///< one file; a part of the path that is "*" stands for any name
  Command,     ///< one argv
  SmiCommand,  ///< one argv that asks what NVML was asked already: only where there was no NVML to ask
};

struct EvidenceItem {
  EvidenceKind kind;
  const char* what;               ///< a path, or a command line with single spaces and no quoting
  std::chrono::seconds deadline;  ///< of a command
  bool expected;    ///< its absence is worth a line and its failure is evidence; others may be missing
  const char* why;  ///< one line, English
};

/// The list, in the order in which it is read.
std::span<const EvidenceItem> evidence_list();

/// The short list of `gpuwright doctor --quick`: what answers within milliseconds on a healthy machine and
/// still shows a GPU that is lost, hangs or is worn out.
std::span<const EvidenceItem> quick_evidence_list();

/// NVIDIA display controllers on the PCI bus, whether a driver holds them or not: vendor 0x10de, class 0x03
/// (PCI Code and ID Assignment Specification). NotFound where there is no PCI bus to be seen.
base::Result<std::int64_t> count_nvidia_gpus(Source& source);

/// Called before each item is read, for progress.
using Progress = std::function<void(const EvidenceItem& item, std::size_t at, std::size_t of)>;

/// Reads the list. What is absent, denied, timed out or failed is told in could_not_look, so that silence is
/// never taken for health. Commands are named by their command line, files by their path.
Inputs collect_evidence(Source& source, const Progress& progress = {});
/// The same for another list.
Inputs collect_evidence(Source& source, std::span<const EvidenceItem> items, const Progress& progress = {});

}  // namespace gpuwright::host
