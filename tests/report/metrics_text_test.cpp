// The two text formats, letter by letter, and what others think of them.
// SPDX-License-Identifier: Apache-2.0
#include "report/metrics_text.h"

#include "report/node_metrics.h"
#include "watch/plan.h"

#include "support/diagnose.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

namespace gpuwright::tests {
namespace {

using report::MetricsFormat;
using report::MetricsText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string example(MetricsFormat format) {
  MetricsText text(format);
  text.family({"x_energy_joules", "counter", "joules", "Energy \\ used\nin all."});
  std::string labels;
  report::add_label(labels, "gpu", "0");
  report::add_label(labels, "job", "a \"b\"\\c\nd");
  text.sample(labels, 0.25);
  text.family({"x_nothing", "gauge", "", "Without samples."});
  text.family({"x_build_info", "info", "", "Version."});
  text.sample("version=\"1\"", std::uint64_t{1});
  text.family({"x_bytes", "counter", "bytes", "Bytes."});
  text.sample("", std::numeric_limits<std::uint64_t>::max());
  return text.take();
}

TEST(MetricsText, PrometheusFormat) {
  EXPECT_EQ(example(MetricsFormat::Prometheus),
            "# HELP x_energy_joules_total Energy \\\\ used\\nin all.\n"
            "# TYPE x_energy_joules_total counter\n"
            "x_energy_joules_total{gpu=\"0\",job=\"a \\\"b\\\"\\\\c\\nd\"} 0.25\n"
            "# HELP x_build_info Version.\n"
            "# TYPE x_build_info gauge\n"
            "x_build_info{version=\"1\"} 1\n"
            "# HELP x_bytes_total Bytes.\n"
            "# TYPE x_bytes_total counter\n"
            "x_bytes_total 18446744073709551615\n");
}

TEST(MetricsText, OpenMetricsFormat) {
  EXPECT_EQ(example(MetricsFormat::OpenMetrics),
            "# HELP x_energy_joules Energy \\\\ used\\nin all.\n"
            "# TYPE x_energy_joules counter\n"
            "# UNIT x_energy_joules joules\n"
            "x_energy_joules_total{gpu=\"0\",job=\"a \\\"b\\\"\\\\c\\nd\"} 0.25\n"
            "# HELP x_build Version.\n"
            "# TYPE x_build info\n"
            "x_build_info{version=\"1\"} 1\n"
            "# HELP x_bytes Bytes.\n"
            "# TYPE x_bytes counter\n"
            "# UNIT x_bytes bytes\n"
            "x_bytes_total 18446744073709551615\n"
            "# EOF\n");
}

TEST(MetricsText, ValuesThatAreNoNumbers) {
  MetricsText text(MetricsFormat::Prometheus);
  text.family({"x", "gauge", "", "X."});
  text.sample("", std::numeric_limits<double>::infinity());
  text.sample("", -std::numeric_limits<double>::infinity());
  text.sample("", std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(text.take(), HasSubstr("x +Inf\nx -Inf\nx NaN\n"));
}

TEST(MetricsText, BrokenUtf8BecomesAReplacement) {
  EXPECT_EQ(report::label_value("a\xff"
                                "b\xe4\xb8\xad"),
            "a\xEF\xBF\xBD"
            "b\xe4\xb8\xad");
}

/// A node with two GPUs: one up, one that stopped answering.
model::NodeState node(const watch::WatchPlan& plan) {
  model::NodeState state;
  state.driver = {"570.133.20", "12.570.133.20", 2, true};
  state.driver_known = true;
  state.host = "node-\"1\"";
  state.now_s = 1000;
  for (std::uint32_t index = 0; index < 2; ++index) {
    model::GpuState& gpu = state.gpus[index];
    gpu.identity.index = index;
    gpu.identity.uuid = "GPU-" + std::to_string(index);
    gpu.identity.name = "NVIDIA H100 80GB HBM3";
    gpu.identity.pci = "00000000:3B:00.0";
    gpu.identity.minor = index;
    gpu.up = index == 0;
    gpu.ever = true;
    gpu.fresh_s = gpu.whole_s = index == 0 ? 999.5 : 900;
    gpu.xids[79] = {index, 1.7e9};
    gpu.xids[48] = {};
    gpu.values.assign(plan.values.size(), model::SampleValue::of_count(42));
  }
  state.gpus[0].values[0] = model::SampleValue::absent(model::AbsentReason::Unsupported);
  return state;
}

struct Rendered {
  watch::WatchPlan plan;
  std::string own, dcgm;
};
Rendered rendered(MetricsFormat format) {
  Rendered all;
  const catalog::Metrics& metrics = knowledge().metrics();
  all.plan = watch::plan_series(metrics).value();
  EXPECT_THAT(watch::plan_fields(metrics, watch::default_fields(metrics, false), all.plan).value(),
              IsEmpty());
  const model::NodeState state = node(all.plan);
  MetricsText own(format);
  report::OwnMetrics how;
  how.metrics = &metrics;
  how.series = &all.plan.series;
  report::write_own_metrics(own, state, how);
  all.own = own.take();
  MetricsText dcgm(format);
  report::DcgmMetrics like_dcgm;
  like_dcgm.fields = &all.plan.fields;
  report::write_dcgm_metrics(dcgm, state, like_dcgm);
  all.dcgm = dcgm.take();
  return all;
}

TEST(NodeMetrics, AGpuThatDoesNotAnswerHasNoValuesButItsAge) {
  const std::string text = rendered(MetricsFormat::Prometheus).own;
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_up{gpu=\"0\",uuid=\"GPU-0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_up{gpu=\"1\",uuid=\"GPU-1\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_sample_age_seconds{gpu=\"1\",uuid=\"GPU-1\"} 100\n"));
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_power_watts{gpu=\"0\",uuid=\"GPU-0\"} 0.042\n"));
  EXPECT_THAT(text, Not(HasSubstr("gpuwright_gpu_power_watts{gpu=\"1\"")));
}

TEST(NodeMetrics, WhatABoardDoesNotTellIsNoZero) {
  const std::string text = rendered(MetricsFormat::Prometheus).own;
  EXPECT_THAT(text, Not(HasSubstr("gpuwright_gpu_temperature_celsius{gpu=\"0\"")));
}

TEST(NodeMetrics, XidsThatPageAreThereBeforeTheFirst) {
  const std::string text = rendered(MetricsFormat::Prometheus).own;
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_xid_errors_total{gpu=\"0\",uuid=\"GPU-0\",xid=\"48\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("gpuwright_gpu_xid_errors_total{gpu=\"1\",uuid=\"GPU-1\",xid=\"79\"} 1\n"));
  EXPECT_THAT(text,
              Not(HasSubstr("gpuwright_gpu_xid_last_timestamp_seconds{gpu=\"0\",uuid=\"GPU-0\",xid=\"48\"")));
}

TEST(NodeMetrics, DcgmsNamesAndLabels) {
  const std::string text = rendered(MetricsFormat::Prometheus).dcgm;
  EXPECT_THAT(
      text, HasSubstr("DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-0\",pci_bus_id=\"00000000:3B:00.0\",device="
                      "\"nvidia0\",modelName=\"NVIDIA H100 80GB HBM3\",Hostname=\"node-\\\"1\\\"\","
                      "DCGM_FI_DRIVER_VERSION=\"570.133.20\"} 42\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter\n"));
  EXPECT_THAT(text, HasSubstr("DCGM_FI_DEV_XID_ERRORS{gpu=\"0\""));
}

TEST(NodeMetrics, EachFamilyOfTheTableIsSampledComputedOrOfTheHost) {
  const catalog::Metrics& metrics = knowledge().metrics();
  const auto computed = report::computed_families();
  for (const std::string& name : computed) {
    EXPECT_TRUE(std::any_of(metrics.families.begin(), metrics.families.end(), [&](const auto& row) {
      return row.name == name;
    })) << name;
  }
  for (const auto& row : metrics.families) {
    const bool sampled = std::any_of(metrics.series.begin(), metrics.series.end(),
                                     [&](const auto& series) { return series.family == row.name; });
    const bool is_computed = std::find(computed.begin(), computed.end(), row.name) != computed.end();
    EXPECT_NE(sampled, is_computed || row.scope != "gpu") << row.name;
    EXPECT_FALSE(row.help.empty() || row.help_zh.empty()) << row.name;
  }
}

TEST(NodeMetrics, DcgmsUserLabelsAreOfAGpuWithOneUserAndNeverMakeASecondSeries) {
  const catalog::Metrics& metrics = knowledge().metrics();
  watch::WatchPlan plan = watch::plan_series(metrics).value();
  ASSERT_TRUE(watch::plan_fields(metrics, {{"DCGM_FI_DEV_SM_CLOCK", ""}}, plan).ok());
  model::NodeState state = node(plan);
  model::GpuUser job;
  job.slurm_job = "4711";
  state.gpus[0].users = {job, job};
  const auto text_with = [&](bool labels) {
    MetricsText text(MetricsFormat::Prometheus);
    report::DcgmMetrics how;
    how.fields = &plan.fields;
    how.user_labels = labels;
    report::write_dcgm_metrics(text, state, how);
    return text.take();
  };
  EXPECT_THAT(text_with(true), HasSubstr("hpc_job=\"4711\""));
  EXPECT_THAT(text_with(false), Not(HasSubstr("hpc_job")));
  model::GpuUser pod;
  pod.pod = "train-0";
  pod.pod_namespace = "research";
  state.gpus[0].users.push_back(pod);
  const std::string shared = text_with(true);
  EXPECT_THAT(shared, Not(HasSubstr("hpc_job")));
  EXPECT_THAT(shared, Not(HasSubstr("pod=")));
  EXPECT_EQ(shared.find("DCGM_FI_DEV_SM_CLOCK{"), shared.rfind("DCGM_FI_DEV_SM_CLOCK{"));
}

TEST(NodeMetrics, PromtoolFindsNothingToSay) {
  if (run({"promtool", "--version"}).exit_code != 0) GTEST_SKIP() << "promtool is not installed";
  const Rendered text = rendered(MetricsFormat::Prometheus);
  const Ran own = run({"promtool", "check", "metrics"}, text.own);
  EXPECT_EQ(own.exit_code, 0) << own.out << own.err;
  const Ran dcgm = run({"promtool", "check", "metrics"}, text.dcgm);
  EXPECT_NE(dcgm.exit_code, 1) << "it can be read: " << dcgm.err;
}

}  // namespace
}  // namespace gpuwright::tests
