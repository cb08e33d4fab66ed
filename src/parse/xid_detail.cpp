// SPDX-License-Identifier: Apache-2.0
#include "parse/xid_detail.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace gpuwright::parse {

namespace {

using base::contains;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The run of digits right behind `marker`; empty when there is none.
std::string_view number_after(std::string_view text, std::string_view marker) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + marker.size());
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  return rest.substr(0, length);
}

/// From behind `marker` up to any of `stops` (or the end), trimmed, at most 120 bytes.
std::string_view piece_after(std::string_view text, std::string_view marker, std::string_view stops) {
  const std::size_t at = text.find(marker);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + marker.size(), 120);
  return base::trim(rest.substr(0, rest.find_first_of(stops)));
}

void put(Params& params, const char* key, std::string_view value) {
  if (!value.empty()) params[key] = std::string(value);
}

/// Xid 13: "Graphics SM Warp Exception on (GPC 1, TPC 0, SM 0): Illegal Instruction Encoding", "Graphics
/// Exception: ESR 0x..=0x..".
void read_graphics_exception(std::string_view tail, Params& params) {
  put(params, "gpc", number_after(tail, "GPC "));
  put(params, "tpc", number_after(tail, "TPC "));
  put(params, "sm", number_after(tail, ", SM "));
  if (contains(tail, "Warp Exception")) params["kind"] = "warp";
  if (contains(tail, "Global Exception")) params["kind"] = "global";
  if (contains(tail, "ESR 0x")) params["kind"] = "esr";
  put(params, "exception", piece_after(tail, "): ", "\n"));
}

/// Addresses below 64 KiB are what a null pointer plus an offset gives; no allocation lies there.
bool is_near_null(std::string_view address) {
  std::string digits(address);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  const std::optional<std::uint64_t> value = base::parse_hex(digits);
  return value && *value < 0x10000;
}

/// Xid 31: "MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_PROP_0 faulted @ 0x0_00000000. Fault is of type
/// FAULT_PDE ACCESS_TYPE_VIRT_READ".
void read_mmu_fault(std::string_view tail, Params& params) {
  put(params, "engine", piece_after(tail, "ENGINE ", " ."));
  put(params, "gpc", number_after(tail, " GPC"));
  for (const std::string_view word : base::words(tail.substr(0, 300))) {
    if (contains(word, "CLIENT_")) put(params, "unit", word);
  }
  const std::string_view address = piece_after(tail, "faulted @ ", " .");
  put(params, "address", address);
  if (!address.empty()) params["near_null"] = is_near_null(address) ? "yes" : "no";
  put(params, "fault_type", piece_after(tail, "Fault is of type ", " ."));
  put(params, "access", piece_after(tail, "ACCESS_TYPE_", " ."));
  const std::string& unit = params["unit"];
  // PROP and RAST draw pixels: no program's pointer reaches memory through them.
  params["fixed_function"] =
      contains(unit, "PROP") || contains(unit, "RAST") || contains(unit, "ZCULL") ? "yes" : "no";
  if (unit.empty()) params.erase("unit");
}

/// Xid 48: where the double-bit error sat.
void read_double_bit_error(std::string_view tail, Params& params) {
  if (contains(tail, "framebuffer") || contains(tail, "DRAM")) {
    params["memory"] = "dram";
  } else if (contains(tail, "SRAM") || contains(tail, " SM ") || contains(tail, "L2") ||
             contains(tail, "LTC") || contains(tail, "cache")) {
    params["memory"] = "sram";
  }
  put(params, "partition", number_after(tail, " partition "));
}

/// Xid 63 and 64: rows remapped (Ampere and newer) or pages retired (older).
void read_memory_repair(std::string_view tail, Params& params) {
  if (contains(tail, "Row Remap")) params["mechanism"] = "row-remap";
  if (contains(tail, "etired") || contains(tail, "etirement") || contains(tail, "etire page"))
    params["mechanism"] = "page-retirement";
  if (contains(tail, "Bank Remap")) params["mechanism"] = "bank-remap";
  if (contains(tail, "All reserved rows") || contains(tail, "table is full") || contains(tail, "no spare") ||
      contains(tail, "HW limit")) {
    params["exhausted"] = "yes";
  }
  if (contains(tail, "already pending") || contains(tail, "pending row remap")) params["pending"] = "yes";
  put(params, "address", piece_after(tail, "(0x", ")"));
}

