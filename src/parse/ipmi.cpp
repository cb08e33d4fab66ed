// ipmitool prints one entry a line, fields between bars: number, date, time, sensor, what happened, asserted
// or not. Before the clock is set the date reads "Pre-Init" and the time is a bare count. Sensor lists have
// three bars (sdr list), five (sdr elist) or ten (sensor). Source: ipmitool, lib/ipmi_sel.c, lib/ipmi_sdr.c,
// lib/ipmi_sensor.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/bmc_formats.h"
#include "parse/line_prefix.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxEntries = 20'000;

std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> out;
  for (const std::string_view piece : base::split(line.substr(0, 1'000), '|'))
    out.push_back(base::trim(piece));
  return out;
}

/// "05/11/2025" or "05/11/25" and "03:11:09", "03:11:09 UTC" or "03:11:09 AM EDT", on the BMC's clock.
model::EventTime entry_time(std::string_view date, std::string_view clock) {
  const auto part = base::split(date, '/');
  const auto words = base::words(clock);
  if (part.size() != 3 || words.empty() || words[0].size() != 8) return {};
  const std::string year = (part[2].size() == 2 ? "20" : "") + std::string(part[2]);
  const auto hour = base::parse_int(words[0].substr(0, 2));
  if (!hour) return {};
  const std::string_view half = words.size() > 1 ? words[1] : std::string_view();
  const std::int64_t noon = half == "PM" && *hour < 12 ? 12 : half == "AM" && *hour == 12 ? -12 : 0;
  const std::string text =
      fmt::format("{}-{}-{} {:02}{}", year, part[0], part[1], *hour + noon, words[0].substr(2));
  return read_line_prefix(text).time;
}

bool is_sensor_status(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords = {"ok",  "ns",  "nc",  "cr",  "nr",  "na",
                                                              "lnc", "lcr", "lnr", "unc", "ucr", "unr"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

/// Fields of one sensor line in any of the three layouts; false for anything else.
bool read_sensor(const std::vector<std::string_view>& part, model::BmcSensor& sensor) {
  std::size_t status = 0;
  std::size_t reading = 1;
  if (part.size() == 3) {
    status = 2;
  } else if (part.size() == 5 && part[1].size() <= 4 && !part[1].empty() && part[1].back() == 'h') {
    status = 2;
    reading = 4;
  } else if (part.size() >= 10) {
    status = 3;
  }
  if (status == 0 || part[0].empty() || !is_sensor_status(part[status])) return false;
  sensor.name = base::printable(part[0], 60);
  sensor.reading = base::printable(part[reading], 120);
  if (part.size() >= 10) sensor.reading += " " + base::printable(part[2], 40);
  sensor.status = std::string(part[status]);
  return true;
}

}  // namespace

bool parse_ipmi_sel(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                    model::Observations& out) {
  const std::size_t before = out.bmc_log.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.bmc_log.size() - before >= kMaxEntries) break;
    const auto part = fields(line);
    // Without an entry's number in front, date and time as second and third, this is another table.
    if (part.size() < 5 || !base::parse_hex(part[0])) continue;
    const bool dated = base::contains(part[1], "/") || part[1] == "Pre-Init";
    if (!dated) continue;
    model::BmcLogEntry entry;
    entry.sensor = base::printable(part[3], 80);
    entry.description = base::printable(part[4], 160);
    entry.asserted = part.size() < 6 || part[5] != "Deasserted";
    entry.time = entry_time(part[1], part[2]);
    entry.evidence = block_evidence(context, here, line);
    out.bmc_log.push_back(std::move(entry));
  }
  return out.bmc_log.size() > before;
}

bool parse_ipmi_sensors(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                        model::Observations& out) {
  const std::size_t before = out.bmc_sensors.size();
  std::size_t index = 0;
  for (const std::string_view line : base::lines(block)) {
    const std::size_t here = index++;
    if (out.bmc_sensors.size() - before >= kMaxEntries) break;
    model::BmcSensor sensor;
    if (!read_sensor(fields(line), sensor)) continue;
    sensor.evidence = block_evidence(context, here, line);
    out.bmc_sensors.push_back(std::move(sensor));
  }
  return out.bmc_sensors.size() > before;
}

}  // namespace gpuwright::parse
