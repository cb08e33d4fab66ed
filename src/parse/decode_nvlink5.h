// The words that Xid 144-150 print: "UNIT Fatal|Nonfatal XC0|XC1 iN Link NN (0x.. 0x.. ...)", NVLink 5 GPUs,
// driver R560 and later. Word 1 (intrInfo) names the unit and, for link events, the reason (bits 25:20); word
// 2 (errorStatus) chooses the row of the table. Drivers before R575 keep the link number in bits 17:13 and
// the unit in bits 9:0 ("v1"), R575 and later in bits 14:10 and 6:0 ("v2"): the link printed in clear tells
// which layout it is, without knowing the driver. Source:
// https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

/// What stands in the line.
struct Nvlink5Line {
  std::string unit;       ///< "NETIR_LINK_EVT"
  std::string printed;    ///< "Fatal" or "Nonfatal", as printed; the table, not this word, is the verdict
  std::string partition;  ///< "XC0"
  std::optional<std::int64_t> link;  ///< -1 as printed; absent where the line is cut
  std::vector<std::uint32_t> words;  ///< 0 to 8
};

/// What it means.
struct Nvlink5Meaning {
  std::string layout;                        ///< "v1", "v2", or empty when nothing tells them apart
  std::optional<std::int64_t> reason;        ///< link events only
  const catalog::Nvlink5Row* row = nullptr;  ///< null: the table has no row. Lives as long as the catalog
  std::string action;  ///< of the row (its second action where the second pattern holds), else empty
  std::string investigate;
};

/// Reads the tail of such a line ("NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x021425c6 ..."). Nothing when it
/// has another form; a line cut after the unit still counts.
std::optional<Nvlink5Line> read_nvlink5_line(std::string_view tail);

/// Pure. Chooses the layout and the row.
Nvlink5Meaning decode_nvlink5(std::int64_t xid, const Nvlink5Line& line,
                              const std::vector<catalog::Nvlink5Row>& table);

}  // namespace gpuwright::parse
