// dcgmi's tables, JSON, letters and lists; DCGM in single lines.
// SPDX-License-Identifier: Apache-2.0
#include "parse/dcgm_messages.h"
#include "parse/smi_formats.h"

#include "support/diagnose.h"
#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using model::DcgmVerdict;
using Parser = decltype(&parse::parse_dcgmi_health);

model::Observations read(Parser parser, const std::string& text) {
  model::Observations out;
  parser(text, parse::BlockContext{"input", 1}, knowledge(), out);
  return out;
}

constexpr const char* kSickHealth =
    "+---------------------------+------------------------------------------------+\n"
    "| Health Monitor Report                                                      |\n"
    "+===========================+================================================+\n"
    "| Overall Health            | Failure                                        |\n"
    "| GPU                       |                                                |\n"
    "| -> 3                      | Failure                                        |\n"
    "|    -> Memory system       | Failure                                        |\n"
    "|                           | GPU 3 had memory errors and row remappings     |\n"
    "|                           | are pending                                    |\n";

TEST(DcgmiHealth, ReadsTheTreeWithItsWrappedMessage) {
  const model::Observations out = read(parse::parse_dcgmi_health, kSickHealth);
  ASSERT_EQ(out.dcgm.size(), 2U);
  EXPECT_EQ(out.dcgm[0].subject, "Overall Health");
  EXPECT_EQ(out.dcgm[1].subject, "Memory system");
  EXPECT_EQ(out.dcgm[1].gpu.value(), 3);
  EXPECT_EQ(out.dcgm[1].verdict, DcgmVerdict::Fail);
  EXPECT_EQ(out.dcgm[1].signal, "dcgm.remap_pending");
}

TEST(DcgmiHealth, AShortenedReportIsRead) {
  const model::Observations out = read(parse::parse_dcgmi_health, "Overall Health: Healthy\n");
  ASSERT_EQ(out.dcgm.size(), 1U);
  EXPECT_EQ(out.dcgm[0].verdict, DcgmVerdict::Pass);
}

TEST(DcgmiDiag, ReadsTestsTheirWarningsAndTheBoards) {
  const model::Observations out =
      read(parse::parse_dcgmi_diag,
           "| Diagnostic                | Result                                         |\n"
           "| Driver Version Detected   | 550.54.15                                      |\n"
           "| GPU Device IDs Detected   | 2330,2330                                      |\n"
           "| Denylist                  | Pass                                           |\n"
           "| GPU Memory                | Fail - GPU: 1                                  |\n"
           "| Warning                   | GPU 1 had uncorrectable memory errors and row  |\n"
           "|                           | remapping failed. Run a field diagnostic on t  |\n"
           "| Integration               | Skip                                           |\n");
  ASSERT_EQ(out.dcgm.size(), 3U);
  EXPECT_EQ(out.dcgm[0].verdict, DcgmVerdict::Pass);
  EXPECT_EQ(out.dcgm[1].signal, "dcgm.remap_failed");
  EXPECT_EQ(out.dcgm[1].gpu.value(), 1);
  EXPECT_EQ(out.dcgm[2].verdict, DcgmVerdict::Skip);
  ASSERT_EQ(out.gpus.size(), 2U);
  EXPECT_EQ(out.gpus[1].device_id.value(), "2330");
  EXPECT_EQ(out.gpus[1].driver.value(), "550.54.15");
}

TEST(DcgmiJson, ReadsDiagnosticsOfDcgm4) {
  const model::Observations out =
      read(parse::parse_dcgmi_json,
           R"({"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [
  {"name": "memory", "results": [{"entity_group":"GPU","entity_id":0,"status":"Pass"},
   {"entity_group":"GPU","entity_id":1,"status":"Fail","warnings":[{"error_id":52,"warning":"Found 3 faulty memory elements on GPU 1"}]}]}]}]}})");
  ASSERT_EQ(out.dcgm.size(), 2U);
  EXPECT_EQ(out.dcgm[0].gpu.value(), 0);
  EXPECT_EQ(out.dcgm[1].gpu.value(), 1);
  EXPECT_EQ(out.dcgm[1].signal, "dcgm.faulty_memory");
}

TEST(DcgmiJson, AMessageInFrontOfItsSystemBelongsToIt) {
  const model::Observations out =
      read(parse::parse_dcgmi_json,
           R"({"body": {"GPU": {"children": {"2": {"children": {"Memory system": {"children": {"Error 0":
  {"value": "GPU 2 had memory errors and row remappings are pending"}}, "value": "Failure"}}}}},
  "Overall Health": {"value": "Failure"}}})");
  ASSERT_EQ(out.dcgm.size(), 2U);
  EXPECT_EQ(out.dcgm[0].subject, "Memory system");
  EXPECT_EQ(out.dcgm[0].gpu.value(), 2);
  EXPECT_EQ(out.dcgm[0].signal, "dcgm.remap_pending");
  EXPECT_EQ(out.dcgm[1].subject, "Overall Health");
}

