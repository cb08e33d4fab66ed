// What the host does, from a machine that is written down.
// SPDX-License-Identifier: Apache-2.0
#include "watch/host_series.h"

#include "support/diagnose.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class HostSeriesOf : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder_.path() + "/" + path).parent_path());
    folder_.write(path, content);
  }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(folder_.path() + "/" + path).parent_path());
    std::filesystem::create_symlink(target, folder_.path() + "/" + path);
  }
  /// What one reader says: labels and value of each series.
  std::map<std::string, double> read(void (*reader)(watch::HostLook&), const std::string& family) {
    watch::HostLook look(folder_.path());
    reader(look);
    std::map<std::string, double> all;
    for (const model::HostSeries& series : look.take()) {
      if (series.family == family) all[series.labels] = series.value;
    }
    return all;
  }
  TempFolder folder_;
};

TEST_F(HostSeriesOf, Memory) {
  write("proc/meminfo",
        "MemTotal:       2000 kB\nMemAvailable:    500 kB\nHugetlb:  4 kB\nSReclaimable: 9 kB\n");
  EXPECT_THAT(read(watch::read_memory, "gpuwright_node_memory_bytes"),
              UnorderedElementsAre(Pair("kind=\"total\"", 2'048'000.0), Pair("kind=\"available\"", 512'000.0),
                                   Pair("kind=\"huge_pages\"", 4096.0)));
}

TEST_F(HostSeriesOf, Processors) {
  write("proc/stat", "cpu  100 0 50 1000 25 0 1 0 40 0\ncpu0 1 2 3\n");
  const auto series = read(watch::read_processors, "gpuwright_node_cpu_seconds");
  EXPECT_EQ(series.size(), 8U);
  EXPECT_DOUBLE_EQ(series.at("mode=\"idle\"") / series.at("mode=\"user\""), 10);
}

TEST_F(HostSeriesOf, Pressure) {
  write("proc/pressure/io",
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n"
        "full avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n");
  EXPECT_THAT(read(watch::read_pressure, "gpuwright_node_pressure_waiting_seconds"),
              UnorderedElementsAre(Pair("resource=\"io\",tasks=\"some\"", 2.5),
                                   Pair("resource=\"io\",tasks=\"full\"", 1.0)));
}

TEST_F(HostSeriesOf, Numa) {
  write("sys/devices/system/node/node0/numastat", "numa_hit 9\nnuma_miss 3\nnuma_foreign 4\n");
  write("sys/devices/system/node/node1/numastat", "numa_hit 9\nnuma_miss 0\n");
  write("sys/devices/system/node/online", "0-1\n");
  EXPECT_THAT(read(watch::read_numa, "gpuwright_node_numa_misses"),
              UnorderedElementsAre(Pair("numa_node=\"0\"", 3.0), Pair("numa_node=\"1\"", 0.0)));
}

TEST_F(HostSeriesOf, DisksAreWholeDisksOnly) {
  for (const char* name : {"loop0", "dm-0", "md127"})
    link(std::string("sys/block/") + name, "../devices/virtual/block/x");
  link("sys/block/nvme0n1", "../devices/pci0000:00/0000:00:01.0/nvme/nvme0/nvme0n1");
  write("proc/diskstats",
        " 259 0 nvme0n1 10 0 100 5 20 0 200 6 0 1500 11 0 0 0 0\n"
        " 259 1 nvme0n1p1 10 0 100 5 20 0 200 6 0 1500 11\n 253 0 dm-0 1 0 1 1 1 0 1 1 0 1 1\n");
  EXPECT_THAT(read(watch::read_disks, "gpuwright_node_disk_bytes"),
              UnorderedElementsAre(Pair("disk=\"nvme0n1\",direction=\"read\"", 51'200.0),
                                   Pair("disk=\"nvme0n1\",direction=\"written\"", 102'400.0)));
  EXPECT_THAT(read(watch::read_disks, "gpuwright_node_disk_busy_seconds"),
              UnorderedElementsAre(Pair("disk=\"nvme0n1\"", 1.5)));
}

const char* const kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
    "colls\n"
    "    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n"
    "  eth0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n"
    "veth12: 7 7 0 0 0 0 0 0 7 7 0 0 0 0 0 0\n"
    " bond0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n";

TEST_F(HostSeriesOf, NetworkCardsButNothingAboveThem) {
  link("sys/class/net/lo", "../../devices/virtual/net/lo");
  link("sys/class/net/veth12", "../../devices/virtual/net/veth12");
  link("sys/class/net/bond0", "../../devices/virtual/net/bond0");
  link("sys/class/net/eth0", "../../devices/pci0000:00/0000:00:02.0/net/eth0");
  write("proc/net/dev", kNetDev);
  EXPECT_THAT(read(watch::read_network, "gpuwright_node_network_bytes"),
              UnorderedElementsAre(Pair("interface=\"eth0\",direction=\"received\"", 1000.0),
                                   Pair("interface=\"eth0\",direction=\"sent\"", 2000.0)));
  EXPECT_THAT(read(watch::read_network, "gpuwright_node_network_errors"),
              UnorderedElementsAre(Pair("interface=\"eth0\",direction=\"received\",kind=\"errors\"", 1.0),
                                   Pair("interface=\"eth0\",direction=\"received\",kind=\"dropped\"", 2.0),
                                   Pair("interface=\"eth0\",direction=\"sent\",kind=\"errors\"", 3.0),
                                   Pair("interface=\"eth0\",direction=\"sent\",kind=\"dropped\"", 4.0)));
}

TEST_F(HostSeriesOf, InAContainerItsVirtualEndCounts) {
  link("sys/class/net/lo", "../../devices/virtual/net/lo");
  link("sys/class/net/eth0", "../../devices/virtual/net/eth0");
  write("proc/net/dev", kNetDev);
  EXPECT_EQ(read(watch::read_network, "gpuwright_node_network_bytes").size(), 2U);
}

TEST_F(HostSeriesOf, RdmaPorts) {
  const std::string counters = "sys/class/infiniband/mlx5_0/ports/1/counters/";
  write(counters + "port_xmit_data", "250\n");
  write(counters + "port_rcv_data", "100\n");
  write(counters + "symbol_error", "2\n");
  EXPECT_THAT(read(watch::read_rdma, "gpuwright_node_rdma_bytes"),
              UnorderedElementsAre(Pair("device=\"mlx5_0\",port=\"1\",direction=\"sent\"", 1000.0),
                                   Pair("device=\"mlx5_0\",port=\"1\",direction=\"received\"", 400.0)));
  EXPECT_THAT(read(watch::read_rdma, "gpuwright_node_rdma_errors"),
              UnorderedElementsAre(Pair("device=\"mlx5_0\",port=\"1\",kind=\"symbol\"", 2.0)));
}

TEST_F(HostSeriesOf, PcieErrorsOfGpusAndNetworkCards) {
  const auto device = [this](const std::string& name, const char* kind, const char* vendor) {
    const std::string folder = "sys/bus/pci/devices/" + name + "/";
    write(folder + "class", kind);
    write(folder + "vendor", vendor);
    write(folder + "aer_dev_correctable", "RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3\n");
    write(folder + "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 0\n");
  };
  device("0000:3b:00.0", "0x030200\n", "0x10de\n");
  device("0000:5e:00.0", "0x020700\n", "0x15b3\n");
  device("0000:00:02.0", "0x030000\n", "0x8086\n");
  device("0000:01:00.0", "0x010802\n", "0x144d\n");
  EXPECT_THAT(read(watch::read_pcie_errors, "gpuwright_node_pcie_aer_errors"),
              UnorderedElementsAre(Pair("pci=\"0000:3b:00.0\",severity=\"correctable\"", 3.0),
                                   Pair("pci=\"0000:3b:00.0\",severity=\"fatal\"", 0.0),
                                   Pair("pci=\"0000:5e:00.0\",severity=\"correctable\"", 3.0),
                                   Pair("pci=\"0000:5e:00.0\",severity=\"fatal\"", 0.0)));
}

TEST_F(HostSeriesOf, AMachineWithoutAnythingSaysNothing) {
  watch::HostLook look(folder_.path());
  for (const watch::HostReader& reader : watch::host_readers()) reader.read(look);
  EXPECT_THAT(look.take(), IsEmpty());
}

TEST_F(HostSeriesOf, NamesCannotBreakTheText) {
  EXPECT_EQ(watch::label_part("disk", "a\"b\\c\nd}"), "disk=\"a_b_c_d_\"");
  EXPECT_LT(watch::label_part("disk", std::string(10'000, 'a')).size(), 80U);
}

TEST(HostSeries, OfThisMachineEachHasAFamily) {
  watch::HostLook look("");
  for (const watch::HostReader& reader : watch::host_readers()) reader.read(look);
  const auto series = look.take();
  EXPECT_GT(series.size(), 10U);
  const auto& families = knowledge().metrics().families;
  for (const model::HostSeries& one : series) {
    EXPECT_TRUE(std::any_of(families.begin(), families.end(), [&one](const auto& row) {
      return row.name == one.family && row.scope == "node";
    })) << one.family;
  }
}

}  // namespace
}  // namespace gpuwright::tests
