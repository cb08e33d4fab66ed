// What the judges of the network side raise, and when they stay quiet.
// SPDX-License-Identifier: Apache-2.0
#include "parse/bmc_formats.h"
#include "parse/lspci.h"
#include "parse/rdma_formats.h"
#include "parse/slurm_formats.h"
#include "rules/judge_bmc.h"
#include "rules/judge_pci.h"
#include "rules/judge_rdma.h"
#include "rules/judge_slurm.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::string data(const std::string& name) {
  return read_file(source_dir() + "/tests/data/" + name);
}

std::vector<std::string> alarms(const std::vector<model::Event>& events) {
  std::vector<std::string> out;
  for (const model::Event& event : events) {
    if (event.level == model::EventLevel::Alarm) out.push_back(event.signal);
  }
  return out;
}

std::vector<model::Event> pci(const std::string& text) {
  model::Observations out;
  parse::parse_lspci(text, {"lspci.txt", 1}, knowledge(), out);
  return rules::judge_pci(out, knowledge());
}

std::string device(const std::string& head, const std::string& capable, const std::string& status) {
  return head + "\n\t\tLnkCap:\tPort #0, " + capable + ", ASPM L1\n\t\tLnkSta:\t" + status + "\n";
}

const std::string kGpu = "3b:00.0 3D controller: NVIDIA Corporation Device 2330 (rev a1)";

TEST(JudgePci, ANarrowGpuLinkIsAFault) {
  const auto events =
      pci(device(kGpu, "Speed 32GT/s, Width x16", "Speed 32GT/s (ok), Width x1 (downgraded)"));
  ASSERT_THAT(alarms(events), ElementsAre("pcie.link_width_reduced"));
  EXPECT_EQ(events[0].subject.kind, model::SubjectKind::Gpu);
  EXPECT_EQ(events[0].subject.id, "0000:3b:00");
  EXPECT_EQ(events[0].params.at("width"), "1");
  EXPECT_EQ(events[0].params.at("capable_width"), "16");
  EXPECT_EQ(events[0].evidence.size(), 2U);
}

TEST(JudgePci, OldPciutilsWithoutJudgementAreJudgedByTheNumbers) {
  EXPECT_THAT(alarms(pci(device(kGpu, "Speed 16GT/s, Width x16", "Speed 16GT/s, Width x8, TrErr- Train-"))),
              ElementsAre("pcie.link_width_reduced"));
}

TEST(JudgePci, AnIdleGpuMaySlowDown) {
  EXPECT_THAT(
      alarms(pci(device(kGpu, "Speed 32GT/s, Width x16", "Speed 2.5GT/s (downgraded), Width x16 (ok)"))),
      ElementsAre("pcie.link_speed_idle"));
  EXPECT_THAT(
      alarms(pci(device(kGpu, "Speed 32GT/s, Width x16", "Speed 16GT/s (downgraded), Width x16 (ok)"))),
      ElementsAre("pcie.link_speed_reduced"));
  EXPECT_THAT(alarms(pci(device(kGpu, "Speed 32GT/s, Width x16", "Speed 32GT/s (ok), Width x16 (ok)"))),
              IsEmpty());
}

TEST(JudgePci, ANarrowSlotIsNoFaultOfTheLink) {
  const std::string bridge = device("3a:00.0 PCI bridge: Intel Corporation Device 352a (rev 04)",
                                    "Speed 32GT/s, Width x8", "Speed 32GT/s (ok), Width x8 (ok)") +
                             "\tBus: primary=3a, secondary=3b, subordinate=3b, sec-latency=0\n";
  EXPECT_THAT(alarms(pci(bridge + device(kGpu, "Speed 32GT/s, Width x16",
                                         "Speed 32GT/s (ok), Width x8 (downgraded)"))),
              ElementsAre("pcie.slot_narrow"));
}

TEST(JudgePci, ManagementNicsAndBridgesMayBeNarrow) {
  EXPECT_THAT(alarms(pci(device("01:00.0 Ethernet controller: Broadcom Inc. NetXtreme BCM5720",
                                "Speed 5GT/s, Width x2", "Speed 5GT/s (ok), Width x1 (downgraded)"))),
              IsEmpty());
  EXPECT_THAT(
      alarms(pci(device("1a:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]",
                        "Speed 32GT/s, Width x16", "Speed 16GT/s (downgraded), Width x16 (ok)"))),
      ElementsAre("pcie.link_speed_reduced"));
}

