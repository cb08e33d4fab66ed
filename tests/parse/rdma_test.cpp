// SPDX-License-Identifier: Apache-2.0
#include "parse/rdma_formats.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using Parser = bool (*)(std::string_view, const parse::BlockContext&, const catalog::Catalog&,
                        model::Observations&);

std::vector<model::RdmaPort> ports(Parser parser, const std::string& text) {
  model::Observations out;
  parser(text, {"rdma.txt", 1}, knowledge(), out);
  return out.rdma_ports;
}

std::string data(const std::string& name) {
  return read_file(source_dir() + "/tests/data/" + name);
}

const std::string kIbstat =
    "CA 'mlx5_3'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.39.1002\n\tPort 1:\n"
    "\t\tState: Initializing\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tBase lid: 65535\n\t\tLink "
    "layer: InfiniBand\n";

TEST(RdmaWords, AllSpellingsOfAStateAreOne) {
  EXPECT_EQ(parse::port_state("4: ACTIVE"), "active");
  EXPECT_EQ(parse::port_state("PORT_ACTIVE (4)"), "active");
  EXPECT_EQ(parse::port_state("Active"), "active");
  EXPECT_EQ(parse::port_state("2: INIT"), "init");
  EXPECT_EQ(parse::port_state("Initializing"), "init");
  EXPECT_EQ(parse::port_state("PORT_DOWN (1)"), "down");
  EXPECT_EQ(parse::physical_state("5: LinkUp"), "linkup");
  EXPECT_EQ(parse::physical_state("LINK_UP (5)"), "linkup");
  EXPECT_EQ(parse::physical_state("PORT_CONFIGURATION_TRAINING (4)"), "training");
  EXPECT_EQ(parse::physical_state("Polling"), "polling");
}

TEST(Ibstat, ReadsAdapterAndPort) {
  const auto read = ports(parse::parse_ibstat, kIbstat);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].device, "mlx5_3");
  EXPECT_EQ(read[0].port, 1);
  EXPECT_EQ(read[0].adapter.value(), "MT4129");
  EXPECT_EQ(read[0].firmware.value(), "28.39.1002");
  EXPECT_EQ(read[0].state.value(), "init");
  EXPECT_EQ(read[0].physical_state.value(), "linkup");
  EXPECT_EQ(read[0].rate_gbps.value(), 400);
  EXPECT_EQ(read[0].link_layer.value(), "infiniband");
  EXPECT_EQ(read[0].state_evidence.line, 6);
}

TEST(Ibstat, CutBeforeTheStateLeavesItAbsent) {
  const auto read = ports(parse::parse_ibstat, kIbstat.substr(0, kIbstat.find("State:")));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_FALSE(read[0].state.known());
}

TEST(Ibstatus, ReadsTheAzureCapture) {
  const auto read = ports(parse::parse_ibstatus, data("captures/infiniband/ibstatus_azure.txt"));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].device, "mlx5_an0");
  EXPECT_EQ(read[0].link_layer.value(), "ethernet");
  EXPECT_EQ(read[0].rate_gbps.value(), 40);
  EXPECT_EQ(read[1].state.value(), "active");
  EXPECT_EQ(read[1].rate_gbps.value(), 200);
  EXPECT_EQ(read[1].lanes.value(), 4);
}

TEST(IbvDevinfo, RateIsLanesTimesLaneSpeed) {
  const auto read = ports(parse::parse_ibv_devinfo, data("rdma/ibv_devinfo_v.txt"));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].device, "mlx5_0");
  EXPECT_EQ(read[0].state.value(), "active");
  EXPECT_EQ(read[0].rate_gbps.value(), 400);
  EXPECT_EQ(read[0].adapter.value(), "4129");
  EXPECT_EQ(read[1].state.value(), "init");
}