/// Xid 94 and 95: "Contained: SM (0x1). RST: No, D-RST: No".
void read_containment(std::string_view tail, Params& params) {
  put(params, "unit", piece_after(tail, "ontained: ", "("));
  put(params, "reset_needed", piece_after(tail, " RST: ", ",. "));
  put(params, "drain_reset_needed", piece_after(tail, "D-RST: ", ",. "));
}

/// Xid 119: "Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 103 (GSP_RM_ALLOC)
/// (0x2081 0x4)."
void read_gsp_timeout(std::string_view tail, Params& params) {
  put(params, "function", number_after(tail, "Expected function "));
  put(params, "function_name", piece_after(tail, " (", ")"));
  put(params, "waited_s", number_after(tail, "Timeout after "));
  // Up to R525 the line says "from GSP!", R530 and later name the GPU ("from GPU0 GSP!"), R550 and later also
  // the seconds.
  if (contains(tail, "waiting for RPC from GSP")) params["wording"] = "before-r530";
}

/// "0x4" behind the marker, as a decimal number.
std::optional<std::uint64_t> hex_after(std::string_view text, std::string_view marker) {
  const std::string_view piece = piece_after(text, marker, " ,.)");
  return base::parse_hex(piece);
}

/// Xid 154: only the numbers count; R610 prints other words for the same numbers.
void read_recovery_action(std::string_view tail, Params& params) {
  const std::optional<std::uint64_t> from = hex_after(tail, "changed from ");
  const std::optional<std::uint64_t> to = hex_after(tail, ") to ");
  if (from) params["from"] = std::to_string(*from);
  if (to) params["to"] = std::to_string(*to);
  const std::size_t to_at = tail.find(") to ");
  if (to_at != std::string_view::npos) put(params, "words", piece_after(tail.substr(to_at + 1), "(", ")"));
}

void read_nvlink_error(std::string_view tail, Params& params) {
  put(params, "link", number_after(tail, "link "));
  const NvlinkRegisters registers = decode_nvlink_registers(tail);
  put(params, "registers", registers.verdict);
  put(params, "bits", registers.bits);
}

/// Some drivers print pid='<unknown>' or pid='4242'.
std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// The words in front of the first '(' or digit run that changes from line to line.
std::string_view wording(std::string_view tail) {
  return tail.substr(0, std::min<std::size_t>(tail.find_first_of("(0123456789"), 60));
}

/// What a set bit of an NVLink register means, the most telling first.
constexpr std::array<const char*, 6> kVerdicts = {"ecc", "hardware", "repeat", "weak", "secondary", "ignore"};

struct RegisterBits {
  std::size_t word;  ///< from 1, as NVIDIA's work-flow for Xid 74 numbers them
  unsigned low;
  unsigned high;
  std::size_t rank;  ///< index into kVerdicts
};

/// Source: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, work-flow of Xid 74.
constexpr std::array<RegisterBits, 18> kRegisterBits = {{
    {1, 0, 0, 5},
    {1, 23, 23, 5},
    {1, 30, 30, 5},
    {1, 1, 1, 4},
    {1, 20, 20, 4},
    {1, 4, 5, 0},
    {1, 8, 9, 1},
    {1, 12, 12, 1},
    {1, 16, 17, 1},
    {1, 24, 24, 1},
    {1, 28, 28, 1},
    {1, 21, 22, 3},
    {3, 0, 2, 2},
    {3, 6, 6, 0},
    {3, 16, 16, 2},
    {3, 19, 19, 2},
    {4, 16, 18, 4},
    {5, 0, 31, 0},
}};

std::size_t verdict_rank(std::size_t word, unsigned bit) {
  for (const RegisterBits& known : kRegisterBits) {
    if (known.word == word && bit >= known.low && bit <= known.high) return known.rank;
  }
  return kVerdicts.size();
}

}  // namespace

