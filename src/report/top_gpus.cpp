// The GPUs of `top`: one row each, in as many columns as the terminal has room for.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "report/gpu_holders.h"
#include "report/gpu_signs.h"
#include "report/top.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace gpuwright::report {

namespace {

using catalog::Language;
using model::GpuState;

constexpr const char* kNone = "–";

/// What a cell is made of.
struct Row {
  const model::NodeState& state;
  const catalog::GpuValues& values;
  const GpuState& gpu;
  const model::RecentGpu* recent;
  Language language;

  std::optional<double> of(const char* key) const { return values.of(gpu, key); }
};

struct Column {
  const char* en;
  const char* zh;
  int width;
  int worth;  ///< those with less are left out first
  bool right;
  Sign (*cell)(const Row& row);
};

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.0f} %", *share * 100) : kNone;
}

Sign busy_cell(const Row& row) {
  auto share = row.of("utilization_ratio");
  if (!share) share = row.of("graphics_active_ratio");  // under MIG nobody counts the former
  constexpr int kBar = 4;
  return {share ? fmt::format("{} {:>5}", bar(*share, kBar), percent(share)) : std::string(kNone),
          Style::Plain};
}

/// The newest points, one a column.
Sign trend_cell(const Row& row) {
  static constexpr std::array<const char*, 8> kSteps = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kWidth = 20;
  std::string text;
  if (row.recent == nullptr) return {text, Style::Dim};
  const auto& points = row.recent->busy;
  const std::size_t from = points.size() > kWidth ? points.size() - kWidth : 0;
  for (std::size_t i = from; i < points.size(); ++i) {
    const double share = std::min(points[i], 1.0);
    text += share < 0 ? " " : kSteps[static_cast<std::size_t>(share * (kSteps.size() - 1) + 0.5)];
  }
  return {text, Style::Dim};
}

Sign sm_cell(const Row& row) {
  return {percent(row.of("sm_active_ratio")), Style::Plain};
}
Sign tensor_cell(const Row& row) {
  return {percent(row.of("pipe_active_ratio/tensor")), Style::Plain};
}

Sign memory_cell(const Row& row) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  const auto used = row.of("memory_bytes/used"), total = row.of("memory_bytes/total");
  if (!used) return {kNone, Style::Plain};
  if (!total) return {fmt::format("{:.1f} GiB", *used / kGib), Style::Plain};
  return {fmt::format("{:.1f}/{:.0f} GiB", *used / kGib, *total / kGib), Style::Plain};
}

Sign power_cell(const Row& row) {
  const auto now = row.of("power_watts"), limit = row.of("power_limit_watts/enforced");
  if (!now) return {kNone, Style::Plain};
  return {limit ? fmt::format("{:.0f}/{:.0f} W", *now, *limit) : fmt::format("{:.0f} W", *now), Style::Plain};
}

Sign heat_cell(const Row& row) {
  const auto now = row.of("temperature_celsius");
  if (!now) return {kNone, Style::Plain};
  constexpr double kNear = 5;
  const auto left = thermal_headroom(row.values, row.gpu);
  const Style style = !left || *left > kNear ? Style::Plain : *left > 0 ? Style::Warn : Style::Bad;
  return {fmt::format("{:.0f} °C", *now), style};
}

Sign clock_cell(const Row& row) {
  constexpr double kMega = 1e6;
  const auto clock = row.of("clock_hertz/sm");
  return {clock ? fmt::format("{:.0f} MHz", *clock / kMega) : kNone, Style::Plain};
}

Sign held_cell(const Row& row) {
  const auto held = clocks_held_by(row.values, row.gpu, row.language);
  if (held.empty()) return {"", Style::Plain};
  return {held.front().text + (held.size() > 1 ? fmt::format(" +{}", held.size() - 1) : ""),
          held.front().style};
}

Sign nvlink_cell(const Row& row) {
  const double rate = row.gpu.nvlink_bytes_per_s;
  return {rate_text(rate < 0 ? std::nullopt : std::optional<double>(rate)), Style::Plain};
}

Sign pcie_cell(const Row& row) {
  if (row.recent == nullptr || (!row.recent->pcie_sent && !row.recent->pcie_received))
    return {kNone, Style::Plain};
  return {rate_text(row.recent->pcie_sent.value_or(0) + row.recent->pcie_received.value_or(0)), Style::Plain};
}

Sign faults_cell(const Row& row) {
  const auto faults = faults_of(row.values, row.gpu, row.language);
  if (faults.empty()) return {"", Style::Plain};
  return {faults.front().text + (faults.size() > 1 ? fmt::format(" +{}", faults.size() - 1) : ""),
          faults.front().style};
}

Sign users_cell(const Row& row) {
  const bool zh = row.language == Language::Chinese;
  if (!row.gpu.users_known && row.gpu.given.empty()) return {zh ? "未知" : "unknown", Style::Dim};
  std::vector<std::string> names;
  for (const GpuHolder& holder : holders_on(row.gpu)) names.push_back(holder.holder);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return {zh ? "空闲" : "free", Style::Dim};
  return {base::join(names, " "), Style::Plain};
}

constexpr std::array<Column, 12> kColumns = {{
    {"BUSY", "利用率", 10, 100, false, busy_cell},
    {"TREND", "趋势", 20, 20, false, trend_cell},
    {"SM", "SM", 5, 50, true, sm_cell},
    {"TENSOR", "张量", 6, 45, true, tensor_cell},
    {"MEMORY", "显存", 13, 95, true, memory_cell},
    {"POWER", "功耗", 9, 90, true, power_cell},
    {"TEMP", "温度", 6, 85, true, heat_cell},
    {"CLOCK", "时钟", 8, 60, true, clock_cell},
    {"HELD BY", "受限于", 16, 55, false, held_cell},
    {"NVLINK", "NVLink", 9, 40, true, nvlink_cell},
    {"PCIE", "PCIe", 9, 35, true, pcie_cell},
    {"ERRORS", "错误", 14, 92, false, faults_cell},
}};