TEST(DcgmiNvlink, ReadsOneLetterALink) {
  const model::Observations out = read(parse::parse_dcgmi_nvlink,
                                       "|  NvLink Link Status  |\nGPUs:\n    gpuId 0:\n        U D X "
                                       "_\nNvSwitches:\n    physicalId 8:\n        U U\n");
  ASSERT_EQ(out.gpu_links.size(), 2U);
  ASSERT_EQ(out.gpu_links[0].links.size(), 4U);
  EXPECT_EQ(out.gpu_links[0].links[1].condition, model::LinkCondition::Down);
  EXPECT_EQ(out.gpu_links[0].links[2].condition, model::LinkCondition::Disabled);
  EXPECT_EQ(out.gpu_links[0].links[3].condition, model::LinkCondition::NotSupported);
  EXPECT_TRUE(out.gpu_links[1].is_switch);
}

TEST(DcgmiDiscovery, ReadsWhoIsWho) {
  const model::Observations out =
      read(parse::parse_dcgmi_discovery,
           "2 GPUs found.\n| GPU ID | Device Information |\n| 0      | Name: NVIDIA H100 80GB HBM3 |\n"
           "|        | PCI Bus ID: 00000000:1B:00.0 |\n|        | Device UUID: GPU-1 |\n"
           "| 1      | Name: NVIDIA H100 80GB HBM3 |\n|        | PCI Bus ID: 00000000:43:00.0 |\n");
  ASSERT_EQ(out.gpus.size(), 2U);
  EXPECT_EQ(out.gpus[1].pci.value(), "0000:43:00.0");
  EXPECT_EQ(out.gpus[0].attached.value(), 2);
}

TEST(DcgmMessages, CodeAndSentenceLeadToTheSameSignal) {
  EXPECT_EQ(parse::dcgm_signal_of_code("DCGM_FR_NVLINK_DOWN"), "dcgm.nvlink_down");
  EXPECT_EQ(parse::dcgm_signal_of_message("GPU 0's NvLink link 3 is currently down"), "dcgm.nvlink_down");
  EXPECT_EQ(parse::dcgm_signal_of_code("DCGM_FR_IMEX_UNHEALTHY"), "dcgm.imex_unhealthy");
  EXPECT_EQ(parse::dcgm_signal_of_message("A pending retired page has been detected in GPU 2."),
            "dcgm.pages_pending");
  EXPECT_EQ(parse::dcgm_signal_of_code("DCGM_FR_OF_THE_FUTURE"), "dcgm.failure");
  EXPECT_EQ(parse::dcgm_signal_of_message("all is well"), "");
}

TEST(DcgmMessages, GpuAndXidAreRead) {
  EXPECT_EQ(parse::dcgm_gpu_of_message("ErrorCode:X GPU:4 text"), 4);
  EXPECT_EQ(parse::dcgm_gpu_of_message("no number here: GPUs"), std::nullopt);
  EXPECT_EQ(parse::dcgm_xid_of_message("Detected XID 95 for GPU 0"), 95);
  EXPECT_EQ(parse::dcgm_xid_of_message("(field 230 last Xid on GPU 1: 120)"), 120);
}

TEST(DcgmLines, ACodeIsAnEventOnItsGpu) {
  const model::Event event =
      only_event("ErrorCode:DCGM_FR_PENDING_ROW_REMAP GPU:3 PCI:0000:3b:00.0 text\n", "dcgm.remap_pending");
  EXPECT_EQ(event.subject.id, "0000:3b:00");
  EXPECT_EQ(param(event, "gpu_index"), "3");
}

TEST(DcgmLines, TheLastXidOfAFieldIsThatXid) {
  EXPECT_EQ(only_event("(field 230 last Xid on GPU 1: 120)\n", "xid.120").subject.id, "#1");
  const std::string metric = "DCGM_FI_DEV_XID_ERRORS{gpu=\"1\",pci_bus_id=\"00000000:5E:00.0\"} 79\n";
  EXPECT_EQ(only_event(metric, "xid.79").subject.id, "0000:5e:00");
}

TEST(DcgmLines, AGoodValueSaysNothing) {
  EXPECT_TRUE(observe("DCGM_FI_DEV_XID_ERRORS{gpu=\"0\"} 0\nDCGM_FI_DEV_ECC_DBE_VOL_TOTAL 0\n"
                      "# HELP DCGM_FI_DEV_XID_ERRORS Value of the last XID error encountered.\n")
                  .events.empty());
}

TEST(DcgmLines, NumbersWithCommasAndExponentsAreRead) {
  EXPECT_EQ(
      param(only_event("| `DCGM_FI_DEV_ECC_SBE_AGG_TOTAL` | 54,731,746,511 |\n", "gpu.ecc_corrected_storm"),
            "count"),
      "54731746511");
  EXPECT_EQ(param(only_event("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL | 9.6e9, rising\n", "gpu.ecc_corrected_storm"),
                  "count"),
            "9600000000");
}

}  // namespace
}  // namespace gpuwright::tests
