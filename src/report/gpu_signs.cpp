// See the header. Source of the reasons, counters and recovery actions: NVML API reference.
// SPDX-License-Identifier: Apache-2.0
#include "report/gpu_signs.h"

#include "report/wording.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace gpuwright::report {

namespace {

using catalog::Language;

struct Word {
  const char* key;  ///< of a value
  const char* en;   ///< {n}: the value
  const char* zh;
  Style style;
  std::string text(Language language, double value) const {
    return fill_in(language == Language::Chinese ? zh : en, {{"n", fmt::format("{:.0f}", value)}});
  }
};

constexpr std::array<Word, 9> kHeld = {{
    {"clock_held/hardware_thermal", "thermal, board", "过热（板卡）", Style::Bad},
    {"clock_held/power_brake", "power brake", "供电制动", Style::Bad},
    {"clock_held/hardware_slowdown", "board slowdown", "硬件降频", Style::Bad},
    {"clock_held/software_thermal", "thermal, driver", "过热（驱动）", Style::Warn},
    {"clock_held/software_power_cap", "power limit", "功耗上限", Style::Dim},
    {"clock_held/sync_boost", "sync boost", "同步加速", Style::Dim},
    {"clock_held/application_clocks", "application clocks", "应用时钟设置", Style::Dim},
    {"clock_held/display", "display clocks", "显示时钟", Style::Dim},
    {"clock_held/idle", "idle", "空闲", Style::Dim},
}};

constexpr std::array<Word, 12> kCounted = {{
    {"ecc_errors/uncorrected/volatile", "{n} ECC uncorrected", "ECC 不可纠正 {n}", Style::Bad},
    {"row_remap_failed", "remap failed", "行重映射失败", Style::Bad},
    {"row_remap_pending", "remap pending", "行重映射待生效", Style::Warn},
    {"retired_pages_pending", "retirement pending", "页面退役待生效", Style::Warn},
    {"nvlink_errors/recovery", "{n} NVLink recoveries", "NVLink 恢复 {n}", Style::Warn},
    {"ecc_errors/corrected/volatile", "{n} ECC corrected", "ECC 已纠正 {n}", Style::Plain},
    {"remapped_rows/uncorrected", "{n} rows remapped", "已重映射 {n} 行", Style::Plain},
    {"remapped_rows/corrected", "{n} rows remapped (corrected)", "已重映射 {n} 行（可纠正）", Style::Plain},
    {"nvlink_errors/crc_flit", "{n} NVLink CRC", "NVLink CRC {n}", Style::Plain},
    {"nvlink_errors/crc_data", "{n} NVLink data CRC", "NVLink 数据 CRC {n}", Style::Plain},
    {"nvlink_errors/replay", "{n} NVLink replays", "NVLink 重传 {n}", Style::Plain},
    {"pcie_replays", "{n} PCIe replays", "PCIe 重传 {n}", Style::Plain},
}};

/// By the value of recovery_action, from 1.
constexpr std::array<Word, 4> kActions = {{
    {"", "asks for a reset", "需要复位", Style::Bad},
    {"", "asks for a reboot", "需要重启", Style::Bad},
    {"", "asks to drain P2P", "需要排空 P2P", Style::Bad},
    {"", "asks to drain and reset", "需要排空并复位", Style::Bad},
}};

}  // namespace

std::vector<Sign> clocks_held_by(const catalog::GpuValues& values, const model::GpuState& gpu,
                                 Language language) {
  std::vector<Sign> signs;
  for (const Word& word : kHeld) {
    if (values.of(gpu, word.key).value_or(0) > 0) signs.push_back({word.text(language, 1), word.style});
  }
  return signs;
}

std::vector<Sign> faults_of(const catalog::GpuValues& values, const model::GpuState& gpu, Language language) {
  std::vector<Sign> signs;
  for (const auto& [code, seen] : gpu.xids) {
    if (seen.count > 0) signs.push_back({fmt::format("Xid {}", code), Style::Bad});
  }
  const auto action = values.of(gpu, "recovery_action").value_or(0);
  for (std::size_t i = 0; i < kActions.size(); ++i) {
    if (action == static_cast<double>(i + 1))
      signs.push_back({kActions[i].text(language, action), kActions[i].style});
  }
  for (const Word& word : kCounted) {
    const double count = values.of(gpu, word.key).value_or(0);
    if (count > 0) signs.push_back({word.text(language, count), word.style});
  }
  if (gpu.hangs > 0) {
    constexpr Word kHangs = {"", "gave no answer {n} times", "{n} 次未应答", Style::Warn};
    signs.push_back({kHangs.text(language, static_cast<double>(gpu.hangs)), kHangs.style});
  }
  const auto rank = [](const Sign& sign) {
    return sign.style == Style::Bad ? 0 : sign.style == Style::Warn ? 1 : 2;
  };
  std::stable_sort(signs.begin(), signs.end(),
                   [&](const Sign& a, const Sign& b) { return rank(a) < rank(b); });
  return signs;
}

std::optional<double> thermal_headroom(const catalog::GpuValues& values, const model::GpuState& gpu) {
  if (const auto told = values.of(gpu, "thermal_headroom_celsius")) return told;
  const auto limit = values.of(gpu, "temperature_limit_celsius/slowdown");
  const auto now = values.of(gpu, "temperature_celsius");
  if (!limit || !now) return std::nullopt;
  return *limit - *now;
}

}  // namespace gpuwright::report
