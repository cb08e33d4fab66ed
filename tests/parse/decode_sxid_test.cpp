// NVSwitch errors: three lines of the kernel and one of Fabric Manager are one error.
// SPDX-License-Identifier: Apache-2.0
#include "support/scan.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

using model::Event;
using model::EventLevel;

constexpr const char* kThreeLines =
    "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 22013, Non-fatal, Link 44 Minion Link DLREQ interrupt\n"
    "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 22013, Severity 0 Engine instance 44 Sub-engine instance 00\n"
    "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 22013, Data {0x80000000, 0x80000000, 0x00000000}\n";

TEST(SxidLines, ThreeLinesOfOneErrorCountOnce) {
  std::int64_t alarms = 0;
  for (const Event& event : events_of(kThreeLines, "sxid.22013")) {
    if (event.level == EventLevel::Alarm) alarms += event.count;
  }
  EXPECT_EQ(alarms, 1);
}

TEST(SxidLines, SubjectIsTheSwitchAndTheLinkAParameter) {
  const Event event = only_event(
      "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up", "sxid.20034");
  EXPECT_EQ(event.subject.kind, model::SubjectKind::Switch);
  EXPECT_EQ(event.subject.id, "0000:06:00");
  EXPECT_EQ(param(event, "link"), "48");
  EXPECT_EQ(param(event, "printed"), "fatal");
  EXPECT_EQ(param(event, "effect"), "potentially-fatal");
}

TEST(SxidLines, FabricManagerNamesTheSameError) {
  const Event event = only_event(
      "[Feb 01 2025 10:00:00] [ERROR] [tid 100] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci "
      "bus id 00000000:86:00.0 "
      "physical id 3 port 33",
      "sxid.20034");
  EXPECT_EQ(event.subject.id, "0000:86:00");
  EXPECT_EQ(param(event, "link"), "33");
  EXPECT_EQ(param(event, "printed"), "fatal");
}

TEST(SxidLines, EffectComesFromTheGuideAndElseFromTheLine) {
  EXPECT_EQ(param(only_event("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 23001, Non-fatal, Link 01 x",
                             "sxid.23001"),
                  "effect"),
            "always-fatal");
  EXPECT_EQ(
      param(only_event("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 11005, Fatal, Link 01 x", "sxid.11005"),
            "effect"),
      "printed-fatal");
  EXPECT_EQ(param(only_event("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 26006, SOE HALTED", "sxid.26006"),
                  "effect"),
            "unknown");
  EXPECT_EQ(param(only_event("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 11012, Correctable, Link 02 ingress",
                             "sxid.11012"),
                  "effect"),
            "non-fatal");
}

}  // namespace
}  // namespace gpuwright::tests