constexpr int kName = 7;    // "GPU 15", " MIG 13"
constexpr int kUsers = 10;  // the least; it takes what is left
constexpr int kGap = 2;

/// Those that the width has room for.
std::vector<const Column*> columns_for(int width) {
  std::vector<const Column*> shown;
  for (const Column& column : kColumns) shown.push_back(&column);
  const auto needed = [&] {
    int sum = kName + kGap + kUsers;
    for (const Column* column : shown) sum += column->width + kGap;
    return sum;
  };
  while (!shown.empty() && needed() > width) {
    shown.erase(std::min_element(shown.begin(), shown.end(),
                                 [](const Column* a, const Column* b) { return a->worth < b->worth; }));
  }
  return shown;
}

StyledLine heading(const std::vector<const Column*>& columns, const TopView& view) {
  const bool zh = view.language == Language::Chinese;
  StyledLine line;
  line.add(fit_left("GPU", kName) + "  ", Style::Dim);
  for (const Column* column : columns) {
    const char* title = zh ? column->zh : column->en;
    line.add((column->right ? fit_right(title, column->width) : fit_left(title, column->width)) + "  ",
             Style::Dim);
  }
  return line.add(zh ? "使用者" : "USERS", Style::Dim);
}

/// A MIG instance, as if it were a GPU of its own; what only the whole GPU has is not known of it.
GpuState state_of(const GpuState& gpu, const model::MigPart& part) {
  GpuState one;
  one.up = gpu.up;
  one.identity.index = gpu.identity.index;
  const auto found = std::find_if(gpu.parts.begin(), gpu.parts.end(),
                                  [&](const model::PartSample& sample) { return sample.uuid == part.uuid; });
  if (found != gpu.parts.end()) one.values = found->values;
  one.users_known = gpu.users_known;
  for (const auto& [from, to] : {std::pair(&gpu.users, &one.users), std::pair(&gpu.given, &one.given)}) {
    std::copy_if(from->begin(), from->end(), std::back_inserter(*to), [&](const model::GpuUser& user) {
      return user.gpu_instance == static_cast<std::int64_t>(part.gpu_instance);
    });
  }
  return one;
}

StyledLine gpu_line(const Row& row, const std::string& name, const std::vector<const Column*>& columns) {
  StyledLine line;
  line.add(fit_left(name, kName) + "  ", row.gpu.up ? Style::Good : Style::Bad);
  if (!row.gpu.up) {
    const bool zh = row.language == Language::Chinese;
    const char* mood = row.gpu.asleep ? (zh ? "休眠" : "asleep")
                       : row.gpu.lost ? (zh ? "丢失" : "lost")
                                      : (zh ? "未应答" : "no answer");
    const std::string why = base::printable(row.gpu.why);
    if (!why.starts_with(mood)) line.add(mood, Style::Bad).add(why.empty() ? "" : ": ");
    line.add(why);
    for (const Sign& fault : faults_of(row.values, row.gpu, row.language))
      line.add("  " + fault.text, fault.style);
    return line;
  }
  for (const Column* column : columns) {
    const Sign cell = column->cell(row);
    line.add(column->right ? fit_right(cell.text, column->width) : fit_left(cell.text, column->width),
             cell.style);
    line.add("  ");
  }
  const Sign users = users_cell(row);
  return line.add(base::printable(users.text), users.style);
}

}  // namespace

std::string rate_text(std::optional<double> bytes_per_s) {
  if (!bytes_per_s) return kNone;
  constexpr double kGiga = 1e9;
  const double giga = *bytes_per_s / kGiga;
  return giga >= 100  ? fmt::format("{:.0f} GB/s", giga)
         : giga >= 10 ? fmt::format("{:.1f} GB/s", giga)
                      : fmt::format("{:.2f} GB/s", giga);
}

std::string memory_text(std::optional<double> bytes) {
  if (!bytes) return kNone;
  constexpr double kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024;
  return *bytes >= kGibi || *bytes == 0 ? fmt::format("{:.1f} GiB", *bytes / kGibi)
                                        : fmt::format("{:.0f} MiB", *bytes / kMebi);
}

std::vector<std::string> top_gpu_lines(const model::NodeState& state, const catalog::GpuValues& values,
                                       const model::RecentGpus& recent, const TopView& view) {
  const auto columns = columns_for(view.width);
  std::vector<std::string> lines = {heading(columns, view).render(view.width, view.color)};
  std::size_t place = 0;
  for (const auto& [index, gpu] : state.gpus) {
    const auto found = recent.find(index);
    const Row row{state, values, gpu, found == recent.end() ? nullptr : &found->second, view.language};
    lines.push_back(gpu_line(row, fmt::format("GPU {}", index), columns)
                        .render(view.width, view.color, view.keys && place == view.chosen));
    ++place;
    if (!gpu.up) continue;
    for (const model::MigPart& part : gpu.identity.parts) {
      const GpuState one = state_of(gpu, part);
      const Row of_part{state, values, one, nullptr, view.language};
      lines.push_back(gpu_line(of_part, fmt::format(" MIG {}", part.gpu_instance), columns)
                          .render(view.width, view.color));
    }
  }
  return lines;
}

}  // namespace gpuwright::report
