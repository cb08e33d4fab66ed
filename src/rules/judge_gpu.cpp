// A board's own limits come first; the others stand in data/thresholds.csv with their sources. What the flags
// mean: NVIDIA's GPU memory error management guide, the dynamic page retirement guide and nvml.h (clock
// reasons). Idle clocks, application clocks and the software power cap are how a healthy GPU behaves.
// SPDX-License-Identifier: Apache-2.0
#include "rules/judge_gpu.h"

#include "base/text.h"
#include "rules/gpu_identity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace gpuwright::rules {
namespace {

using model::Event;
using model::EventLevel;
using model::Evidence;
using model::Field;
using model::GpuReport;

/// Collects the events of one report.
class Emitter {
 public:
  Emitter(const GpuReport& report, model::Subject subject, const catalog::Catalog& catalog,
          std::vector<Event>& out)
      : report_(report), subject_(std::move(subject)), catalog_(catalog), out_(out) {}

  const GpuReport& report() const { return report_; }
  /// Of data/thresholds.csv.
  double limit(const char* id) const { return catalog_.threshold(id); }

  /// A new event with the identity of the GPU among its parameters.
  Event& raise(const char* signal) {
    Event event = gpu_event("gpu", signal, subject_);
    if (report_.index.known()) event.params["gpu_index"] = std::to_string(report_.index.value());
    if (report_.uuid.known()) event.params["uuid"] = report_.uuid.value();
    if (report_.name.known()) event.params["name"] = report_.name.value();
    event.params["bus_id"] = handle();
    out_.push_back(std::move(event));
    return out_.back();
  }

  /// Adds the line of a field as proof.
  template <class T>
  void prove(Event& event, const Field<T>& field) const {
    const Evidence* line = field.known() ? report_.line_of(field) : nullptr;
    if (line == nullptr || event.evidence.size() >= 4) return;
    if (std::find(event.evidence.begin(), event.evidence.end(), *line) == event.evidence.end())
      event.evidence.push_back(*line);
  }

  template <class T>
  Event& raise(const char* signal, const Field<T>& field) {
    Event& event = raise(signal);
    prove(event, field);
    return event;
  }

 private:
  /// What `nvidia-smi -i` takes for this GPU.
  std::string handle() const {
    if (report_.pci.known()) return report_.pci.value();
    if (subject_.id.find(':') != std::string::npos) return subject_.id + ".0";
    if (report_.index.known()) return std::to_string(report_.index.value());
    return report_.uuid.known() ? report_.uuid.value() : std::string("INDEX");
  }

