// What people type instead of copying files.
// SPDX-License-Identifier: Apache-2.0
#include "host/typed.h"

#include <gtest/gtest.h>

namespace gpuwright::host {
namespace {

using Said = std::vector<std::pair<std::string, std::string>>;

TEST(SpokenName, IsOneWhateverTheCommandWasKeptAs) {
  EXPECT_EQ(spoken_name("cat_%2fproc%2fcmdline"), "cat__proc_cmdline");
  EXPECT_EQ(spoken_name("cat_/proc/cmdline"), "cat__proc_cmdline");
  EXPECT_EQ(spoken_name("sudo_dmesg"), "dmesg");
  EXPECT_EQ(spoken_name("oc_get_nodes"), "kubectl_get_nodes");
  EXPECT_EQ(spoken_name("microk8s_kubectl_get_nodes"), "kubectl_get_nodes");
}

TEST(Typed, CatIsTheFile) {
  const Typed typed(Said{{"cat__proc_cmdline", "ro quiet\n"}});
  EXPECT_EQ(typed.file("/proc/cmdline"), "ro quiet\n");
  EXPECT_FALSE(typed.file("/proc/version").has_value());
}

TEST(Typed, LspciIsTheBus) {
  const Typed typed(
      Said{{"lspci_-nnk",
            "1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100] [10de:2330] (rev a1)\n"
            "\tKernel driver in use: nvidia\n"
            "05:00.0 Bridge: NVIDIA Corporation GH100 [H100 NVSwitch]\n"}});
  const std::string folder = "/sys/bus/pci/devices/0000:1b:00.0/";
  EXPECT_EQ(typed.file(folder + "vendor"), "0x10de");
  EXPECT_EQ(typed.file(folder + "device"), "0x2330");
  EXPECT_EQ(typed.file(folder + "class"), "0x030200");
  EXPECT_EQ(typed.link(folder + "driver"), "../drivers/nvidia");
  EXPECT_EQ(typed.names("/sys/bus/pci/devices"), (std::vector<std::string>{"0000:05:00.0", "0000:1b:00.0"}));
  // Without -n nobody told the number, which does not make it absent.
  EXPECT_FALSE(typed.file("/sys/bus/pci/devices/0000:05:00.0/device").has_value());
  EXPECT_FALSE(typed.part_of("/sys/bus/pci/devices/0000:05:00.0/device").empty());
}

TEST(Typed, ALongListingTellsModesAndLinks) {
  const Typed typed(
      {{"ls_-l__dev_nvidia0", "crw-rw---- 1 root video 195,   0 Nov 29 06:00 /dev/nvidia0\n"},
       {"ls_-l__usr_lib_libcuda.so.1",
        "lrwxrwxrwx 1 root root 20 Nov 29 06:00 /usr/lib/libcuda.so.1 -> libcuda.so.580.95.05\n"}});
  const auto status = typed.status("/dev/nvidia0");
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->mode, 0660U);
  EXPECT_EQ(status->uid, 0);
  EXPECT_FALSE(status->gid.has_value());
  ASSERT_TRUE(status->device.has_value());
  EXPECT_EQ(typed.link("/usr/lib/libcuda.so.1"), "libcuda.so.580.95.05");
  EXPECT_FALSE(typed.part_of("/dev/nvidia1").empty());
}

TEST(Typed, GroupsAndRegionsAreRead) {
  const Typed typed(Said{{"lspci_-vv",
                          "1b:00.0 3D controller: NVIDIA Corporation GH100\n"
                          "\tRegion 2: Memory at 3c000000000 (64-bit, prefetchable) [size=128G]\n"
                          "\tIOMMU group: 14\n"}});
  EXPECT_EQ(typed.file("/sys/bus/pci/devices/0000:1b:00.0/resource"), "0x3c000000000 0x3dfffffffff 0x200\n");
  EXPECT_EQ(typed.names("/sys/kernel/iommu_groups/14/devices"), std::vector<std::string>{"0000:1b:00.0"});
}

TEST(Typed, ForeignTextIsNoFile) {
  const Typed typed(Said{{"lspci", "pcilib: Cannot open /proc/bus/pci\n[size=\n"},
                         {"ls_-l", "total 0\n"},
                         {"stat_x", "File:\nAccess: (\n"}});
  EXPECT_TRUE(typed.names("/").empty());
}

}  // namespace
}  // namespace gpuwright::host
