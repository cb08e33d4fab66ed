// Judges what the BMC recorded. Entries are classed by what the IPMI specification calls the event (table
// 42-3: sensor type and offset), and by the words that server vendors use for the same things. A condition
// whose last entry says that it ended is kept as context only.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_bmc.h"

#include "base/text.h"
#include "model/bmc_report.h"
#include "rules/net_events.h"

#include <array>
#include <map>
#include <string_view>

namespace gpuwright::rules {
namespace {

using model::BmcLogEntry;
using model::Event;
using model::EventLevel;

constexpr const char* kId = "bmc";

/// An entry belongs to the first row whose words are all in "sensor | description", in lower case. An empty
/// word always is.
struct Class {
  const char* sensor;
  const char* words;
  const char* signal;
};
constexpr std::array<Class, 61> kClasses = {{
    {"power supply", "redundancy lost", "bmc.power_redundancy_lost"},
    {"power supply", "redundancy degraded", "bmc.power_redundancy_lost"},
    {"ps redundancy", "redundancy lost", "bmc.power_redundancy_lost"},
    {"", "power supply redundancy is lost", "bmc.power_redundancy_lost"},
    {"", "power supply redundancy lost", "bmc.power_redundancy_lost"},
    {"power supply", "ac lost", "bmc.power_input_lost"},
    {"power supply", "input lost", "bmc.power_input_lost"},
    {"power supply", "input out-of-range", "bmc.power_input_lost"},
    {"", "power input for power supply", "bmc.power_input_lost"},
    {"", "power supply ac lost", "bmc.power_input_lost"},
    {"power supply", "failure detected", "bmc.psu_failure"},
    {"power supply", "predictive failure", "bmc.psu_failure"},
    {"power supply", "failed", "bmc.psu_failure"},
    {"power supply", "config error", "bmc.psu_failure"},
    {"psu", "failure", "bmc.psu_failure"},
    {"", "power supply failed", "bmc.psu_failure"},
    {"power unit", "redundancy lost", "bmc.power_redundancy_lost"},
    {"power unit", "ac lost", "bmc.power_input_lost"},
    {"power unit", "failure detected", "bmc.psu_failure"},
    {"power unit", "soft-power control failure", "bmc.psu_failure"},
    {"", "power limit exceeded", "bmc.power_limit"},
    {"", "power cap", "bmc.power_limit"},
    {"", "system power limit", "bmc.power_limit"},
    {"", "power brake", "bmc.power_limit"},
    {"power", "limit exceeded", "bmc.power_limit"},
    {"critical interrupt", "bus fatal error", "bmc.pcie_fatal"},
    {"critical interrupt", "bus uncorrectable error", "bmc.pcie_fatal"},
    {"critical interrupt", "pci serr", "bmc.pcie_fatal"},
    {"critical interrupt", "pci perr", "bmc.pcie_fatal"},
    {"critical interrupt", "fatal nmi", "bmc.pcie_fatal"},
    {"critical interrupt", "bus correctable error", "bmc.pcie_corrected"},
    {"critical interrupt", "bus degraded", "bmc.pcie_corrected"},
    {"", "a fatal error was detected on a component at bus", "bmc.pcie_fatal"},
    {"", "bus fatal error", "bmc.pcie_fatal"},
    {"", "fatal pcie", "bmc.pcie_fatal"},
    {"", "pcie fatal", "bmc.pcie_fatal"},
    {"", "pcie uncorrectable", "bmc.pcie_fatal"},
    {"", "a bus correctable error was detected", "bmc.pcie_corrected"},
    {"", "pcie correctable", "bmc.pcie_corrected"},
    {"memory", "uncorrectable", "bmc.memory_uncorrectable"},
    {"", "multi-bit memory error", "bmc.memory_uncorrectable"},
    {"", "uncorrectable memory", "bmc.memory_uncorrectable"},
    {"memory", "correctable ecc", "bmc.memory_correctable"},
    {"", "correctable memory error", "bmc.memory_correctable"},
    {"memory", "logging limit", "bmc.memory_correctable"},
    {"temp", "upper critical going high", "bmc.temperature_critical"},
    {"temp", "upper non-recoverable going high", "bmc.temperature_critical"},
    {"", "temperature is greater than the upper critical", "bmc.temperature_critical"},
    {"", "over temperature", "bmc.temperature_critical"},
    {"fan", "lower critical going low", "bmc.fan_failure"},
    {"fan", "lower non-recoverable going low", "bmc.fan_failure"},
    {"fan", "failure", "bmc.fan_failure"},
    {"fan", "redundancy lost", "bmc.fan_failure"},
    {"processor", "ierr", "bmc.processor_error"},
    {"processor", "thermal trip", "bmc.processor_error"},
    {"processor", "machine check", "bmc.processor_error"},
    {"watchdog", "hard reset", "bmc.watchdog"},
    {"slot / connector", "fault status", "bmc.slot_fault"},
    {"drive", "drive fault", "bmc.drive_fault"},
    {"drive", "predictive failure", "bmc.drive_fault"},
    {"drive", "in critical array", "bmc.drive_fault"},
}};

std::string signal_of(const BmcLogEntry& entry) {
  const std::string sensor = base::lower(entry.sensor);
  const std::string words = base::lower(entry.description);
  for (const Class& row : kClasses) {
    const bool fits = base::contains(sensor, row.sensor) && base::contains(words, row.words);
    // "Uncorrectable ECC" holds "correctable ecc": the stricter row stands first.
    if (fits) return row.signal;
  }
  return {};
}

/// One event per signal and sensor.
void judge_log(const std::vector<BmcLogEntry>& log, std::vector<Event>& events) {
  std::map<std::string, Event> by_key;
  for (const BmcLogEntry& entry : log) {
    const std::string signal = signal_of(entry);
    if (signal.empty() || entry.severity == "OK") continue;
    const std::string key = signal + "\n" + entry.sensor;
    const auto known = by_key.find(key);
    if (!entry.asserted) {
      if (known != by_key.end()) known->second.level = EventLevel::Context;
      continue;
    }
    if (known != by_key.end()) {
      known->second.level = EventLevel::Alarm;
      add_occurrence(known->second, entry.evidence);
      known->second.last = entry.time;
      continue;
    }
    Event event = derived_event(signal, kId, {}, entry.evidence);
    event.params["sensor"] = entry.sensor;
    event.params["message"] = entry.description;
    event.first = entry.time;
    event.last = entry.time;
    by_key.emplace(key, std::move(event));
  }
  for (auto& entry : by_key) events.push_back(std::move(entry.second));
}

std::string sensor_signal(const model::BmcSensor& sensor) {
  const std::string reading = base::lower(sensor.reading);
  if (base::contains(reading, "degrees")) return "bmc.temperature_critical";
  if (base::contains(reading, "rpm")) return "bmc.fan_failure";
  if (base::contains(reading, "volts")) return "bmc.voltage_critical";
  if (base::contains(reading, "watts") || base::contains(reading, "amps")) return "bmc.power_limit";
  BmcLogEntry entry;
  entry.sensor = base::contains(base::lower(sensor.name), "ps") ? "power supply " + sensor.name : sensor.name;
  entry.description = sensor.reading;
  return signal_of(entry);
}

/// "cr", "nr" and their threshold forms; a non-critical threshold is no fault.
bool is_critical(const std::string& status) {
  return status == "cr" || status == "nr" || status == "lcr" || status == "lnr" || status == "ucr" ||
         status == "unr";
}

void judge_sensors(const std::vector<model::BmcSensor>& sensors, std::vector<Event>& events) {
  for (const model::BmcSensor& sensor : sensors) {
    const std::string reading = base::lower(sensor.reading);
    const bool words = base::contains(reading, "failure detected") || base::contains(reading, "ac lost") ||
                       base::contains(reading, "redundancy lost");
    if (!is_critical(sensor.status) && !words) continue;
    const std::string signal = sensor_signal(sensor);
    if (signal.empty()) continue;
    Event event = derived_event(signal, kId, {}, sensor.evidence);
    event.params["sensor"] = sensor.name;
    event.params["message"] = sensor.reading;
    events.push_back(std::move(event));
  }
}

}  // namespace

std::vector<Event> judge_bmc(const model::Observations& observations, const catalog::Catalog&) {
  std::vector<Event> events;
  judge_log(observations.bmc_log, events);
  judge_sensors(observations.bmc_sensors, events);
  return events;
}

}  // namespace gpuwright::rules
