// Every parser of this family on what machines and people do to text: cut at any line, emptied, garbled,
// handed to the wrong parser.
// SPDX-License-Identifier: Apache-2.0
#include "parse/smi_formats.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <filesystem>

namespace gpuwright::tests {
namespace {

using Parser = decltype(&parse::parse_smi_table);

const Parser kParsers[] = {
    parse::parse_smi_query_text, parse::parse_smi_query_xml,   parse::parse_smi_table,
    parse::parse_smi_list,       parse::parse_smi_csv,         parse::parse_smi_topology,
    parse::parse_dcgmi_health,   parse::parse_dcgmi_diag,      parse::parse_dcgmi_json,
    parse::parse_dcgmi_nvlink,   parse::parse_dcgmi_discovery, parse::parse_proc_gpu_information};

std::size_t nouns(const model::Observations& out) {
  return out.gpus.size() + out.gpu_links.size() + out.topologies.size() + out.dcgm.size();
}

model::Observations read(Parser parser, const std::string& text) {
  model::Observations out;
  const bool found = parser(text, parse::BlockContext{"input", 1}, knowledge(), out);
  EXPECT_EQ(found, nouns(out) > 0) << "the answer and the nouns differ";
  return out;
}

std::vector<std::string> inputs() {
  std::vector<std::string> texts;
  for (const char* folder : {"nvidia-smi-q", "nvidia-smi-xml", "nvidia-smi-table", "nvlink", "topo"})
    for (const auto& entry :
         std::filesystem::directory_iterator(source_dir() + "/tests/data/captures/" + folder))
      texts.push_back(read_file(entry.path().string()));
  return texts;
}

TEST(HostileSmiText, NothingGivesNothing) {
  for (const Parser parser : kParsers) {
    EXPECT_EQ(nouns(read(parser, "")), 0U);
    EXPECT_EQ(nouns(read(parser, "\n\n\n")), 0U);
    EXPECT_EQ(nouns(read(parser, std::string(3000, '\0'))), 0U);
    EXPECT_EQ(nouns(read(parser, std::string(3000, '|') + std::string(3000, '<') + std::string(3000, '{'))),
              0U);
  }
}

TEST(HostileSmiText, ACutTextNeverSaysMoreThanTheWholeOne) {
  for (const std::string& text : inputs()) {
    const std::size_t step = text.size() / 60 + 1;
    for (const Parser parser : kParsers) {
      const std::size_t whole = nouns(read(parser, text));
      for (std::size_t end = 0; end < text.size(); end += step)
        EXPECT_LE(nouns(read(parser, text.substr(0, end))), whole + 1);
    }
  }
}

TEST(HostileSmiText, CutAtEveryLineASectionStillHolds) {
  const std::string text =
      read_file(source_dir() + "/tests/data/captures/nvidia-smi-q/bad_nvsmi8_output.txt");
  std::size_t before = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) {
    const std::size_t now = nouns(read(parse::parse_smi_query_text, text.substr(0, end)));
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_EQ(before, 8U);
}

TEST(HostileSmiText, FlippedBytesDoNotCrash) {
  std::uint32_t seed = 1;
  for (std::string text : inputs()) {
    text.resize(std::min<std::size_t>(text.size(), 6000));
    for (int round = 0; round < 8; ++round) {
      for (int flip = 0; flip < 40 && !text.empty(); ++flip) {
        seed = seed * 1664525U + 1013904223U;
        text[(seed >> 8) % text.size()] = static_cast<char>(seed >> 24);
      }
      for (const Parser parser : kParsers) EXPECT_LE(nouns(read(parser, text)), 5000U);
    }
  }
}

TEST(HostileSmiText, NumbersBeyondEveryRangeAreAbsent) {
  const model::Observations out = read(
      parse::parse_smi_query_text,
      "    Remapped Rows\n        Uncorrectable Error : 99999999999999999999999999\n        Pending : Yes\n");
  ASSERT_EQ(out.gpus.size(), 1U);
  EXPECT_FALSE(out.gpus[0].remapped_uncorrected.known());
  EXPECT_TRUE(out.gpus[0].remap_pending.value());
}

TEST(HostileSmiText, EndlessListsAreBounded) {
  std::string many;
  for (int i = 0; i < 5000; ++i)
    many += "GPU " + std::to_string(i) + ": NVIDIA (UUID: GPU-" + std::to_string(i) + ")\n";
  EXPECT_LE(read(parse::parse_smi_list, many).gpus.size(), 1024U);
}

}  // namespace
}  // namespace gpuwright::tests
