// The screen of `top`, made of a state that is written down.
// SPDX-License-Identifier: Apache-2.0
#include "report/top.h"

#include "watch/plan.h"

#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TopScreen : public ::testing::Test {
 protected:
  TopScreen() : plan_(watch::plan_series(knowledge().metrics()).value()), values_(plan_.series) {
    state_.host = "node7";
    state_.driver_known = true;
    state_.driver.driver_version = "580.95.05";
    state_.wall_s = 1'790'000'000;
    state_.health.looked_s = state_.wall_s;
    for (std::uint32_t index = 0; index < 2; ++index) add_gpu(index);
  }

  void add_gpu(std::uint32_t index) {
    model::GpuState& gpu = state_.gpus[index];
    gpu.identity.index = index;
    gpu.identity.name = "NVIDIA H100 80GB HBM3";
    gpu.up = gpu.ever = gpu.users_known = true;
    gpu.values.resize(plan_.values.size());
  }

  /// As the driver's library would answer it: before it is scaled.
  void set(std::uint32_t index, const std::string& key, double raw) {
    const catalog::PlannedSeries* series = values_.keys().at(key);
    state_.gpus.at(index).values.at(series->value) =
        series->scale.bit >= 0 ? model::SampleValue::of_count(1U << series->scale.bit)
                               : model::SampleValue::of_real(raw);
  }

  std::string shown() const {
    std::string text;
    for (const std::string& line : report::render_top(state_, knowledge(), values_, recent_, view_))
      text += line + "\n";
    return text;
  }

  watch::WatchPlan plan_;
  catalog::GpuValues values_;
  model::NodeState state_;
  model::RecentGpus recent_;
  report::TopView view_;
};