TEST(RdmaSysfs, ReadsNinePortsWithCounters) {
  const auto read =
      ports(parse::parse_rdma_sysfs, data("captures/infiniband/sysfs_class_infiniband_h100.tsv"));
  ASSERT_EQ(read.size(), 9U);
  EXPECT_EQ(read[1].device, "mlx5_1");
  EXPECT_EQ(read[1].counters.at("link_downed").value, 255);
  EXPECT_EQ(read[1].counters.at("port_rcv_errors").value, 14);
  EXPECT_EQ(read[1].adapter.value(), "MT4129");
  EXPECT_EQ(read[0].rate_gbps.value(), 400);
}

TEST(RdmaSysfs, ReadsWhatGrepPrints) {
  const auto read = ports(parse::parse_rdma_sysfs,
                          "/sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE\n"
                          "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:12\n");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].state.value(), "active");
  EXPECT_EQ(read[0].counters.at("out_of_sequence").value, 12);
}

TEST(Perfquery, ReadsCountersInTheKernelsNames) {
  const auto read = ports(parse::parse_perfquery, data("rdma/perfquery.txt"));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].device, "lid 12");
  EXPECT_EQ(read[0].counters.at("symbol_error").value, 65535);
  EXPECT_EQ(read[0].counters.at("link_downed").value, 4);
}

TEST(RdmaLink, TellsEthernetFromInfiniband) {
  const auto read = ports(parse::parse_rdma_link, data("rdma/rdma_link.txt"));
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read[1].state.value(), "down");
  EXPECT_EQ(read[1].physical_state.value(), "polling");
  EXPECT_EQ(read[1].link_layer.value(), "infiniband");
  EXPECT_EQ(read[3].link_layer.value(), "ethernet");
  EXPECT_EQ(read[2].netdev.value(), "bond0");
}

TEST(RdmaFormats, EmptyAndForeignTextGiveNoPort) {
  const std::string garbage("\0\xff'\n::::\n\t\t\t/ports/\nlink x\nCA '\nhca_id\n# Port counters: Lid\n", 60);
  for (const Parser parser : {parse::parse_ibstat, parse::parse_ibstatus, parse::parse_ibv_devinfo,
                              parse::parse_rdma_sysfs, parse::parse_rdma_link}) {
    EXPECT_TRUE(ports(parser, "").empty());
    EXPECT_TRUE(ports(parser, garbage).empty());
    EXPECT_TRUE(ports(parser, "NCCL INFO NET/IB : Using [0]mlx5_0:1/IB\n").empty());
  }
  EXPECT_TRUE(ports(parse::parse_perfquery, "").empty());
}

TEST(Ibdev2netdev, TellsTheInterfaceAndItsState) {
  const auto read = ports(parse::parse_ibdev2netdev,
                          "mlx5_0 port 1 ==> ibs10 (Up)\n"
                          "0000:c1:00.1 mlx5_bond_0 (MT4129 - X) fw 28.39.1002 port 2 (DOWN  ) ==> "
                          "bond0 (Down)\nmlx5_2 port x ==> y (Up)\nport 1 ==> z (Up)\n");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].device, "mlx5_0");
  EXPECT_EQ(read[0].netdev.value(), "ibs10");
  EXPECT_EQ(read[0].link_layer.value(), "infiniband");
  EXPECT_TRUE(read[0].netdev_up.value());
  EXPECT_EQ(read[1].device, "mlx5_bond_0");
  EXPECT_EQ(read[1].port, 2);
  EXPECT_EQ(read[1].link_layer.value(), "ethernet");
  EXPECT_FALSE(read[1].netdev_up.value());
}

TEST(RdmaCounters, NamesWithoutTheirFolderAreOnePort) {
  const auto read = ports(parse::parse_rdma_sysfs, "symbol_error:7\nport_rcv_errors: 9\nother_thing:3\n");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_TRUE(read[0].device.empty());
  EXPECT_EQ(read[0].counters.size(), 2U);
  EXPECT_EQ(read[0].counters.at("port_rcv_errors").value, 9);
}

}  // namespace
}  // namespace gpuwright::tests
