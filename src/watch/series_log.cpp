// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/series_log.h"

#include "catalog/gpu_values.h"

#include <variant>

namespace gpuwright::watch {

namespace {

constexpr std::uint32_t kNotKept = UINT32_MAX;

bool is_rate(const catalog::MetricFamilyRow& family) {
  return family.history == "rate";
}

std::string key_of(const catalog::MetricFamilyRow& family, const std::string& labels) {
  return catalog::short_key(is_rate(family) ? family.name + "_per_second" : family.name, labels);
}

}  // namespace

SeriesLog::SeriesLog(const catalog::Metrics& metrics, const std::vector<catalog::PlannedSeries>& series,
                     const Freshness& freshness, Number number)
    : series_(series), freshness_(freshness), number_(std::move(number)) {
  for (const catalog::MetricFamilyRow& family : metrics.families) {
    if (!family.history.empty()) kept_[family.name] = &family;
  }
}

const std::vector<std::uint32_t>& SeriesLog::numbers_of(const std::string& uuid) {
  const auto [at, fresh] = numbers_.try_emplace(uuid);
  if (!fresh) return at->second;
  for (const catalog::PlannedSeries& series : series_) {
    const bool kept = kept_.count(series.family->name) != 0;
    at->second.push_back(kept ? number_(key_of(*series.family, series.labels), uuid) : kNotKept);
  }
  return at->second;
}

void SeriesLog::add(const catalog::MetricFamilyRow& family, std::uint32_t number, double value, double at_s,
                    Values& values) {
  if (!is_rate(family)) return void(values.emplace_back(number, value));
  Counter& last = counters_[number];
  if (at_s > last.at_s) {
    const bool grows = last.at_s > 0 && value >= last.count;
    last.rate = grows ? (value - last.count) / (at_s - last.at_s) : -1;
    last.count = value;
    last.at_s = at_s;
  }
  if (last.rate >= 0) values.emplace_back(number, last.rate);
}

void SeriesLog::add_gpu(const model::NodeState& state, const model::GpuState& gpu, Values& values) {
  const std::string& uuid = gpu.identity.uuid;
  if (uuid.empty()) return;
  if (!gpu.asleep && kept_.count("gpuwright_gpu_up") != 0)
    values.emplace_back(number_("up", uuid), gpu.up ? 1 : 0);
  if (!gpu.up) return;
  const bool whole_fresh = state.now_s - gpu.whole_s <= freshness_.whole_s;
  if (whole_fresh && gpu.users_known && kept_.count("gpuwright_gpu_processes") != 0)
    values.emplace_back(number_("processes", uuid), static_cast<double>(gpu.users.size()));
  const std::vector<std::uint32_t>& numbers = numbers_of(uuid);
  for (std::size_t at = 0; at < series_.size(); ++at) {
    const catalog::PlannedSeries& series = series_[at];
    if (numbers[at] == kNotKept || series.value >= gpu.values.size() || !gpu.values[series.value].known())
      continue;
    const bool often = series.family->period == "health";
    if (often ? state.now_s - gpu.fresh_s > freshness_.often_s : !whole_fresh) continue;
    const auto value = catalog::metric_value(gpu.values[series.value], series.scale);
    const double number = std::visit([](const auto one) { return static_cast<double>(one); }, value);
    add(*series.family, numbers[at], number, often ? gpu.fresh_s : gpu.whole_s, values);
  }
}

void SeriesLog::add_host(const model::NodeState& state, Values& values) {
  const double at_s = state.survey.fresh_s;
  if (at_s <= 0 || state.now_s - at_s > freshness_.whole_s) return;
  if (at_s != survey_s_) {
    host_.clear();
    survey_s_ = at_s;
    for (const model::HostSeries& series : state.host_series) {
      const auto family = kept_.find(series.family);
      if (family == kept_.end()) continue;
      add(*family->second, number_(key_of(*family->second, series.labels), ""), series.value, at_s, host_);
    }
  }
  values.insert(values.end(), host_.begin(), host_.end());
}

/// What watching costs.
void SeriesLog::add_self(const model::NodeState& state, Values& values) {
  const model::SelfState& self = state.self;
  const auto cpu = kept_.find("gpuwright_process_cpu_seconds");
  if (cpu != kept_.end() && self.at_s > 0)
    add(*cpu->second, number_(key_of(*cpu->second, ""), ""), self.cpu_s, self.at_s, values);
  const auto memory = kept_.find("gpuwright_process_resident_memory_bytes");
  if (memory == kept_.end()) return;
  const auto add_memory = [&](const char* kind, std::uint64_t bytes) {
    if (bytes > 0)
      values.emplace_back(number_(key_of(*memory->second, kind), ""), static_cast<double>(bytes));
  };
  add_memory("kind=\"resident\"", self.resident_bytes);
  add_memory("kind=\"proportional\"", self.proportional_bytes);
}

std::vector<std::pair<std::uint32_t, double>> SeriesLog::values(const model::NodeState& state) {
  Values values;
  for (const auto& entry : state.gpus) add_gpu(state, entry.second, values);
  add_host(state, values);
  add_self(state, values);
  return values;
}

}  // namespace gpuwright::watch
