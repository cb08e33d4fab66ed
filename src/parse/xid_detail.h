// The tail of an Xid line, which every code words in its own way: "Graphics SM Warp Exception on (GPC 1, TPC
// 0, SM 0): ...", "MMU Fault: ENGINE GRAPHICS ...", "Contained: SM (0x1). RST: No, D-RST: No", "GPU recovery
// action changed from 0x0 (None) to 0x1 (...)". Source: the format strings of
// https://github.com/NVIDIA/open-gpu-kernel-modules and public logs of drivers R304 to R610.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gpuwright::parse {

using Params = std::map<std::string, std::string>;

/// Who the line blames, taken from its front: "pid=P, name=comm, rest". Absent parts stay empty.
struct XidOwner {
  std::string_view pid;      ///< digits, or empty
  std::string_view process;  ///< empty for <unknown>
  std::string_view rest;     ///< the tail proper. All three view into the text that was read
};
XidOwner read_xid_owner(std::string_view text);

/// Adds what the tail of this code says to `params`. Unknown wording adds nothing.
void read_xid_detail(std::int64_t code, std::string_view tail, Params& params);

/// The part of the tail that tells two events of one code apart (the SM of an exception, the link of an
/// NVLink error), free of volatile values such as addresses and channels. Views into `tail`; may be empty.
std::string_view xid_detail_key(std::int64_t code, std::string_view tail);

/// Xid 74: what the seven register words of "link 14(0x0, 0x0, 0x10000, ...)" say, the most telling first:
/// "ecc" "hardware" "repeat" "weak" "secondary" "ignore", or empty where no known bit is set; and the bits as
/// "3:16 1:4".
struct NvlinkRegisters {
  std::string verdict;
  std::string bits;
};
NvlinkRegisters decode_nvlink_registers(std::string_view tail);

}  // namespace gpuwright::parse
