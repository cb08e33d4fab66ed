// What DKMS, lsmod, modinfo, package managers and Docker say about the driver's pieces.
// SPDX-License-Identifier: Apache-2.0
#include "parse/driver_formats.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using Parser = bool (*)(std::string_view, const parse::BlockContext&, const catalog::Catalog&,
                        model::Observations&);

std::vector<model::Event> events(Parser parser, const std::string& text) {
  model::Observations out;
  const bool found = parser(text, parse::BlockContext{"input", 11}, knowledge(), out);
  EXPECT_EQ(found, !out.events.empty());
  return out.events;
}

TEST(DkmsStatus, ReadsTheNewSpelling) {
  const auto rows = events(parse::parse_dkms_status,
                           "nvidia/580.65.06, 6.8.0-60-generic, x86_64: installed\n"
                           "nvidia/580.65.06, 6.8.0-58-generic, x86_64: built\n"
                           "zfs/2.2.2, 6.8.0-60-generic, x86_64: installed\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].params.at("version"), "580.65.06");
  EXPECT_EQ(rows[0].params.at("kernel"), "6.8.0-60-generic");
  EXPECT_EQ(rows[0].params.at("state"), "installed");
  EXPECT_EQ(rows[0].evidence.front().line, 11);
  EXPECT_EQ(rows[1].params.at("state"), "built");
  EXPECT_EQ(rows[1].evidence.front().line, 12);
}

TEST(DkmsStatus, ReadsTheOldSpellingAndWarningsBehindTheState) {
  const auto rows = events(
      parse::parse_dkms_status,
      "nvidia, 470.57.02, 5.4.0-80-generic, x86_64: installed (WARNING! Diff between built and installed)\n"
      "nvidia-srv/535.183.01: added\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].params.at("version"), "470.57.02");
  EXPECT_EQ(rows[0].params.at("state"), "installed");
  EXPECT_EQ(rows[1].params.at("state"), "added");
  EXPECT_EQ(rows[1].params.count("kernel"), 0u);
}

TEST(Lsmod, NamesTheModulesThatMatterAndSkipsTheRest) {
  const auto rows = events(parse::parse_lsmod,
                           "Module                  Size  Used by\n"
                           "nvidia_uvm           1789952  4\n"
                           "nvidia              56823808  80 nvidia_uvm,nvidia_modeset\n"
                           "nouveau              2400000  0\n"
                           "ext4                  900000  1\n");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].params.at("module"), "nvidia");
  EXPECT_EQ(rows[1].params.at("used_by"), "80");
  EXPECT_EQ(rows[2].params.at("module"), "nouveau");
}

TEST(Lsmod, ReadsProcModules) {
  const auto rows =
      events(parse::parse_lsmod, "nvidia 56823808 1 nvidia_modeset, Live 0x0000000000000000 (POE)\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].params.at("module"), "nvidia");
}

TEST(Modinfo, TellsFlavourVersionAndKernel) {
  const auto open = events(parse::parse_modinfo,
                           "filename:       /lib/modules/6.8.0-60-generic/updates/dkms/nvidia.ko.zst\n"
                           "version:        580.65.06\nlicense:        Dual MIT/GPL\n"
                           "vermagic:       6.8.0-60-generic SMP preempt mod_unload modversions\n");
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].params.at("flavour"), "open");
  EXPECT_EQ(open[0].params.at("version"), "580.65.06");
  EXPECT_EQ(open[0].params.at("kernel"), "6.8.0-60-generic");
  const auto proprietary = events(parse::parse_modinfo,
                                  "filename:       /lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko\n"
                                  "license:        NVIDIA\n");
  ASSERT_EQ(proprietary.size(), 1u);
  EXPECT_EQ(proprietary[0].params.at("flavour"), "proprietary");
}

TEST(Modinfo, OfAnotherModuleSaysNothing) {
  EXPECT_TRUE(events(parse::parse_modinfo,
                     "filename:       /lib/modules/6.8.0/kernel/fs/ext4/ext4.ko\nlicense:        GPL\n")
                  .empty());
}

TEST(Packages, CutsTheDistributionPartOffTheVersion) {
  const auto rows =
      events(parse::parse_packages,
             "ii  libnvidia-compute-580:amd64  580.65.06-0ubuntu0.24.04.1 amd64 NVIDIA libcompute\n"
             "rc  nvidia-driver-570  570.133.20-0ubuntu1  amd64  NVIDIA driver\n"
             "nvidia-fabric-manager-580.82.07-1.el9.x86_64\n"
             "kmod-nvidia-open-dkms-3:580.65.06-1.el9.noarch\n"
             "ii  nginx  1.24.0  amd64  web server\n");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].params.at("package"), "libnvidia-compute-580");
  EXPECT_EQ(rows[0].params.at("version"), "580.65.06");
  EXPECT_EQ(rows[1].params.at("state"), "rc");
  EXPECT_EQ(rows[2].params.at("package"), "nvidia-fabric-manager");
  EXPECT_EQ(rows[2].params.at("version"), "580.82.07");
  EXPECT_EQ(rows[3].params.at("version"), "580.65.06");
}

TEST(DockerInfo, SaysWhetherAnNvidiaRuntimeIsThere) {
  const auto without =
      events(parse::parse_docker_info, " Server Version: 27.1.1\n Runtimes: io.containerd.runc.v2 runc\n");
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0].params.at("nvidia"), "no");
  const auto with = events(parse::parse_docker_info, " Runtimes: io.containerd.runc.v2 nvidia runc\n");
  EXPECT_EQ(with.at(0).params.at("nvidia"), "yes");
  const auto device =
      events(parse::parse_docker_info, " Discovered Devices:\n  cdi: nvidia.com/gpu=all\n Runtimes: runc\n");
  EXPECT_EQ(device.at(0).params.at("nvidia"), "yes");
}

TEST(DriverStack, SurvivesCutEmptyAndHostileText) {
  const std::string hostile[] = {"",
                                 "\n",
                                 ":",
                                 "nvidia/",
                                 "nvidia, ",
                                 "nvidia, : x",
                                 std::string("\0nvidia/1: added", 15),
                                 "ii  nvidia-",
                                 "nvidia--",
                                 "-nvidia-",
                                 std::string(100'000, 'x'),
                                 "filename:"};
  for (const std::string& text : hostile) {
    model::Observations out;
    for (const Parser parser : {parse::parse_dkms_status, parse::parse_lsmod, parse::parse_modinfo,
                                parse::parse_packages, parse::parse_docker_info, parse::parse_kubectl})
      parser(text, parse::BlockContext{"input", 1}, knowledge(), out);
    for (const model::Event& event : out.events) EXPECT_FALSE(event.evidence.empty()) << event.signal;
  }
}

}  // namespace
}  // namespace gpuwright::tests
