// The one line that tells an Xid, alone: for whoever only counts. What it means is the scanner's business.
// Source: https://docs.nvidia.com/deploy/xid-errors/, "NVRM: Xid (PCI:0000:3b:00): 79, pid=...".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::parse {

struct XidLine {
  std::string pci;  ///< "0000:3b:00", as the driver wrote it; empty in very old drivers
  std::int64_t code = 0;
};

/// Empty when the line tells none.
std::optional<XidLine> read_xid_line(std::string_view line);

}  // namespace gpuwright::parse