XidOwner read_xid_owner(std::string_view text) {
  XidOwner owner;
  owner.rest = text;
  if (text.substr(0, 4) != "pid=") return owner;
  const std::size_t pid_end = text.find(',');
  const std::string_view pid =
      without_quotes(text.substr(4, pid_end == std::string_view::npos ? pid_end : pid_end - 4));
  if (!pid.empty() && std::all_of(pid.begin(), pid.end(), is_digit)) owner.pid = pid;
  owner.rest = pid_end == std::string_view::npos ? std::string_view() : base::trim(text.substr(pid_end + 1));
  if (owner.rest.substr(0, 5) != "name=") return owner;
  const std::size_t name_end = owner.rest.find(", ");
  const std::string_view name =
      without_quotes(owner.rest.substr(5, name_end == std::string_view::npos ? name_end : name_end - 5));
  if (name != "<unknown>") owner.process = name.substr(0, 64);
  owner.rest = name_end == std::string_view::npos ? std::string_view() : owner.rest.substr(name_end + 2);
  return owner;
}

void read_xid_detail(std::int64_t code, std::string_view tail, Params& params) {
  std::string_view channel = piece_after(tail, "Ch ", " ,");
  if (channel.empty()) channel = piece_after(tail, "channel 0x", " ,");
  if (channel.empty()) channel = piece_after(tail, "Channel ID ", " ,");
  if (base::parse_hex(channel)) put(params, "channel", channel);
  switch (code) {
    case 13:
      return read_graphics_exception(tail, params);
    case 31:
      return read_mmu_fault(tail, params);
    case 45:
      return put(params, "previous", number_after(tail, "caused by previous Xid "));
    case 48:
      return read_double_bit_error(tail, params);
    case 51:
      return put(params, "error", piece_after(tail, "", " "));
    case 63:
    case 64:
      return read_memory_repair(tail, params);
    case 74:
      return read_nvlink_error(tail, params);
    case 94:
    case 95:
      return read_containment(tail, params);
    case 109:
      return put(params, "error", piece_after(tail, "errorString ", ","));
    case 119:
      return read_gsp_timeout(tail, params);
    case 154:
      return read_recovery_action(tail, params);
    default:
      return;
  }
}

std::string_view xid_detail_key(std::int64_t code, std::string_view tail) {
  switch (code) {
    case 13:
      return contains(tail, "(GPC ") ? tail.substr(0, tail.find("): ")) : wording(tail);
    case 31: {
      const std::size_t engine = tail.find("ENGINE ");
      const std::size_t end = tail.find(" faulted @", engine);
      return engine == std::string_view::npos || end == std::string_view::npos
                 ? std::string_view()
                 : tail.substr(engine, end - engine);
    }
    case 45: {
      const std::size_t at = tail.find("caused by");
      return at == std::string_view::npos ? std::string_view() : tail.substr(at);
    }
    case 63:
    case 64:
      return wording(tail);
    case 74:
      return tail.substr(0, 160);
    case 94:
    case 95:
      return tail.substr(0, 40);
    case 109:
      return piece_after(tail, "errorString ", ",");
    case 119:
      return number_after(tail, "Expected function ");
    case 144:
    case 145:
    case 146:
    case 147:
    case 148:
    case 149:
    case 150:
      return tail.substr(0, 160);
    case 154:
      return tail.substr(0, 120);
    default:
      return {};
  }
}

NvlinkRegisters decode_nvlink_registers(std::string_view tail) {
  NvlinkRegisters out;
  const std::size_t open = tail.find('(');
  if (open == std::string_view::npos) return out;
  std::size_t word_number = 0;
  std::size_t best = kVerdicts.size();
  for (const std::string_view piece :
       base::split(tail.substr(open + 1, tail.find(')', open) - open - 1), ',')) {
    const std::optional<std::uint64_t> value = base::parse_hex(base::trim(piece));
    if (++word_number > 7 || !value) break;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if (((*value >> bit) & 1U) == 0) continue;
      out.bits += fmt::format("{}{}:{}", out.bits.empty() ? "" : " ", word_number, bit);
      best = std::min(best, verdict_rank(word_number, bit));
    }
  }
  if (best < kVerdicts.size()) out.verdict = kVerdicts[best];
  return out;
}

}  // namespace gpuwright::parse
