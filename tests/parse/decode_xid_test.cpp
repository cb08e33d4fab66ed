// Xid lines in all their historic forms, and what each code's tail says.
// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"
#include "base/text.h"
#include "model/event.h"
#include "parse/xid_detail.h"

#include "support/paths.h"
#include "support/scan.h"
#include <gtest/gtest.h>

#include <map>

namespace gpuwright::tests {
namespace {

using model::Event;
using model::SubjectKind;

base::CsvTable table(const std::string& path) {
  const base::Result<base::CsvTable> parsed = base::parse_csv(read_file(path), path);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().text());
  return parsed.ok() ? *parsed : base::CsvTable{};
}

std::string xid(const std::string& rest) {
  return "NVRM: Xid (PCI:0000:3b:00): " + rest;
}

TEST(XidLines, EachOfTheTwentySixFormsIsRead) {
  const base::CsvTable forms = table(source_dir() + "/tests/data/xid-lines/line_forms.csv");
  EXPECT_EQ(forms.rows.size(), 26u);
  for (const auto& row : forms.rows) {
    EXPECT_EQ(events_of(forms.cell(row, "line"), forms.cell(row, "signal")).size(), 1u)
        << forms.cell(row, "form");
  }
}

TEST(XidLines, EachFormOfTheSharedListIsRead) {
  if (shared_dir().empty()) GTEST_SKIP() << "no further inputs here";
  const base::CsvTable ours = table(source_dir() + "/tests/data/xid-lines/line_forms.csv");
  std::map<std::string, std::string> signal_of;
  for (const auto& row : ours.rows) signal_of[ours.cell(row, "form")] = ours.cell(row, "signal");
  const base::CsvTable forms = table(shared_dir() + "/data/health/line_forms.csv");
  EXPECT_EQ(forms.rows.size(), 26u);
  for (const auto& row : forms.rows) {
    const std::string lines = base::replace_all(forms.cell(row, "sample"), " | ", "\n");
    EXPECT_EQ(events_of(lines, signal_of[forms.cell(row, "form")]).size(), 1u) << forms.cell(row, "sample");
  }
}

TEST(XidLines, LinesOfOthersGiveTheirNumberOrNothing) {
  for (const char* name : {"xid_lines_gpud.csv", "sxid_lines_gpud.csv"}) {
    const base::CsvTable lines = table(source_dir() + "/tests/data/xid-lines/" + name);
    const std::string group = name[0] == 'x' ? "xid." : "sxid.";
    EXPECT_GE(lines.rows.size(), 14u);
    for (const auto& row : lines.rows) {
      const std::string code = lines.cell(row, "expected_code");
      const std::vector<Event> events = observe(lines.cell(row, "line")).events;
      if (code.empty()) {
        EXPECT_TRUE(events.empty()) << lines.cell(row, "line");
        continue;
      }
      ASSERT_EQ(events.size(), 1u) << lines.cell(row, "line");
      EXPECT_EQ(events.front().signal, group + code);
    }
  }
}

TEST(XidLines, ProcessIsReadInEveryWording) {
  EXPECT_EQ(param(only_event(xid("32, pid=77, name=train.3, Channel ID 0000000d intr0 00040000"), "xid.32"),
                  "process"),
            "train.3");
  EXPECT_EQ(param(only_event(xid("32, pid=77, Channel ID 0000000d intr0 00040000"), "xid.32"), "pid"), "77");
  EXPECT_EQ(param(only_event(xid("32, pid='77', name='train', Channel ID 0000000d"), "xid.32"), "pid"), "77");
  EXPECT_EQ(
      param(only_event(xid("79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."), "xid.79"),
            "pid"),
      "");
  EXPECT_EQ(param(only_event(xid("43, pid=9, name=pt_main_thread, Ch 00000008"), "xid.43"), "channel"),
            "00000008");
}

TEST(XidLines, SubjectIsTheGpuWithoutFunction) {
  const Event event = only_event("NVRM: Xid (PCI:0001:AB:00): 79, GPU has fallen off the bus.", "xid.79");
  EXPECT_EQ(event.subject.kind, SubjectKind::Gpu);
  EXPECT_EQ(event.subject.id, "0001:ab:00");
  EXPECT_EQ(param(event, "action"), "RESTART_BM");
  EXPECT_EQ(param(event, "bus_id"), "0001:ab:00.0");
}

TEST(XidLines, MigInstanceIsAParameterNotAnotherGpu) {
  const std::string both =
      "NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 94, pid=1, name=a, Contained: SM (0x1). RST: No, D-RST: No\n"
      "NVRM: Xid (PCI:0000:3b:00 GPU-I:06 GPU-CI:01): 94, pid=2, name=b, Contained: SM (0x1). RST: No, "
      "D-RST: No\n";
  const std::vector<Event> events = events_of(both, "xid.94");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].subject.id, events[1].subject.id);
  EXPECT_EQ(param(events[0], "mig"), "05");
  EXPECT_EQ(param(events[1], "compute_instance"), "01");
}