TEST_F(TopScreen, ValuesWithTheirUnitsAndNoneWhereNothingIsKnown) {
  set(0, "utilization_ratio", 63);
  set(0, "power_watts", 412'300);
  set(0, "power_limit_watts/enforced", 700'000);
  set(0, "temperature_celsius", 61);
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("2 × NVIDIA H100 80GB HBM3"));
  EXPECT_THAT(text, HasSubstr("63 %"));
  EXPECT_THAT(text, HasSubstr("412/700 W"));
  EXPECT_THAT(text, HasSubstr("61 °C"));
  EXPECT_THAT(text, Not(HasSubstr("SIMULATED")));
  EXPECT_THAT(text, Not(HasSubstr(" 0 W"))) << "GPU 1 told no power";
  state_.driver.simulated = true;
  EXPECT_THAT(shown(), HasSubstr("SIMULATED"));
}

TEST_F(TopScreen, AGpuThatDoesNotAnswerSaysWhyAndItsLastValuesAreGone) {
  set(1, "power_watts", 99'000);
  state_.gpus.at(1).up = false;
  state_.gpus.at(1).lost = true;
  state_.gpus.at(1).why = "GPU is lost";
  state_.gpus.at(1).xids[79] = {1, state_.wall_s};
  EXPECT_THAT(shown(),
              AllOf(HasSubstr("1 / 2 up"), HasSubstr("lost: GPU is lost  Xid 79"), Not(HasSubstr("99 W"))));
}

TEST_F(TopScreen, FaultsAndWhatHoldsTheClocksWorstFirst) {
  view_.width = 200;
  set(0, "clock_held/hardware_thermal", 1);
  set(0, "row_remap_pending", 1);
  set(0, "ecc_errors/uncorrected/volatile", 3);
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("thermal, board"));
  EXPECT_THAT(text, HasSubstr("3 ECC uncorre"));
  view_.language = catalog::Language::Chinese;
  EXPECT_THAT(shown(), AllOf(HasSubstr("过热（板卡）"), HasSubstr("ECC 不可纠正")));
}

TEST_F(TopScreen, NoLineIsWiderThanTheTerminalAndNoScreenHigher) {
  model::GpuUser user;
  user.pid = 4711;
  user.command = std::string(300, 'x');
  state_.gpus.at(0).users.push_back(user);
  for (const auto language : {catalog::Language::English, catalog::Language::Chinese}) {
    for (const int width : {40, 80, 100, 132, 200}) {
      for (const int height : {5, 24, 60}) {
        view_ = {};
        view_.width = width;
        view_.height = height;
        view_.keys = true;
        view_.language = language;
        const auto lines = report::render_top(state_, knowledge(), values_, recent_, view_);
        EXPECT_EQ(lines.size(), static_cast<std::size_t>(height));
        for (const std::string& line : lines) EXPECT_LE(report::display_width(line), width) << line;
      }
    }
  }
}

TEST_F(TopScreen, IncidentsWithEvidenceAndWhatToDoWhenAsked) {
  model::LiveIncident incident;
  incident.number = 1;
  incident.phase = model::IncidentPhase::Open;
  incident.first_s = state_.wall_s - 60;
  incident.what.cause = "gpu-lost-to-driver";
  incident.what.severity = model::Severity::Critical;
  incident.what.subject = "#1";
  incident.what.title = "as told";
  incident.what.evidence = {"NVRM: Xid (PCI:0000:3b:00): 79\x1b[31m"};
  ASSERT_NE(knowledge().cause(incident.what.cause), nullptr);
  state_.health.open.push_back(incident);
  EXPECT_THAT(shown(), AllOf(HasSubstr("1 incidents"), HasSubstr("GPU 1"), Not(HasSubstr("NVRM"))));
  view_.panel = report::TopPanel::Incidents;
  EXPECT_THAT(shown(),
              AllOf(HasSubstr("NVRM: Xid"), HasSubstr("evidence"), HasSubstr("now"), Not(HasSubstr("\x1b"))));
}

TEST_F(TopScreen, UsersAndWhoWasGivenAGpuAndRunsNothing) {
  model::GpuUser user;
  user.pid = 4711;
  user.user = "alice";
  user.command = "python3";
  user.slurm_job = "815";
  user.memory_known = true;
  user.memory_bytes = 34ULL << 30U;
  state_.gpus.at(0).users.push_back(user);
  model::GpuUser given;
  given.pod = "trainer-0";
  given.pod_namespace = "ml";
  state_.gpus.at(1).given.push_back(given);
  const std::string text = shown();
  EXPECT_THAT(text,
              AllOf(HasSubstr("slurm/815"), HasSubstr("34.0 GiB"), HasSubstr("alice"), HasSubstr("python3")));
  EXPECT_THAT(text, AllOf(HasSubstr("(runs nothing)"), HasSubstr("pod/ml/trainer-0")));
}

TEST_F(TopScreen, AllValuesOfTheChosenGpu) {
  set(1, "power_watts", 99'000);
  view_.panel = report::TopPanel::Gpu;
  view_.chosen = 1;
  EXPECT_THAT(shown(), HasSubstr("power_watts"));
  view_.chosen = 7;
  EXPECT_THAT(shown(), HasSubstr("power_watts")) << "beyond the last one is the last one";
  view_.chosen = 0;
  EXPECT_THAT(shown(), Not(HasSubstr("power_watts")));
}

TEST(StyledLine, FitsToTheColumn) {
  EXPECT_EQ(report::fit_left("abc", 5), "abc  ");
  EXPECT_EQ(report::fit_right("abc", 5), "  abc");
  EXPECT_EQ(report::fit_left("abcdef", 4), "abc…");
  EXPECT_EQ(report::fit_left("过热过热", 5), "过热…");
  EXPECT_EQ(report::bar(0.5, 4), "██  ");
  EXPECT_EQ(report::bar(7, 2), "██");
  EXPECT_EQ(report::bar(-1, 2), "  ");
  EXPECT_EQ(report::StyledLine().add("ab").to(4).add("cd").render(5, false), "ab  c");
}

}  // namespace
}  // namespace gpuwright::tests