TEST(JudgePci, AGoneGpuAndAMissingWindowAreFaults) {
  EXPECT_THAT(
      alarms(pci(
          "3b:00.0 3D controller: NVIDIA Corporation Device 2330 (rev ff)\n\t!!! Unknown header type 7f\n")),
      ElementsAre("pcie.device_gone"));
  EXPECT_THAT(alarms(pci(kGpu + "\n\tRegion 2: Memory at <unassigned> (64-bit, prefetchable)\n")),
              ElementsAre("pcie.bar_unassigned"));
}

TEST(JudgePci, TheDriverInUseIsJudged) {
  EXPECT_THAT(alarms(pci(kGpu + "\n\tKernel driver in use: nvidia\n\tKernel modules: nvidia\n")), IsEmpty());
  EXPECT_THAT(alarms(pci(kGpu + "\n\tKernel driver in use: nouveau\n")),
              ElementsAre("pcie.gpu_foreign_driver"));
  EXPECT_THAT(alarms(pci(kGpu + "\n\tKernel modules: nvidiafb, nouveau, nvidia\n")),
              ElementsAre("pcie.gpu_without_driver"));
  EXPECT_THAT(alarms(pci(kGpu + "\n\tKernel driver in use: vfio-pci\n")), IsEmpty());
}

TEST(JudgePci, AccessControlMattersOnlyAboveAGpu) {
  const auto bridge = [](const std::string& buses) {
    return "3a:01.0 PCI bridge: Broadcom Switch\n\tBus: primary=3a, " + buses +
           ", sec-latency=0\n\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+\n";
  };
  EXPECT_THAT(alarms(pci(bridge("secondary=3b, subordinate=3b") + kGpu + "\n")),
              ElementsAre("pcie.acs_redirect"));
  EXPECT_THAT(alarms(pci(bridge("secondary=82, subordinate=83") + kGpu + "\n")), IsEmpty());
}

TEST(JudgePci, SwitchesAreContext) {
  const auto events =
      pci("05:00.0 Bridge [0680]: NVIDIA Corporation Device [10de:1af1] (rev a1)\n"
          "06:00.0 Bridge [0680]: NVIDIA Corporation Device [10de:1af1] (rev a1)\n");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].signal, "pcie.nvswitch_present");
  EXPECT_EQ(events[0].level, model::EventLevel::Context);
  EXPECT_EQ(events[0].count, 2);
}

model::RdmaPort port(const std::string& name, const std::string& state, const std::string& physical,
                     double rate) {
  model::RdmaPort out;
  out.device = name;
  out.state = state;
  out.physical_state = physical;
  out.rate_gbps = rate;
  out.link_layer = std::string("infiniband");
  out.evidence = out.state_evidence = out.rate_evidence = {"ib.txt", 1, name};
  return out;
}

std::vector<model::Event> rdma(std::vector<model::RdmaPort> ports) {
  model::Observations observations;
  observations.rdma_ports = std::move(ports);
  return rules::judge_rdma(observations, knowledge());
}

TEST(JudgeRdma, EachStateHasItsSignal) {
  EXPECT_THAT(alarms(rdma({port("mlx5_0", "down", "polling", 10)})), ElementsAre("ib.port_polling"));
  EXPECT_THAT(alarms(rdma({port("mlx5_0", "down", "disabled", 10)})), ElementsAre("ib.port_disabled"));
  EXPECT_THAT(alarms(rdma({port("mlx5_0", "init", "linkup", 400)})), ElementsAre("ib.port_initializing"));
  EXPECT_THAT(alarms(rdma({port("mlx5_0", "active", "linkup", 400)})), IsEmpty());
}

TEST(JudgeRdma, EthernetPortsAndBondsAreLeftAlone) {
  model::RdmaPort ethernet = port("mlx5_an0", "down", "disabled", 40);
  ethernet.link_layer = std::string("ethernet");
  EXPECT_THAT(alarms(rdma({ethernet, port("mlx5_bond_0", "down", "polling", 25)})), IsEmpty());
  ethernet.state = std::string("active");
  EXPECT_THAT(alarms(rdma({ethernet, port("mlx5_0", "active", "linkup", 400)})), IsEmpty());
}