TEST(XidLines, GraphicsExceptionNamesItsSm) {
  const Event event = only_event(
      xid("13, Graphics SM Warp Exception on (GPC 7, TPC 3, SM 1): Illegal Instruction Encoding"), "xid.13");
  EXPECT_EQ(param(event, "gpc") + param(event, "tpc") + param(event, "sm"), "731");
  EXPECT_EQ(param(event, "exception"), "Illegal Instruction Encoding");
  EXPECT_EQ(param(event, "kind"), "warp");
}

TEST(XidLines, MmuFaultTellsNullPointersAndFixedFunctionUnits) {
  const std::string tail = ", intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 ";
  const Event drawing = only_event(
      xid("31, pid=1, name=a, channel 0x0000000c" + tail +
          "GPCCLIENT_PROP_0 faulted @ 0x0_00000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"),
      "xid.31");
  EXPECT_EQ(param(drawing, "fixed_function"), "yes");
  EXPECT_EQ(param(drawing, "near_null"), "yes");
  EXPECT_EQ(param(drawing, "fault_type"), "FAULT_PDE");
  EXPECT_EQ(param(drawing, "access"), "VIRT_READ");
  EXPECT_EQ(param(drawing, "engine"), "GRAPHICS");
  const Event compute = only_event(
      xid("31, Ch 00000001" + tail +
          "GPCCLIENT_T1_2 faulted @ 0x7f12_00340000. Fault is of type FAULT_PTE ACCESS_TYPE_VIRT_WRITE"),
      "xid.31");
  EXPECT_EQ(param(compute, "fixed_function"), "no");
  EXPECT_EQ(param(compute, "near_null"), "no");
  EXPECT_EQ(param(compute, "address"), "0x7f12_00340000");
}

TEST(XidLines, RecoveryActionIsReadByNumber) {
  const Event old_words = only_event(
      xid("154, GPU recovery action changed from 0x4 (Drain and Reset) to 0x1 (GPU Reset Required)"),
      "xid.154");
  const Event new_words =
      only_event(xid("154, GPU recovery action changed from 0x0 (None) to 0x2 (OS Reboot)"), "xid.154");
  EXPECT_EQ(param(old_words, "from") + ">" + param(old_words, "to"), "4>1");
  EXPECT_EQ(param(old_words, "words"), "GPU Reset Required");
  EXPECT_EQ(param(new_words, "from") + ">" + param(new_words, "to"), "0>2");
}

TEST(XidLines, MemoryRepairTellsRowsFromPagesAndExhaustedSpares) {
  EXPECT_EQ(param(only_event(xid("63, Row Remapper: New row (0x000000018f31d80) marked for remapping, reset "
                                 "gpu to activate."),
                             "xid.63"),
                  "mechanism"),
            "row-remap");
  EXPECT_EQ(
      param(
          only_event(
              xid("63, Dynamic Page Retirement: New page retired, reboot to activate (0x00000000001c1d4f)."),
              "xid.63"),
          "mechanism"),
      "page-retirement");
  const Event full = only_event(
      xid("64, Row Remapper Error: (0x00000002eebc4100) - All reserved rows for bank are remapped"),
      "xid.64");
  EXPECT_EQ(param(full, "exhausted"), "yes");
}

TEST(XidLines, ContainmentNamesItsUnit) {
  const Event event =
      only_event(xid("95, pid=7062, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"), "xid.95");
  EXPECT_EQ(param(event, "unit"), "LTC TAG");
  EXPECT_EQ(param(event, "reset_needed"), "Yes");
  EXPECT_EQ(param(event, "drain_reset_needed"), "No");
}

