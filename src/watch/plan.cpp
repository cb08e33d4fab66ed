// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "watch/plan.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::watch {

namespace {

using catalog::MetricOrigin;
using host::nvml::PlannedValue;

bool is_of_library(const MetricOrigin& origin) {
  return origin.kind == MetricOrigin::Kind::Call || origin.kind == MetricOrigin::Kind::Field ||
         origin.kind == MetricOrigin::Kind::Gpm;
}

/// The place of a value in the plan, where it is added if it is not there.
base::Result<std::size_t> place_of(const MetricOrigin& origin, bool often, host::nvml::SamplePlan& plan) {
  PlannedValue wanted;
  wanted.number = origin.number;
  wanted.all_links = origin.all_links;
  if (origin.kind == MetricOrigin::Kind::Call) {
    const auto call = host::nvml::find_sample_call(origin.key);
    if (!call)
      return base::make_error(base::ErrorKind::Malformed, fmt::format("there is no call '{}'", origin.key));
    wanted.number = static_cast<std::uint32_t>(*call);
  } else {
    wanted.kind =
        origin.kind == MetricOrigin::Kind::Field ? PlannedValue::Kind::Field : PlannedValue::Kind::Gpm;
  }
  const auto at = std::find_if(plan.begin(), plan.end(), [&wanted](const PlannedValue& one) {
    return one.kind == wanted.kind && one.number == wanted.number && one.all_links == wanted.all_links;
  });
  const auto place = static_cast<std::size_t>(at - plan.begin());
  if (at == plan.end()) plan.push_back(wanted);
  plan[place].often = plan[place].often || often;
  return place;
}

}  // namespace

base::Result<WatchPlan> plan_series(const catalog::Metrics& metrics) {
  WatchPlan plan;
  for (const catalog::MetricFamilyRow& family : metrics.families) {
    for (const catalog::MetricSeriesRow& row : metrics.series) {
      if (row.family != family.name) continue;
      GPUWRIGHT_TRY(const auto origin, catalog::metric_origin(row.from));
      catalog::PlannedSeries series{&family, row.labels, 0, {}};
      GPUWRIGHT_TRY(series.scale, catalog::metric_scale(row.scale));
      GPUWRIGHT_TRY(series.value, place_of(origin, family.period == "health", plan.values));
      plan.series.push_back(std::move(series));
    }
  }
  return plan;
}

std::vector<WantedField> default_fields(const catalog::Metrics& metrics, bool new_names) {
  std::vector<WantedField> fields;
  for (const catalog::DcgmFieldRow& row : metrics.dcgm) {
    if (row.standing == "on")
      fields.push_back({new_names && !row.new_name.empty() ? row.new_name : row.name, {}});
  }
  return fields;
}

base::Result<std::vector<std::string>> plan_fields(const catalog::Metrics& metrics,
                                                   const std::vector<WantedField>& wanted, WatchPlan& plan) {
  std::vector<std::string> unknown;
  for (const WantedField& field : wanted) {
    const auto row =
        std::find_if(metrics.dcgm.begin(), metrics.dcgm.end(), [&field](const catalog::DcgmFieldRow& one) {
          return one.name == field.name || (!one.new_name.empty() && one.new_name == field.name);
        });
    if (row == metrics.dcgm.end()) {
      unknown.push_back(field.name);
      continue;
    }
    catalog::PlannedField planned;
    planned.row = &*row;
    planned.name = field.name;
    planned.help = field.help.empty() ? row->help : field.help;
    GPUWRIGHT_TRY(planned.origin, catalog::metric_origin(row->from));
    GPUWRIGHT_TRY(planned.scale, catalog::metric_scale(row->scale));
    if (is_of_library(planned.origin)) {
      GPUWRIGHT_TRY(planned.value, place_of(planned.origin, false, plan.values));
    }
    plan.fields.push_back(std::move(planned));
  }
  return unknown;
}

}  // namespace gpuwright::watch
