// Source of the bit positions: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, columns
// "intrinfo" before and from R575.
// SPDX-License-Identifier: Apache-2.0
#include "parse/decode_nvlink5.h"

#include "base/text.h"

#include <algorithm>

namespace gpuwright::parse {

namespace {

constexpr std::size_t kMaxWords = 8;

std::int64_t bits(std::uint32_t word, unsigned high, unsigned low) {
  const std::uint32_t mask = (1U << (high - low + 1)) - 1U;
  return static_cast<std::int64_t>((word >> low) & mask);
}

/// Patterns are 32 characters, bit 31 first; '-' is free.
bool fits(const std::string& pattern, std::uint32_t word) {
  if (pattern.size() != 32) return false;
  for (std::size_t i = 0; i < 32; ++i) {
    const char bit = ((word >> (31 - i)) & 1U) != 0 ? '1' : '0';
    if (pattern[i] != '-' && pattern[i] != bit) return false;
  }
  return true;
}

/// How well errorStatus fits the row: 2 the very value, 1 one of several bits that are set, 0 not at all.
int status_fit(const std::string& expected, std::optional<std::uint32_t> status) {
  if (expected.empty()) return 2;
  if (!status) return 1;
  for (const std::string_view alternative : base::split(expected, '/')) {
    const std::optional<std::uint64_t> value = base::parse_hex(alternative);
    if (!value) continue;
    if (*value == *status) return 2;
    const bool one_bit = *value != 0 && (*value & (*value - 1)) == 0;
    if (one_bit && (*status & *value) != 0) return 1;
  }
  return 0;
}

/// The printed unit may carry an alias of the table's name: "TLW_RX_PIPE0" for "TLW_RX/TLW_RX_PIPE0".
bool names_unit(const std::string& table_name, const std::string& unit) {
  for (const std::string_view alias : base::split(table_name, '/')) {
    if (alias == unit) return true;
  }
  return false;
}

/// Heavier actions first: where several bits are set, the worst row decides.
int weight(const std::string& action) {
  if (action == "RESET_GPU") return 3;
  if (action == "XID_154_EVAL") return 2;
  return action.empty() ? 0 : 1;
}

struct Choice {
  const catalog::Nvlink5Row* row = nullptr;
  int fit = 0;
  bool second = false;  ///< the row's second pattern holds, so its second action counts
};

bool better(const Choice& a, const Choice& b) {
  if (b.row == nullptr || a.row == nullptr) return a.row != nullptr;
  if (a.fit != b.fit) return a.fit > b.fit;
  return weight(a.second ? a.row->action2 : a.row->action) >
         weight(b.second ? b.row->action2 : b.row->action);
}

Choice choose(std::int64_t xid, const Nvlink5Line& line, const std::vector<catalog::Nvlink5Row>& table,
              bool v2) {
  Choice best;
  const std::uint32_t info = line.words[0];
  std::optional<std::uint32_t> status;
  if (line.words.size() > 1) status = line.words[1];
  for (const catalog::Nvlink5Row& row : table) {
    if (row.xid != xid) continue;
    Choice choice;
    choice.second = fits(v2 ? row.action2_pattern_v2 : row.action2_pattern_v1, info);
    if (!choice.second && !fits(v2 ? row.pattern_v2 : row.pattern_v1, info)) continue;
    choice.row = &row;
    choice.fit = status_fit(row.error_status, status) * 2;
    if (choice.fit == 0) continue;
    if (names_unit(row.subunit, line.unit)) ++choice.fit;
    if (better(choice, best)) best = choice;
  }
  return best;
}

/// The layout by the link number, which is printed in clear and also packed into word 1. Empty when both or
/// neither agree.
std::string layout_by_link(std::uint32_t info, std::int64_t link) {
  const std::int64_t expected = link & 31;  // -1 is packed as all ones
  const bool v1 = bits(info, 17, 13) == expected;
  const bool v2 = bits(info, 14, 10) == expected;
  if (v1 == v2) return "";
  return v1 ? "v1" : "v2";
}

/// "(0x021425c6 0x00000000 ...)", perhaps cut.
std::vector<std::uint32_t> read_words(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (std::string_view piece : base::words(text)) {
    if (!piece.empty() && piece.front() == '(') piece.remove_prefix(1);
    const bool last = !piece.empty() && piece.back() == ')';
    if (last) piece.remove_suffix(1);
    const std::optional<std::uint64_t> value = base::parse_hex(piece);
    if (!value || *value > 0xFFFFFFFFULL || out.size() == kMaxWords) break;
    out.push_back(static_cast<std::uint32_t>(*value));
    if (last) break;
  }
  return out;
}

}  // namespace

std::optional<Nvlink5Line> read_nvlink5_line(std::string_view tail) {
  const std::vector<std::string_view> parts = base::words(tail.substr(0, 400));
  if (parts.size() < 2) return std::nullopt;
  const auto severity = std::find_if(parts.begin(), parts.end(), [](std::string_view part) {
    return part == "Fatal" || part == "Nonfatal";
  });
  if (severity == parts.begin() || severity == parts.end() || severity - parts.begin() > 2)
    return std::nullopt;
  Nvlink5Line line;
  for (auto part = parts.begin(); part != severity; ++part)
    line.unit += (line.unit.empty() ? "" : " ") + std::string(*part);
  line.printed = std::string(*severity);
  if (severity + 1 != parts.end()) line.partition = std::string(*(severity + 1));
  const auto link = std::find(severity, parts.end(), std::string_view("Link"));
  if (link != parts.end() && link + 1 != parts.end()) line.link = base::parse_int(*(link + 1));
  const std::size_t open = tail.find("(0x");
  if (open != std::string_view::npos) line.words = read_words(tail.substr(open, 200));
  return line;
}

Nvlink5Meaning decode_nvlink5(std::int64_t xid, const Nvlink5Line& line,
                              const std::vector<catalog::Nvlink5Row>& table) {
  Nvlink5Meaning meaning;
  if (line.words.empty()) return meaning;
  const std::uint32_t info = line.words[0];
  if (line.link) meaning.layout = layout_by_link(info, *line.link);
  Choice best;
  if (meaning.layout.empty()) {
    const Choice v1 = choose(xid, line, table, false);
    const Choice v2 = choose(xid, line, table, true);
    best = better(v2, v1) ? v2 : v1;
    if (v1.fit != v2.fit) meaning.layout = v1.fit > v2.fit ? "v1" : "v2";
  } else {
    best = choose(xid, line, table, meaning.layout == "v2");
    // A word that fits no row of the layout its link tells of may fit one of the other.
    if (best.row == nullptr) best = choose(xid, line, table, meaning.layout != "v2");
  }
  const bool link_event = line.unit == "NETIR_LINK_EVT" || line.unit == "NETIR_LINK_DOWN";
  if (link_event) meaning.reason = bits(info, 25, 20);
  if (best.row == nullptr) return meaning;
  meaning.row = best.row;
  meaning.action = best.second ? best.row->action2 : best.row->action;
  meaning.investigate = best.row->investigate;
  return meaning;
}

}  // namespace gpuwright::parse
