// What several Xids say together: each judge once firing, once quiet.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_xid.h"

#include "support/diagnose.h"
#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using model::Event;
using JudgeFunction = std::vector<Event> (*)(const model::Observations&, const catalog::Catalog&);

std::vector<std::string> signals(JudgeFunction judge, const std::string& text) {
  std::vector<std::string> names;
  for (const Event& event : judge(observe(text), knowledge())) names.push_back(event.signal);
  return names;
}

using Names = std::vector<std::string>;

std::string sm_line(const std::string& time, const std::string& gpu, const std::string& pid,
                    const std::string& place) {
  return "[" + time + "] NVRM: Xid (PCI:0000:" + gpu + ":00): 13, pid=" + pid +
         ", name=train, Graphics SM Warp Exception on (" + place + "): Out Of Range Address\n";
}

TEST(Xid13Place, ManySmsPointToSoftware) {
  const std::string text = sm_line("10.0", "3b", "5", "GPC 1, TPC 0, SM 0") +
                           sm_line("10.1", "3b", "5", "GPC 1, TPC 0, SM 1") +
                           sm_line("10.2", "3b", "5", "GPC 1, TPC 2, SM 0");
  EXPECT_EQ(signals(rules::judge_xid13_place, text), Names{"derived.xid13_scattered"});
}

TEST(Xid13Place, OneSmInSeveralProcessesPointsToHardware) {
  const std::string text =
      sm_line("10.0", "3b", "5", "GPC 1, TPC 0, SM 0") + sm_line("5000.0", "3b", "9", "GPC 1, TPC 0, SM 0");
  EXPECT_EQ(signals(rules::judge_xid13_place, text), Names{"derived.xid13_same_sm"});
}

TEST(Xid13Place, BothSmsOfOneTpcInSeveralProcessesPointToHardware) {
  const std::string text =
      sm_line("10.0", "3b", "5", "GPC 1, TPC 0, SM 0") + sm_line("5000.0", "3b", "9", "GPC 1, TPC 0, SM 1");
  EXPECT_EQ(signals(rules::judge_xid13_place, text), Names{"derived.xid13_same_sm"});
}

TEST(Xid13Place, OneSmOnceSaysNothing) {
  EXPECT_EQ(signals(rules::judge_xid13_place, sm_line("10.0", "3b", "5", "GPC 1, TPC 0, SM 0")), Names{});
}

TEST(Xid13Place, SeveralGpusPointToTheProgram) {
  const std::string text =
      sm_line("10.0", "3b", "5", "GPC 1, TPC 0, SM 0") + sm_line("10.1", "5d", "6", "GPC 2, TPC 0, SM 1");
  EXPECT_EQ(signals(rules::judge_xid13_place, text), Names{"derived.xid13_many_gpus"});
}

std::string fault_line(const std::string& time, const std::string& gpu, const std::string& pid,
                       const std::string& name) {
  return "[" + time + "] NVRM: Xid (PCI:0000:" + gpu + ":00): 31, pid=" + pid + ", name=" + name +
         ", channel 0x00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_0 faulted @ "
         "0x7f12_00000000. "
         "Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ\n";
}

TEST(Xid31Owner, ManyProcessesOnOneGpuPointToHardware) {
  const std::string text = fault_line("10.0", "3b", "5", "a") + fault_line("4000.0", "3b", "6", "b") +
                           fault_line("9000.0", "3b", "7", "c");
  EXPECT_EQ(signals(rules::judge_xid31_owner, text), Names{"derived.xid31_same_gpu"});
}

TEST(Xid31Owner, OneProgramOnSeveralGpusPointsToIt) {
  const std::string text = fault_line("10.0", "3b", "5", "a") + fault_line("10.1", "5d", "6", "a");
  EXPECT_EQ(signals(rules::judge_xid31_owner, text), Names{"derived.xid31_follows_process"});
}

TEST(Xid31Owner, OneFaultSaysNothing) {
  EXPECT_EQ(signals(rules::judge_xid31_owner, fault_line("10.0", "3b", "5", "a")), Names{});
}

constexpr const char* kRemoved = "[10.0] NVRM: Xid (PCI:0000:3b:00): 45, pid=5, name=a, Ch 00000001\n";

TEST(Xid45Alone, RemovedChannelsWithoutAnotherFaultAreAnExit) {
  EXPECT_EQ(signals(rules::judge_xid45_alone, kRemoved), Names{"derived.xid45_alone"});
}

TEST(Xid45Alone, AnEarlierFaultOrANamedOneKeepsQuiet) {
  EXPECT_EQ(signals(rules::judge_xid45_alone,
                    std::string(kRemoved) + "[9.0] NVRM: Xid (PCI:0000:3b:00): 48, DBE\n"),
            Names{});
  EXPECT_EQ(signals(rules::judge_xid45_alone,
                    "NVRM: Xid (PCI:0000:3b:00): 45, pid=5, name=a, Ch 00000001 caused by previous Xid 94\n"),
            Names{});
}

TEST(GpusLostTogether, TwoWithinAMinuteShareACause) {
  const std::string text =
      "[100.0] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
      "[101.0] NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.\n";
  const std::vector<Event> derived = rules::judge_gpus_lost_together(observe(text), knowledge());
  ASSERT_EQ(derived.size(), 1u);
  EXPECT_EQ(derived.front().params.at("lost"), "2");
  EXPECT_EQ(derived.front().subject.kind, model::SubjectKind::Host);
}

TEST(GpusLostTogether, TwoAnHourApartDoNot) {
  const std::string text =
      "[100.0] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
      "[3900.0] NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus.\n";
  EXPECT_EQ(signals(rules::judge_gpus_lost_together, text), Names{});
}

TEST(MemoryErrorsRepeat, HoursApartOnOneGpuIsWear) {
  const std::string text =
      "[100.0] NVRM: Xid (PCI:0000:3b:00): 48, An uncorrectable double bit error (DBE) has been detected on "
      "GPU\n"
      "[9000.0] NVRM: Xid (PCI:0000:3b:00): 48, An uncorrectable double bit error (DBE) has been detected on "
      "GPU\n";
  EXPECT_EQ(signals(rules::judge_memory_errors_repeat, text), Names{"derived.memory_errors_repeat"});
}

TEST(MemoryErrorsRepeat, LinesOfOneErrorAreNot) {
  const std::string text =
      "[100.0] NVRM: Xid (PCI:0000:3b:00): 48, An uncorrectable double bit error (DBE) has been detected on "
      "GPU\n"
      "[100.1] NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row (0x18f31d80) marked for remapping, "
      "reset gpu to activate.\n";
  EXPECT_EQ(signals(rules::judge_memory_errors_repeat, text), Names{});
}

constexpr const char* kResetAsked =
    "[10.1] NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset "
    "Required)\n";

TEST(RecoveryConflict, ResetAskedForAnIgnorableXid) {
  const std::string text = std::string("[10.0] NVRM: Xid (PCI:0000:3b:00): 44, Ch 00000001\n") + kResetAsked;
  EXPECT_EQ(signals(rules::judge_recovery_conflict, text), Names{"derived.recovery_conflict"});
}

TEST(RecoveryConflict, ResetAskedForASeriousXidIsNone) {
  const std::string text = std::string("[10.0] NVRM: Xid (PCI:0000:3b:00): 62, PMU Halt\n") + kResetAsked;
  EXPECT_EQ(signals(rules::judge_recovery_conflict, text), Names{});
}

}  // namespace
}  // namespace gpuwright::tests