  const GpuReport& report_;
  model::Subject subject_;
  const catalog::Catalog& catalog_;
  std::vector<Event>& out_;
};

bool reaches(std::int64_t value, double limit) {
  return static_cast<double>(value) >= limit;
}

bool is_true(const Field<bool>& field) {
  return field.known() && field.value();
}
bool is_false(const Field<bool>& field) {
  return field.known() && !field.value();
}
std::int64_t count_of(const Field<std::int64_t>& field) {
  return field.known() ? field.value() : 0;
}
std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string whole(double value) {
  return fmt::format("{:.0f}", std::trunc(value));
}

void judge_row_remapping(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const std::int64_t rows = count_of(gpu.remapped_uncorrected);
  const auto with_counts = [&](Event& event) {
    event.params["uncorrectable"] = number(rows);
    event.params["correctable"] = number(count_of(gpu.remapped_corrected));
    emit.prove(event, gpu.remapped_uncorrected);
  };
  bool bad = false;
  if (is_true(gpu.remap_failed)) with_counts(emit.raise("gpu.remap_failed", gpu.remap_failed)), bad = true;
  if (is_true(gpu.remap_pending)) with_counts(emit.raise("gpu.remap_pending", gpu.remap_pending)), bad = true;
  if (reaches(rows, emit.limit("gpu.remap_uncorrectable_limit")))
    with_counts(emit.raise("gpu.remap_limit", gpu.remapped_uncorrected)), bad = true;
  if (count_of(gpu.banks_none) > 0) {
    Event& event = emit.raise("gpu.remap_bank_exhausted", gpu.banks_none);
    event.params["banks"] = number(gpu.banks_none.value());
    with_counts(event);
    bad = true;
  }
  if (!bad && count_of(gpu.banks_low) > 0) {
    Event& event = emit.raise("gpu.remap_bank_low", gpu.banks_low);
    event.params["banks"] = number(gpu.banks_low.value());
    with_counts(event);
    bad = true;
  }
  if (!bad && rows > 0) with_counts(emit.raise("gpu.row_remapped", gpu.remapped_uncorrected));
}

void judge_retired_pages(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const std::int64_t pages = count_of(gpu.retired_single_bit) + count_of(gpu.retired_double_bit);
  const auto with_counts = [&](Event& event) {
    event.params["pages"] = number(pages);
    event.params["double_bit"] = number(count_of(gpu.retired_double_bit));
    emit.prove(event, gpu.retired_double_bit);
    emit.prove(event, gpu.retired_single_bit);
  };
  const bool at_limit = reaches(pages, emit.limit("gpu.retired_pages_limit"));
  const bool many = reaches(count_of(gpu.retired_double_bit), emit.limit("gpu.retired_pages_soft"));
  if (at_limit) with_counts(emit.raise("gpu.retired_pages_limit"));
  if (is_true(gpu.retirement_pending))
    with_counts(emit.raise("gpu.retired_pages_pending", gpu.retirement_pending));
  if (pages > 0 && !at_limit && !is_true(gpu.retirement_pending))
    with_counts(emit.raise(many ? "gpu.retired_pages_many" : "gpu.retired_pages_some"));
}

void judge_ecc(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const std::int64_t sram = std::max(count_of(gpu.volatile_sram_uncorrected),
                                     count_of(gpu.volatile_sram_parity) + count_of(gpu.volatile_sram_secded));
  const std::int64_t dram = count_of(gpu.volatile_dram_uncorrected);
  const std::int64_t now =
      std::max({sram + dram, count_of(gpu.volatile_total_uncorrected), count_of(gpu.uncorrected_cell)});
  if (now > 0) {
    Event& event = emit.raise("gpu.ecc_uncorrected");
    event.params["count"] = number(now);
    event.params["sram"] = number(sram);
    event.params["dram"] = number(dram);
    for (const Field<std::int64_t>* field :
         {&gpu.volatile_dram_uncorrected, &gpu.volatile_sram_uncorrected, &gpu.volatile_sram_parity,
          &gpu.volatile_sram_secded, &gpu.volatile_total_uncorrected, &gpu.uncorrected_cell})
      if (count_of(*field) > 0) emit.prove(event, *field);
  }
  const std::int64_t past_sram =
      std::max(count_of(gpu.aggregate_sram_uncorrected),
               count_of(gpu.aggregate_sram_parity) + count_of(gpu.aggregate_sram_secded));
  const std::int64_t past = std::max(past_sram + count_of(gpu.aggregate_dram_uncorrected),
                                     count_of(gpu.aggregate_total_uncorrected));
  if (now == 0 && past > 0) {
    Event& event = emit.raise("gpu.ecc_uncorrected_past");
    event.params["count"] = number(past);
    for (const Field<std::int64_t>* field :
         {&gpu.aggregate_dram_uncorrected, &gpu.aggregate_sram_uncorrected, &gpu.aggregate_sram_parity,
          &gpu.aggregate_sram_secded, &gpu.aggregate_total_uncorrected})
      if (count_of(*field) > 0) emit.prove(event, *field);
  }
  if (is_true(gpu.sram_threshold_exceeded)) emit.raise("gpu.sram_threshold", gpu.sram_threshold_exceeded);
}

void judge_corrected(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const std::int64_t since_reset =
      std::max({count_of(gpu.volatile_dram_corrected), count_of(gpu.volatile_sram_corrected),
                count_of(gpu.volatile_total_corrected)});
  const std::int64_t ever =
      std::max({count_of(gpu.aggregate_dram_corrected), count_of(gpu.aggregate_sram_corrected),
                count_of(gpu.aggregate_total_corrected)});
  const double storm = emit.limit("gpu.corrected_since_reset_storm");
  if (!reaches(since_reset, storm) && !reaches(ever, emit.limit("gpu.corrected_ever_storm"))) return;
  Event& event = emit.raise("gpu.ecc_corrected_storm");
  event.params["count"] = number(std::max(since_reset, ever));
  for (const Field<std::int64_t>* field :
       {&gpu.volatile_dram_corrected, &gpu.volatile_sram_corrected, &gpu.volatile_total_corrected,
        &gpu.aggregate_dram_corrected, &gpu.aggregate_sram_corrected, &gpu.aggregate_total_corrected})
    if (reaches(count_of(*field), storm)) emit.prove(event, *field);
}

void judge_repairs(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (is_true(gpu.unrepairable_memory)) emit.raise("gpu.unrepairable_memory", gpu.unrepairable_memory);
  if (is_true(gpu.channel_repair_pending))
    emit.raise("gpu.repair_pending", gpu.channel_repair_pending).params["what"] = "memory channel";
  if (is_true(gpu.tpc_repair_pending))
    emit.raise("gpu.repair_pending", gpu.tpc_repair_pending).params["what"] = "TPC";
}

void judge_clocks(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (is_true(gpu.power_brake)) emit.raise("gpu.power_brake", gpu.power_brake);
  if (is_true(gpu.hardware_thermal_slowdown)) emit.raise("gpu.hw_thermal", gpu.hardware_thermal_slowdown);
  const bool named = is_true(gpu.power_brake) || is_true(gpu.hardware_thermal_slowdown);
  if (is_true(gpu.hardware_slowdown) && !named) emit.raise("gpu.hw_slowdown", gpu.hardware_slowdown);
  if (is_true(gpu.software_thermal_slowdown)) emit.raise("gpu.sw_thermal", gpu.software_thermal_slowdown);
  if (is_true(gpu.software_power_cap)) emit.raise("gpu.power_cap", gpu.software_power_cap);
}

void judge_temperature(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const bool over_limit = gpu.temperature.known() && gpu.slowdown_temperature.known() &&
                          gpu.slowdown_temperature.value().count() > 0 &&
                          gpu.temperature.value() >= gpu.slowdown_temperature.value();
  const bool over_margin =
      gpu.margin.known() && gpu.slowdown_margin.known() && gpu.margin.value() <= gpu.slowdown_margin.value();
  const bool slowed = is_true(gpu.hardware_thermal_slowdown) || is_true(gpu.software_thermal_slowdown);
  const bool negative = gpu.margin.known() && gpu.margin.value().count() < 0;
  if (!over_limit && !over_margin && !negative) return;
  // A margin below zero without any slowdown and on a cool GPU is a reading to be doubted, not a hot GPU.
  const bool doubtful =
      !over_limit && !slowed &&
      (!gpu.temperature.known() || gpu.temperature.value().count() < emit.limit("gpu.margin_doubted_below") ||
       !over_margin);
  Event& event = emit.raise(doubtful ? "gpu.margin_negative" : "gpu.over_temperature");
  if (gpu.temperature.known()) event.params["temperature"] = whole(gpu.temperature.value().count());
  if (gpu.margin.known()) event.params["margin"] = whole(gpu.margin.value().count());
  emit.prove(event, gpu.margin);
  emit.prove(event, gpu.slowdown_margin);
  emit.prove(event, gpu.temperature);
  emit.prove(event, gpu.slowdown_temperature);
}

/// Hot by what most boards bear; the board itself tells no limit.
void judge_without_limit(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (!gpu.temperature.known()) return;
  const double temperature = gpu.temperature.value().count();
  if (temperature < emit.limit("gpu.hot_without_limit")) return;
  const bool very = temperature >= emit.limit("gpu.very_hot_without_limit");
  emit.raise(very ? "gpu.very_hot_without_limit" : "gpu.hot_without_limit", gpu.temperature)
      .params["temperature"] = whole(temperature);
}

/// Close to the limit and not over it, which judge_temperature has told. The board's own limits come first:
/// its margin, then its slowdown temperature; only without both does a fixed number stand in.
void judge_headroom(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const bool has_limit = gpu.slowdown_temperature.known() && gpu.slowdown_temperature.value().count() > 0;
  if (!gpu.margin.known() && !(has_limit && gpu.temperature.known())) return judge_without_limit(emit);
  const double left = gpu.margin.known()
                          ? gpu.margin.value().count()
                          : (gpu.slowdown_temperature.value() - gpu.temperature.value()).count();
  const bool over = left < 0 || (left <= 0 && !gpu.margin.known());
  const bool doubtful =
      gpu.temperature.known() && gpu.temperature.value().count() < emit.limit("gpu.margin_doubted_below");
  if (over || doubtful || left > emit.limit("gpu.margin_near")) return;
  const bool last = left <= emit.limit("gpu.margin_last");
  Event& event = emit.raise(last ? "gpu.at_thermal_limit" : "gpu.near_thermal_limit");
  event.params["left"] = whole(left);
  if (gpu.temperature.known()) event.params["temperature"] = whole(gpu.temperature.value().count());
  emit.prove(event, gpu.margin);
  emit.prove(event, gpu.temperature);
  emit.prove(event, gpu.slowdown_temperature);
}

void judge_memory_temperature(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (!gpu.memory_temperature.known()) return;
  const double temperature = gpu.memory_temperature.value().count();
  const bool own_limit =
      gpu.maximum_memory_temperature.known() && gpu.maximum_memory_temperature.value().count() > 0;
  const double limit =
      own_limit ? gpu.maximum_memory_temperature.value().count() : emit.limit("gpu.memory_hot_without_limit");
  const double near = own_limit ? emit.limit("gpu.margin_near") : 0;
  if (temperature < limit - near) return;
  const bool over = own_limit && temperature >= limit;
  Event& event =
      emit.raise(over ? "gpu.memory_over_temperature" : "gpu.memory_near_limit", gpu.memory_temperature);
  event.params["temperature"] = whole(temperature);
  event.params["limit"] = whole(limit);
  emit.prove(event, gpu.maximum_memory_temperature);
}

/// Somebody lowered or raised the power limit: worth knowing where a GPU is slower than its neighbours.
void judge_power_limit(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (!gpu.power_limit.known() || !gpu.default_power_limit.known()) return;
  const double difference = (gpu.power_limit.value() - gpu.default_power_limit.value()).count();
  if (std::abs(difference) <= emit.limit("gpu.power_limit_changed")) return;
  Event& event =
      emit.raise(difference < 0 ? "gpu.power_limit_lowered" : "gpu.power_limit_raised", gpu.power_limit);
  event.params["limit"] = whole(gpu.power_limit.value().count());
  event.params["default"] = whole(gpu.default_power_limit.value().count());
  emit.prove(event, gpu.default_power_limit);
}

/// Idle, as far as the report tells.
bool is_idle(const Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (is_true(gpu.idle)) return true;
  if (gpu.performance_state.known()) {
    const std::string& state = gpu.performance_state.value();
    if (state != "P0" && state != "P1" && state != "P2") return true;
  }
  return gpu.utilization_percent.known() &&
         !reaches(gpu.utilization_percent.value(), emit.limit("gpu.busy_utilization"));
}

void judge_pcie(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (gpu.pcie_width.known() && gpu.pcie_width_max.known() &&
      gpu.pcie_width.value() < gpu.pcie_width_max.value() && gpu.pcie_width.value() > 0) {
    const bool in_vm = gpu.virtualization.known() && base::lower(gpu.virtualization.value()) != "none";
    Event& event = emit.raise(in_vm ? "gpu.pcie_width_vm" : "gpu.pcie_width", gpu.pcie_width);
    event.params["width"] = number(gpu.pcie_width.value());
    event.params["width_max"] = number(gpu.pcie_width_max.value());
    emit.prove(event, gpu.pcie_width_max);
  }
  if (gpu.pcie_generation.known() && gpu.pcie_generation_max.known() &&
      gpu.pcie_generation.value() < gpu.pcie_generation_max.value() && gpu.pcie_generation.value() > 0) {
    Event& event =
        emit.raise(is_idle(emit) ? "gpu.pcie_generation_idle" : "gpu.pcie_generation", gpu.pcie_generation);
    event.params["generation"] = number(gpu.pcie_generation.value());
    event.params["generation_max"] = number(gpu.pcie_generation_max.value());
    emit.prove(event, gpu.pcie_generation_max);
  }
  if (reaches(count_of(gpu.pcie_replays), emit.limit("gpu.pcie_replays_many")) ||
      count_of(gpu.pcie_replay_rollovers) > 0) {
    Event& event = emit.raise("gpu.pcie_replays", gpu.pcie_replays);
    event.params["count"] = number(count_of(gpu.pcie_replays));
    emit.prove(event, gpu.pcie_replay_rollovers);
  }
}

void judge_fabric(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  if (gpu.fabric_state.known() && gpu.fabric_state.value() != "Completed") {
    emit.raise("gpu.fabric_not_ready", gpu.fabric_state).params["state"] = gpu.fabric_state.value();
  } else if (gpu.fabric_state.known() && gpu.fabric_status.known() &&
             gpu.fabric_status.value() != "Success") {
    Event& event = emit.raise("gpu.fabric_failed", gpu.fabric_status);
    event.params["status"] = gpu.fabric_status.value();
    emit.prove(event, gpu.fabric_state);
  }
  const auto says = [](const Field<std::string>& field, const char* word) {
    return field.known() && base::equals_ignoring_case(field.value(), word);
  };
  const bool degraded = says(gpu.fabric_health, "Unhealthy") || says(gpu.fabric_health, "Limited Capacity") ||
                        says(gpu.fabric_bandwidth, "Degraded") || says(gpu.fabric_route_unhealthy, "True");
  if (!degraded) return;
  Event& event = emit.raise("gpu.fabric_degraded");
  emit.prove(event, gpu.fabric_health);
  emit.prove(event, gpu.fabric_bandwidth);
  emit.prove(event, gpu.fabric_route_unhealthy);
}

/// The driver's words changed with R610 ("PF FLR", "OS Reboot"); the numbers behind them did not.
const char* recovery_signal(const std::string& words) {
  const std::string low = base::lower(words);
  if (low == "none" || low == "0") return nullptr;
  if (base::contains(low, "imex") || low == "5") return "gpu.recovery.imex";
  if (base::contains(low, "p2p") || low == "3") return "gpu.recovery.drain_p2p";
  if ((base::contains(low, "drain") && base::contains(low, "reset")) || low == "4")
    return "gpu.recovery.drain_reset";
  if (base::contains(low, "reboot") || low == "2") return "gpu.recovery.reboot";
  if (base::contains(low, "reset") || base::contains(low, "flr") || low == "1") return "gpu.recovery.reset";
  return "gpu.recovery.unknown";
}

void judge_recovery(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const char* signal = gpu.recovery_action.known() ? recovery_signal(gpu.recovery_action.value()) : nullptr;
  if (signal != nullptr) {
    emit.raise(signal, gpu.recovery_action).params["action"] = gpu.recovery_action.value();
    return;
  }
  if (is_true(gpu.reset_required))
    emit.raise("gpu.recovery.reset", gpu.reset_required).params["action"] = "Reset Required";
  if (is_true(gpu.drain_and_reset) && !is_true(gpu.reset_required))
    emit.raise("gpu.recovery.drain_reset", gpu.drain_and_reset).params["action"] =
        "Drain and Reset Recommended";
}

void judge_modes(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const bool ecc_waits = gpu.ecc_current.known() && gpu.ecc_pending.known() &&
                         gpu.ecc_current.value() != gpu.ecc_pending.value();
  const bool mig_waits = gpu.mig_current.known() && gpu.mig_pending.known() &&
                         gpu.mig_current.value() != gpu.mig_pending.value();
  if (ecc_waits) emit.raise("gpu.ecc_mode_pending", gpu.ecc_pending);
  if (mig_waits) emit.raise("gpu.mig_pending", gpu.mig_pending);
  if (is_false(gpu.ecc_current) && !ecc_waits && gpu.name.known() && has_ecc_memory(gpu.name.value()))
    emit.raise("gpu.ecc_off", gpu.ecc_current);
  if (is_true(gpu.excluded)) emit.raise("gpu.excluded", gpu.excluded);
}

void judge_unreadable(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  std::vector<std::pair<const char*, const model::UnreadableCell*>> cells;
  for (const model::UnreadableCell& cell : gpu.unreadable) {
    if (base::contains(cell.text, "ended the process")) continue;  // the line says so itself
    const char* signal = "smi.unknown_error";
    if (base::contains(cell.text, "requires reset")) signal = "smi.gpu_requires_reset";
    if (base::contains(cell.text, "is lost")) signal = "smi.gpu_lost";
    if (base::contains(cell.text, "no answer after")) signal = "smi.gpu_hangs";
    cells.emplace_back(signal, &cell);
  }
  for (const char* signal :
       {"smi.gpu_lost", "smi.gpu_hangs", "smi.gpu_requires_reset", "smi.unknown_error"}) {
    const auto first = std::find_if(cells.begin(), cells.end(), [signal](const auto& cell) {
      return std::string_view(cell.first) == signal;
    });
    if (first == cells.end()) continue;
    Event& event = emit.raise(signal);
    event.params["field"] = first->second->field;
    event.params["text"] = first->second->text;
    event.count = 0;
    for (const auto& cell : cells) {
      if (std::string_view(cell.first) != signal) continue;
      ++event.count;
      if (event.evidence.size() < 4) event.evidence.push_back(cell.second->evidence);
    }
  }
}

/// Names for others: who is who, which driver, which kind of board.
void introduce(Emitter& emit) {
  const GpuReport& gpu = emit.report();
  const auto context = [&](const char* signal) {
    Event& event = emit.raise(signal, gpu.name);
    event.level = EventLevel::Context;
  };
  if (gpu.pci.known() && (gpu.index.known() || gpu.uuid.known())) context("smi.gpu");
  const std::string name = gpu.name.known() ? gpu.name.value() : std::string();
  const NvlinkUse use = nvlink_use(name, gpu.device_id.known() ? gpu.device_id.value() : std::string());
  if (use == NvlinkUse::Always) context("gpu.model_nvlink");
  if (use == NvlinkUse::Bridge) context("gpu.model_bridge");
  if (use == NvlinkUse::Never) context("gpu.model_no_nvlink");
  if (is_multi_node_nvlink(name)) context("gpu.model_mnnvl");
}

/// One event a driver version, not one a GPU.
void judge_driver(const model::Observations& observations, std::vector<Event>& out) {
  std::map<std::string, const GpuReport*> versions;
  for (const GpuReport& gpu : observations.gpus)
    if (gpu.driver.known()) versions.emplace(gpu.driver.value(), &gpu);
  for (const auto& version : versions) {
    Event event = gpu_event("gpu", "smi.driver_version", model::Subject());
    event.params["driver"] = version.first;
    if (const Evidence* line = version.second->line_of(version.second->driver))
      event.evidence.push_back(*line);
    out.push_back(std::move(event));
  }
}

/// One block that lists all GPUs of a machine.
struct Inventory {
  const GpuReport* any = nullptr;
  std::int64_t listed = 0;
  std::int64_t said = 0;    ///< what the tool itself says the machine has
  std::int64_t always = 0;  ///< GPUs that sit on a baseboard
};

void judge_inventory(const model::Observations& observations, std::vector<Event>& out) {
  std::map<std::pair<std::string, std::int64_t>, Inventory> inventories;
  for (const GpuReport& gpu : observations.gpus) {
    const bool whole = gpu.format == "nvidia-smi-table" || gpu.format == "nvidia-smi-list" ||
                       gpu.format == "nvidia-smi-q" || gpu.format == "nvidia-smi-xml" ||
                       gpu.format == "dcgmi-discovery";
    if (!whole || !gpu.index.known()) continue;
    Inventory& inventory = inventories[{gpu.input, gpu.block_line}];
    if (inventory.any == nullptr) inventory.any = &gpu;
    inventory.listed = std::max(inventory.listed, gpu.index.value() + 1);
    inventory.said = std::max(inventory.said, count_of(gpu.attached));
    if (gpu.name.known() && nvlink_use(gpu.name.value(), "") == NvlinkUse::Always) ++inventory.always;
  }
  // A list of links may name single GPUs: only a list that is (nearly) a whole board says how many there are.
  std::map<std::string, std::pair<const Inventory*, const Inventory*>> extremes;
  for (const auto& entry : inventories) {
    const bool whole_board = entry.second.listed >= 7 && entry.second.always == entry.second.listed;
    if (entry.second.any->format == "nvidia-smi-list" && !whole_board) continue;
    if (entry.second.listed < 2) continue;
    auto& extreme = extremes[entry.first.first];
    if (extreme.first == nullptr || entry.second.listed < extreme.first->listed)
      extreme.first = &entry.second;
    if (extreme.second == nullptr || entry.second.listed > extreme.second->listed)
      extreme.second = &entry.second;
  }
  for (const auto& extreme : extremes) {
    const Inventory& few = *extreme.second.first;
    const Inventory& many = *extreme.second.second;
    const bool odd = few.always == few.listed &&
                     (few.listed == 3 || few.listed == 5 || few.listed == 6 || few.listed == 7);
    if (few.listed == many.listed && !odd) continue;
    Event event = gpu_event("gpu", few.listed < many.listed ? "smi.gpu_missing" : "smi.gpu_count_odd",
                            model::Subject());
    event.params["seen"] = number(few.listed);
    event.params["expected"] = number(few.listed < many.listed ? many.listed : (few.listed > 4 ? 8 : 4));
    if (const Evidence* line = few.any->line_of(few.any->index)) event.evidence.push_back(*line);
    out.push_back(std::move(event));
  }
}

}  // namespace

std::vector<Event> judge_gpus(const model::Observations& observations, const catalog::Catalog& catalog) {
  std::vector<Event> out;
  const GpuDirectory directory(observations);
  for (const GpuReport& gpu : observations.gpus) {
    Emitter emit(gpu, directory.subject(gpu), catalog, out);
    for (const auto judge :
         {judge_row_remapping, judge_retired_pages, judge_ecc, judge_corrected, judge_repairs, judge_clocks,
          judge_temperature, judge_headroom, judge_memory_temperature, judge_power_limit, judge_pcie,
          judge_fabric, judge_recovery, judge_modes, judge_unreadable, introduce})
      judge(emit);
  }
  judge_driver(observations, out);
  judge_inventory(observations, out);
  return out;
}

}  // namespace gpuwright::rules
