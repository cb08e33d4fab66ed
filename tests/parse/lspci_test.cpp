// SPDX-License-Identifier: Apache-2.0
#include "parse/lspci.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gpuwright::tests {
namespace {

const std::string kGpu =
    "3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)\n"
    "\tSubsystem: NVIDIA Corporation Device 16c1\n"
    "\tRegion 0: Memory at 214042000000 (64-bit, prefetchable) [size=16M]\n"
    "\tRegion 2: Memory at <unassigned> (64-bit, prefetchable)\n"
    "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L1, Exit Latency L1 <4us\n"
    "\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x4 (downgraded)\n"
    "\t\tUESta:\tDLP- SDES+ TLP- FCP- CmpltTO- CmpltAbrt- UnxCmplt- RxOF- MalfTLP- ECRC- UnsupReq+ ACSViol-\n"
    "\t\tCESta:\tRxErr+ BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr-\n"
    "\tKernel driver in use: nvidia\n"
    "\tKernel modules: nvidia\n";

model::Observations parsed(const std::string& text) {
  model::Observations out;
  parse::parse_lspci(text, {"lspci.txt", 11}, knowledge(), out);
  return out;
}

TEST(Lspci, ReadsLinkDriverRegionsAndErrorsOfAGpu) {
  const model::Observations out = parsed(kGpu);
  ASSERT_EQ(out.pci_devices.size(), 1U);
  const model::PciDevice& gpu = out.pci_devices[0];
  EXPECT_EQ(gpu.address, "0000:3b:00.0");
  EXPECT_EQ(gpu.class_name, "3D controller");
  EXPECT_EQ(gpu.vendor_id, "10de");
  EXPECT_EQ(gpu.device_id, "2330");
  EXPECT_TRUE(gpu.is_gpu());
  EXPECT_EQ(gpu.link.capable_speed.value(), 32.0);
  EXPECT_EQ(gpu.link.capable_width.value(), 16);
  EXPECT_EQ(gpu.link.speed.value(), 16.0);
  EXPECT_EQ(gpu.link.width.value(), 4);
  EXPECT_TRUE(gpu.link.width_downgraded);
  EXPECT_EQ(gpu.driver.value(), "nvidia");
  EXPECT_EQ(gpu.uncorrectable, (std::vector<std::string>{"SDES", "UnsupReq"}));
  EXPECT_EQ(gpu.correctable, (std::vector<std::string>{"RxErr"}));
  ASSERT_EQ(gpu.unassigned_regions.size(), 1U);
  EXPECT_EQ(gpu.unassigned_regions[0].line, 14);
  EXPECT_EQ(gpu.link.evidence.line, 17);
}

TEST(Lspci, ReadsAllSpellingsOfAnAddress) {
  EXPECT_EQ(parsed("0001:00:00.0 3D controller: NVIDIA Corporation Device 20b2\n").pci_devices[0].address,
            "0001:00:00.0");
  EXPECT_EQ(
      parsed("10000:e1:00.0 Non-Volatile memory controller: Intel Corporation Device\n").pci_devices.size(),
      1U);
}

TEST(Lspci, KnowsADeviceThatAnswersWithAllOnes) {
  const model::Observations out = parsed(
      "86:00.0 3D controller: NVIDIA Corporation Device 2330 (rev ff) (prog-if ff)\n\t!!! Unknown header "
      "type 7f\n");
  ASSERT_EQ(out.pci_devices.size(), 1U);
  EXPECT_TRUE(out.pci_devices[0].gone);
}

TEST(Lspci, ReadsBridgesAndTheirAccessControl) {
  const model::Observations out = parsed(
      "39:01.0 PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0) (prog-if 00 [Normal decode])\n"
      "\tBus: primary=39, secondary=3b, subordinate=3c, sec-latency=0\n"
      "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n");
  ASSERT_EQ(out.pci_devices.size(), 1U);
  EXPECT_EQ(out.pci_devices[0].secondary_bus.value(), 0x3b);
  EXPECT_EQ(out.pci_devices[0].subordinate_bus.value(), 0x3c);
  EXPECT_TRUE(out.pci_devices[0].acs_redirect.value());
}

TEST(Lspci, WhatIsNotShownIsAbsent) {
  const model::Observations out = parsed(
      "3b:00.0 3D controller: NVIDIA Corporation Device 2330 (rev a1)\n"
      "\tCapabilities: <access denied>\n");
  ASSERT_EQ(out.pci_devices.size(), 1U);
  EXPECT_TRUE(out.pci_devices[0].access_denied);
  EXPECT_FALSE(out.pci_devices[0].link.width.known());
  EXPECT_FALSE(out.pci_devices[0].driver.known());
}

TEST(Lspci, APieceWithoutTheDevicesLineStillHasALink) {
  const model::Observations out =
      parsed("\t\tLnkCtl:\tASPM Disabled\n\t\tLnkSta:\tSpeed 5GT/s (downgraded), Width x1 (downgraded)\n");
  ASSERT_EQ(out.pci_devices.size(), 1U);
  EXPECT_TRUE(out.pci_devices[0].address.empty());
  EXPECT_EQ(out.pci_devices[0].link.width.value(), 1);
}

TEST(Lspci, EmptyCutAndForeignTextGiveNoDevice) {
  EXPECT_TRUE(parsed("").pci_devices.empty());
  EXPECT_TRUE(parsed("3b:00.0").pci_devices.empty());
  EXPECT_TRUE(parsed(std::string("\0\xff\n:\n..:.\n", 9)).pci_devices.empty());
  EXPECT_TRUE(parsed("[    1.0] pci 0000:3b:00.0: [10de:2330] type 00 class 0x030200\n").pci_devices.empty());
}

TEST(Lspci, EveryCutOfAListingIsRead) {
  for (std::size_t length = 0; length < kGpu.size(); ++length) {
    const model::Observations out = parsed(kGpu.substr(0, length));
    EXPECT_LE(out.pci_devices.size(), 1U) << length;
  }
}

TEST(Lspci, TheA100ListingHasEightGpusAndSixSwitches) {
  const auto out = parsed(read_file(source_dir() + "/tests/data/captures/lspci/lspci_nn_a100.txt"));
  const auto count = [&](auto is) {
    return std::count_if(out.pci_devices.begin(), out.pci_devices.end(), is);
  };
  EXPECT_EQ(count([](const model::PciDevice& device) { return device.is_gpu(); }), 8);
  EXPECT_EQ(count([](const model::PciDevice& device) { return device.is_nvswitch(); }), 6);
  EXPECT_EQ(count([](const model::PciDevice& device) { return device.is_nic(); }), 9);
}

}  // namespace
}  // namespace gpuwright::tests