TEST(XidLines, GspTimeoutNamesTheCallAndTheEraOfTheDriver) {
  const Event old_driver = only_event(xid("119, pid=1, name=nvidia-smi, Timeout waiting for RPC from GSP! "
                                          "Expected function 76 (GSP_RM_CONTROL) (0x1 0x2)."),
                                      "xid.119");
  EXPECT_EQ(param(old_driver, "wording"), "before-r530");
  EXPECT_EQ(param(old_driver, "function_name"), "GSP_RM_CONTROL");
  const Event new_driver =
      only_event(xid("119, pid=1, name=a, Timeout after 6s of waiting for RPC response from GPU4 GSP! "
                     "Expected function 103 (GSP_RM_ALLOC) (0x2081 0x4)."),
                 "xid.119");
  EXPECT_EQ(param(new_driver, "wording"), "");
  EXPECT_EQ(param(new_driver, "waited_s"), "6");
  EXPECT_EQ(param(new_driver, "function"), "103");
}

TEST(XidLines, OldNvlinkErrorIsReadByItsRegisters) {
  const Event event = only_event(xid("74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on "
                                     "link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"),
                                 "xid.74");
  EXPECT_EQ(event.subject.kind, SubjectKind::Link);
  EXPECT_EQ(event.subject.link, 14);
  EXPECT_EQ(param(event, "bits"), "3:16");
  EXPECT_EQ(param(event, "registers"), "repeat");
}

TEST(XidLines, RegisterBitsGiveTheMostTellingVerdict) {
  EXPECT_EQ(parse::decode_nvlink_registers("link 1(0x10, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)").verdict, "ecc");
  EXPECT_EQ(parse::decode_nvlink_registers("link 1(0x102, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)").verdict,
            "hardware");
  EXPECT_EQ(parse::decode_nvlink_registers("link 1(0x2, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)").verdict, "secondary");
  EXPECT_EQ(parse::decode_nvlink_registers("link 1(0x1, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)").verdict, "ignore");
  EXPECT_EQ(parse::decode_nvlink_registers("link 1(0x0, 0x1").verdict, "");
  EXPECT_EQ(parse::decode_nvlink_registers("link 1").verdict, "");
}

TEST(XidLines, ChannelRemovalNamesThePreviousXid) {
  EXPECT_EQ(param(only_event(xid("45, pid=1, name=a, Ch 00000001 caused by previous Xid 149"), "xid.45"),
                  "previous"),
            "149");
  EXPECT_EQ(param(only_event(xid("45, pid=1, name=a, Ch 00000001"), "xid.45"), "previous"), "");
}

TEST(XidLines, StormIsOneEventThatKnowsItsProcesses) {
  std::string storm;
  for (int i = 0; i < 500; ++i) {
    storm += xid("45, pid=" + std::to_string(100 + i % 3) + ", name=a, Ch 0000000" + std::to_string(i % 10)) +
             "\n";
  }
  const Event event = only_event(storm, "xid.45");
  EXPECT_EQ(event.count, 500);
  EXPECT_EQ(event.seen.at("pid").size(), 3u);
}

TEST(XidLines, UnknownNumberIsKeptAndSaidToBeUnknown) {
  EXPECT_EQ(param(only_event(xid("99999, unknown error"), "xid.99999"), "action"), "UNKNOWN");
}

TEST(XidLines, SerialBelongsToTheGpuNamedAbove) {
  const Event event = only_event(
      "NVRM: GPU at PCI:0000:3b:00: GPU-11111111-2222-3333-4444-555555555555\n"
      "NVRM: GPU Board Serial Number: 1650000000000\n",
      "nvrm.gpu_serial");
  EXPECT_EQ(event.subject.id, "0000:3b:00");
  EXPECT_EQ(param(event, "serial"), "1650000000000");
}

TEST(XidLines, GpuLostAtProbeIsNamedByTheLineAbove) {
  const Event event = only_event(
      "[ 1.0] NVRM: The NVIDIA GPU 0000:c3:00.0\n"
      "             NVRM: (PCI ID: 10de:26b5) installed in this system has\n"
      "             NVRM: fallen off the bus and is not responding to commands.\n",
      "nvrm.fallen_off_at_probe");
  EXPECT_EQ(event.subject.id, "0000:c3:00");
}

}  // namespace
}  // namespace gpuwright::tests
