// Both layouts of the NVLink 5 words, told apart by the link number that is printed in clear.
// SPDX-License-Identifier: Apache-2.0
#include "parse/decode_nvlink5.h"

#include "support/diagnose.h"
#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using parse::decode_nvlink5;
using parse::Nvlink5Line;
using parse::Nvlink5Meaning;
using parse::read_nvlink5_line;

Nvlink5Meaning meaning_of(std::int64_t xid, const std::string& tail) {
  const std::optional<Nvlink5Line> line = read_nvlink5_line(tail);
  EXPECT_TRUE(line.has_value()) << tail;
  return line ? decode_nvlink5(xid, *line, knowledge().nvlink5()) : Nvlink5Meaning{};
}

TEST(Nvlink5, LayoutBeforeR575IsToldByTheLinkField) {
  const Nvlink5Meaning peer =
      meaning_of(149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x021425c6 0x00000000 0x00000000)");
  EXPECT_EQ(peer.layout, "v1");
  EXPECT_EQ(peer.reason, 33);
  EXPECT_EQ(peer.action, "RESET_GPU");
  EXPECT_EQ(peer.investigate, "INVESTIGATE_PEER_DEVICE");
}

TEST(Nvlink5, LayoutFromR575IsToldByTheLinkField) {
  const Nvlink5Meaning meaning =
      meaning_of(146, "TLW_RX_PIPE0 Nonfatal XC1 i0 Link 10 (0x0400280a 0x00000001 0x00000000)");
  EXPECT_EQ(meaning.layout, "v2");
  ASSERT_NE(meaning.row, nullptr);
  EXPECT_EQ(meaning.row->subunit, "TLW_RX/TLW_RX_PIPE0");
  EXPECT_EQ(meaning.action, "IGNORE");
}

TEST(Nvlink5, LinkZeroIsDecidedByTheUnit) {
  EXPECT_EQ(meaning_of(149, "NETIR_LINK_EVT Fatal XC0 i0 Link 00 (0x026001c6 0x00000000)").layout, "v1");
  const Nvlink5Meaning newer =
      meaning_of(145, "RLW_REMAP Nonfatal XC0 i0 Link 00 (0x00000004 0x00000001 0x00000000 0x00000000)");
  EXPECT_EQ(newer.layout, "v2");
  EXPECT_EQ(newer.action, "XID_154_EVAL");
}

TEST(Nvlink5, LinkMinusOneIsAllOnes) {
  const std::optional<Nvlink5Line> line =
      read_nvlink5_line("NETIR Fatal XC0 i0 Link -1 (0x000fe406 0x00000000 0x00000000)");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->link, -1);
  const Nvlink5Meaning meaning = decode_nvlink5(149, *line, knowledge().nvlink5());
  EXPECT_EQ(meaning.layout, "v1");
  EXPECT_EQ(meaning.investigate, "SYMPATHETIC_REPORT_SOLO");
  EXPECT_FALSE(meaning.reason.has_value());
}

TEST(Nvlink5, ReasonsChooseTheSideAtFault) {
  const auto investigate = [](std::uint32_t reason) {
    Nvlink5Line line;
    line.unit = "NETIR_LINK_DOWN";
    line.link = 9;
    line.words = {(reason << 20) | (9u << 10) | 0x11u, 0};
    return decode_nvlink5(149, line, knowledge().nvlink5());
  };
  EXPECT_EQ(investigate(1).investigate, "REPORT_ISSUE");
  EXPECT_EQ(investigate(4).investigate, "INVESTIGATE_LINK_SI");
  EXPECT_EQ(investigate(15).investigate, "INVESTIGATE_SW_USER");
  EXPECT_EQ(investigate(16).investigate, "INVESTIGATE_SW_USER_LINK_SI");
  EXPECT_EQ(investigate(21).investigate, "INVESTIGATE_PEER_DEVICE");
  EXPECT_EQ(investigate(38).action, "IGNORE");
  EXPECT_EQ(investigate(40).investigate, "INVESTIGATE_HOST");
  EXPECT_EQ(investigate(42).investigate, "INVESTIGATE_LINK_SI_AND_CABLES");
  EXPECT_EQ(investigate(63).row, nullptr);
  EXPECT_EQ(investigate(63).reason, 63);
}

TEST(Nvlink5, SecondActionBitAsksForAReset) {
  EXPECT_EQ(meaning_of(145, "RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0401a0c2 0x00000001 0x00000000)").action,
            "IGNORE");
  EXPECT_EQ(meaning_of(145, "RLW_RXPIPE Nonfatal XC0 i0 Link 13 (0x0401a4c2 0x00000001 0x00000000)").action,
            "RESET_GPU");
}

TEST(Nvlink5, WorstOfSeveralStatusBitsDecides) {
  EXPECT_EQ(meaning_of(144, "SAW_MVB Fatal XC0 i0 Link 02 (0x00004021 0x00000003 0x00000000)").action,
            "RESET_GPU");
}

TEST(Nvlink5, CutLinesStillNameTheUnit) {
  const std::optional<Nvlink5Line> cut = read_nvlink5_line("NETIR Fatal XC0 i0 Link -1 (0x000fe406");
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->words.size(), 1u);
  const std::optional<Nvlink5Line> shorter = read_nvlink5_line("RLW_CTRL Nonfatal XC0");
  ASSERT_TRUE(shorter.has_value());
  EXPECT_EQ(decode_nvlink5(145, *shorter, knowledge().nvlink5()).row, nullptr);
  EXPECT_FALSE(read_nvlink5_line("").has_value());
  EXPECT_FALSE(read_nvlink5_line("Fatal XC0").has_value());
}

TEST(Nvlink5, TheEventIsAboutTheLink) {
  const model::Event event = only_event(
      "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x0 0x0)", "xid.149");
  EXPECT_EQ(event.subject.kind, model::SubjectKind::Link);
  EXPECT_EQ(event.subject.link, 8);
  EXPECT_EQ(param(event, "reason"), "4");
  EXPECT_EQ(param(event, "printed"), "Fatal");
  EXPECT_EQ(param(event, "remote_effects"), "packet-loss");
}

}  // namespace
}  // namespace gpuwright::tests