TEST(JudgeRdma, AnUnknownStateIsNotJudged) {
  model::RdmaPort unknown = port("mlx5_0", "active", "linkup", 400);
  unknown.state = model::Absent{};
  EXPECT_THAT(alarms(rdma({unknown})), IsEmpty());
}

TEST(JudgeRdma, APortSlowerThanItsPeersIsFound) {
  std::vector<model::RdmaPort> ports;
  for (int i = 0; i < 7; ++i) ports.push_back(port("mlx5_" + std::to_string(i), "active", "linkup", 400));
  EXPECT_THAT(alarms(rdma(ports)), IsEmpty());
  ports.push_back(port("mlx5_7", "active", "linkup", 200));
  const auto events = rdma(ports);
  ASSERT_THAT(alarms(events), ElementsAre("ib.rate_low"));
  EXPECT_EQ(events[0].subject.id, "mlx5_7");
  EXPECT_EQ(events[0].params.at("expected_rate"), "400");
}

TEST(JudgeRdma, AnotherAdapterModelMayBeSlower) {
  std::vector<model::RdmaPort> ports;
  for (int i = 0; i < 8; ++i)
    ports.push_back(port("mlx5_" + std::to_string(i), "active", "linkup", i < 7 ? 400 : 200));
  for (model::RdmaPort& each : ports) each.adapter = std::string("MT4129");
  ports.back().adapter = std::string("MT4125");
  EXPECT_THAT(alarms(rdma(ports)), IsEmpty());
}

TEST(JudgeRdma, CountersAboveTheirLimitAreFound) {
  model::RdmaPort flapping = port("mlx5_1", "active", "linkup", 400);
  flapping.counters["link_downed"] = {255, {"ib.txt", 7, "link_downed 255"}};
  flapping.counters["port_rcv_errors"] = {14, {"ib.txt", 8, "port_rcv_errors 14"}};
  const auto events = rdma({flapping});
  ASSERT_THAT(alarms(events), ElementsAre("ib.link_downed_saturated"));
  EXPECT_EQ(events[0].params.at("value"), "255");
  flapping.counters["link_downed"].value = 2;
  EXPECT_THAT(alarms(rdma({flapping})), IsEmpty());
}

TEST(JudgeBmc, EachKindOfEntryHasItsSignal) {
  model::Observations observations;
  parse::parse_ipmi_sel(data("bmc/sel_elist.txt"), {"sel.txt", 1}, knowledge(), observations);
  const auto events = rules::judge_bmc(observations, knowledge());
  EXPECT_THAT(
      alarms(events),
      UnorderedElementsAre("bmc.fan_failure", "bmc.memory_correctable", "bmc.memory_uncorrectable",
                           "bmc.pcie_corrected", "bmc.pcie_fatal", "bmc.power_input_lost",
                           "bmc.power_redundancy_lost", "bmc.processor_error", "bmc.psu_failure",
                           "bmc.psu_failure", "bmc.slot_fault", "bmc.temperature_critical", "bmc.watchdog"));
}

TEST(JudgeBmc, AConditionThatEndedIsContext) {
  model::Observations observations;
  parse::parse_ipmi_sel(
      " 1 | 01/02/2026 | 03:04:05 | Power Supply PSU1 | Power Supply AC lost | Asserted\n"
      " 2 | 01/02/2026 | 03:14:05 | Power Supply PSU1 | Power Supply AC lost | Deasserted\n",
      {"sel.txt", 1}, knowledge(), observations);
  EXPECT_THAT(alarms(rules::judge_bmc(observations, knowledge())), IsEmpty());
}

TEST(JudgeBmc, AFailingDriveIsFound) {
  model::Observations observations;
  parse::parse_ipmi_sel(" 1 | 01/02/2026 | 03:04:05 | Drive Slot Disk 3 | Drive Fault | Asserted\n",
                        {"sel.txt", 1}, knowledge(), observations);
  EXPECT_THAT(alarms(rules::judge_bmc(observations, knowledge())), ElementsAre("bmc.drive_fault"));
}

