// SPDX-License-Identifier: Apache-2.0
#include "parse/bmc_formats.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gpuwright::tests {
namespace {

std::string data(const std::string& name) {
  return read_file(source_dir() + "/tests/data/bmc/" + name);
}

TEST(IpmiSel, ReadsWhatIpmitoolPrinted) {
  model::Observations out;
  ASSERT_TRUE(parse::parse_ipmi_sel(data("sel_elist.txt"), {"sel.txt", 1}, knowledge(), out));
  ASSERT_EQ(out.bmc_log.size(), 18U);
  EXPECT_EQ(out.bmc_log[0].sensor, "Power Supply #0x51");
  EXPECT_EQ(out.bmc_log[0].description, "Failure detected");
  EXPECT_TRUE(out.bmc_log[0].asserted);
  EXPECT_EQ(out.bmc_log[15].description, "Power Supply AC lost");
  EXPECT_FALSE(out.bmc_log[15].asserted);
  EXPECT_EQ(out.bmc_log[15].evidence.line, 16);
}

TEST(IpmiSel, ReadsDatedEntries) {
  model::Observations out;
  parse::parse_ipmi_sel("  1f | 01/02/2026 | 03:04:05 UTC | Memory DIMM_A1 | Uncorrectable ECC | Asserted\n",
                        {"sel.txt", 1}, knowledge(), out);
  ASSERT_EQ(out.bmc_log.size(), 1U);
  EXPECT_EQ(out.bmc_log[0].sensor, "Memory DIMM_A1");
}

TEST(IpmiSel, ReadsTheClockInItsSpellings) {
  constexpr std::int64_t kAfternoon = 1'746'976'269'000'000'000;  // 2025-05-11 15:11:09
  const auto time_of = [](const std::string& date, const std::string& clock) {
    model::Observations out;
    parse::parse_ipmi_sel(" 1 | " + date + " | " + clock + " | Fan FAN5 | x | Asserted\n", {"x", 1},
                          knowledge(), out);
    return out.bmc_log.empty() ? std::optional<std::int64_t>(-1) : out.bmc_log[0].time.wall_ns;
  };
  EXPECT_EQ(time_of("05/11/2025", "15:11:09"), kAfternoon);
  EXPECT_EQ(time_of("05/11/25", "03:11:09 PM EDT"), kAfternoon);
  EXPECT_EQ(time_of("05/11/2025", "15:11:09 UTC"), kAfternoon);
  EXPECT_EQ(time_of("Pre-Init", "0000000123"), std::nullopt);
  EXPECT_EQ(time_of("13/45/2025", "15:11:09"), std::nullopt);
}

TEST(IpmiSel, OtherTablesAreNotItsOwn) {
  model::Observations out;
  EXPECT_FALSE(parse::parse_ipmi_sel(data("sensor.txt"), {"x", 1}, knowledge(), out));
  EXPECT_FALSE(parse::parse_ipmi_sel("| a | b |\n||||||\n", {"x", 1}, knowledge(), out));
  EXPECT_FALSE(parse::parse_ipmi_sel("", {"x", 1}, knowledge(), out));
  EXPECT_TRUE(out.bmc_log.empty());
}

TEST(IpmiSensors, ReadsTheThreeLayouts) {
  for (const char* name : {"sdr_list.txt", "sdr_elist.txt", "sensor.txt"}) {
    model::Observations out;
    ASSERT_TRUE(parse::parse_ipmi_sensors(data(name), {name, 1}, knowledge(), out)) << name;
    ASSERT_EQ(out.bmc_sensors.size(), 1U) << name;
    EXPECT_EQ(out.bmc_sensors[0].name, "GPU0 TMP") << name;
    EXPECT_EQ(out.bmc_sensors[0].status, "ok") << name;
    EXPECT_NE(out.bmc_sensors[0].reading.find("degrees C"), std::string::npos) << name;
  }
}

TEST(RedfishLog, ReadsEachEntry) {
  model::Observations out;
  ASSERT_TRUE(parse::parse_redfish_log(data("redfish_log.json"), {"log.json", 1}, knowledge(), out));
  ASSERT_EQ(out.bmc_log.size(), 3U);
  EXPECT_EQ(out.bmc_log[0].severity, "Critical");
  EXPECT_EQ(out.bmc_log[0].description, "The power input for power supply 2 is lost.");
  EXPECT_EQ(out.bmc_log[0].evidence.line, 10);
  EXPECT_EQ(out.bmc_log[1].severity, "OK");
  EXPECT_TRUE(out.bmc_log[0].time.wall_ns.has_value());
}

TEST(RedfishLog, EveryCutIsReadAndNeverLoops) {
  const std::string text = data("redfish_log.json");
  for (std::size_t length = 0; length < text.size(); length += 7) {
    model::Observations out;
    parse::parse_redfish_log(text.substr(0, length), {"log.json", 1}, knowledge(), out);
    EXPECT_LE(out.bmc_log.size(), 3U);
  }
  model::Observations out;
  EXPECT_FALSE(parse::parse_redfish_log("\"\\\"{}}}}:::\"\\", {"x", 1}, knowledge(), out));
}

}  // namespace
}  // namespace gpuwright::tests