TEST(JudgeBmc, HarmlessEntriesAreQuiet) {
  model::Observations observations;
  parse::parse_ipmi_sel(
      " 1 | 01/02/2026 | 03:04:05 | Event Logging Disabled SEL | Log area reset/cleared | Asserted\n"
      " 2 | 01/02/2026 | 03:04:05 | Power Supply PSU1 | Presence detected | Asserted\n"
      " 3 | 01/02/2026 | 03:04:05 | System ACPI Power State | S0/G0: working | Asserted\n",
      {"sel.txt", 1}, knowledge(), observations);
  EXPECT_EQ(observations.bmc_log.size(), 3U);
  EXPECT_THAT(rules::judge_bmc(observations, knowledge()), IsEmpty());
}

TEST(JudgeBmc, RedfishEntriesAreJudgedByTheirMessage) {
  model::Observations observations;
  parse::parse_redfish_log(data("bmc/redfish_log.json"), {"log.json", 1}, knowledge(), observations);
  EXPECT_THAT(alarms(rules::judge_bmc(observations, knowledge())),
              UnorderedElementsAre("bmc.power_input_lost", "bmc.pcie_fatal"));
}

TEST(JudgeBmc, SensorsCountWhenTheBmcCallsThemCritical) {
  model::Observations observations;
  parse::parse_ipmi_sensors(
      "Inlet Temp | 51 degrees C | cr\nFAN3 | 0 RPM | cr\nFAN4 | 8100 RPM | ok\nP1 VRM | no reading | ns\n"
      "GPU7 Temp | 80 degrees C | nc\n",
      {"sdr.txt", 1}, knowledge(), observations);
  EXPECT_THAT(alarms(rules::judge_bmc(observations, knowledge())),
              ElementsAre("bmc.temperature_critical", "bmc.fan_failure"));
}

std::vector<model::Event> slurm(const std::string& name) {
  model::Observations observations;
  const std::string text = data("slurm/" + name);
  parse::parse_sinfo(text, {name, 1}, knowledge(), observations);
  parse::parse_scontrol_node(text, {name, 1}, knowledge(), observations);
  parse::parse_squeue(text, {name, 1}, knowledge(), observations);
  return rules::judge_slurm(observations, knowledge());
}

TEST(JudgeSlurm, AnXidInTheReasonIsThatXidOnThatGpu) {
  const auto events = slurm("scontrol_show_node.txt");
  ASSERT_THAT(alarms(events), UnorderedElementsAre("xid.79", "slurm.gres_count_low"));
  for (const model::Event& event : events) {
    if (event.signal != "xid.79") continue;
    EXPECT_EQ(event.subject.kind, model::SubjectKind::Gpu);
    EXPECT_EQ(event.subject.id, "#3");
    EXPECT_EQ(event.subject.host, "n1");
  }
}

TEST(JudgeSlurm, CutReasonsAreUnderstood) {
  EXPECT_THAT(alarms(slurm("sinfo_R_down.txt")),
              UnorderedElementsAre("xid.79", "slurm.gres_count_low", "slurm.node_not_responding",
                                   "slurm.kill_task_failed"));
}

TEST(JudgeSlurm, StatesAloneAreReportedOncePerNode) {
  EXPECT_THAT(alarms(slurm("sinfo_down.txt")),
              UnorderedElementsAre("slurm.node_drained", "slurm.node_drained", "slurm.node_not_responding",
                                   "slurm.node_down"));
}

TEST(JudgeSlurm, JobsThatJustTakeTheirTurnAreQuiet) {
  EXPECT_THAT(alarms(slurm("squeue.txt")),
              UnorderedElementsAre("slurm.job_held", "slurm.job_waits_for_nodes"));
  model::Observations observations;
  parse::parse_squeue(
      "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n 7 batch a b PD 0:00 1 (Priority)\n 8 batch "
      "a b PD 0:00 1 (Resources)\n",
      {"q", 1}, knowledge(), observations);
  EXPECT_EQ(observations.slurm_jobs.size(), 2U);
  EXPECT_THAT(rules::judge_slurm(observations, knowledge()), IsEmpty());
}

TEST(JudgeSlurm, HealthyNodesAreQuiet) {
  model::Observations observations;
  parse::parse_sinfo(
      "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nbatch*       up   infinite      4   idle n[1-4]\n"
      "batch*       up   infinite      2    mix n[5-6]\n",
      {"sinfo", 1}, knowledge(), observations);
  EXPECT_EQ(observations.slurm_nodes.size(), 2U);
  EXPECT_THAT(rules::judge_slurm(observations, knowledge()), IsEmpty());
}

}  // namespace
}  // namespace gpuwright::tests
