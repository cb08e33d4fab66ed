// What goes into the history: events, states, jobs and series, made of a node's state without a clock.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/gpu_values.h"
#include "watch/event_log.h"
#include "watch/incident_row.h"
#include "watch/job_log.h"
#include "watch/kernel_event.h"
#include "watch/plan.h"
#include "watch/series_log.h"
#include "watch/state_log.h"

#include "support/diagnose.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

model::HistoryEvent event(const std::string& kind, const std::string& code, const std::string& text = {}) {
  model::HistoryEvent one;
  one.kind = kind;
  one.code = code;
  one.text = text;
  return one;
}

model::NodeState node(std::uint32_t gpus, double now_s = 100) {
  model::NodeState state;
  state.now_s = now_s;
  state.wall_s = 1'796'000'000 + now_s;
  state.driver_known = true;
  state.driver.driver_version = "575.57.08";
  state.driver.gpus = gpus;
  for (std::uint32_t index = 0; index < gpus; ++index) {
    model::GpuState& gpu = state.gpus[index];
    gpu.identity.index = index;
    gpu.identity.uuid = "GPU-" + std::to_string(index);
    gpu.identity.pci = "00000000:3" + std::to_string(index) + ":00.0";
    gpu.up = gpu.ever = gpu.users_known = true;
    gpu.fresh_s = gpu.whole_s = now_s;
  }
  return state;
}

void move(model::NodeState& state, double seconds) {
  state.now_s += seconds;
  state.wall_s += seconds;
  for (auto& entry : state.gpus) entry.second.fresh_s = entry.second.whole_s = state.now_s;
}

TEST(EventLog, TheFirstIsWrittenAtOnceAndAStormAsEverLongerSums) {
  watch::EventLog log;
  std::int64_t counted = 0;
  std::size_t rows = 0;
  for (int second = 0; second < 600; ++second) {
    for (int i = 0; i < 50; ++i) log.add(event("xid", "31", "process " + std::to_string(i)));
    const auto due = log.due(second);
    if (second == 0) {
      ASSERT_THAT(due, SizeIs(1));
    }
    rows += due.size();
    for (const auto& one : due) counted += one.count;
  }
  for (const auto& one : log.rest()) counted += one.count;
  EXPECT_EQ(counted, 600 * 50) << "none is forgotten";
  EXPECT_LT(rows, 20U);
}

TEST(EventLog, AQuietTimeMakesItFreshAgainAndKindsAreBounded) {
  watch::EventLog log;
  log.add(event("xid", "79"));
  EXPECT_THAT(log.due(1), SizeIs(1));
  log.add(event("xid", "79"));
  EXPECT_THAT(log.due(1.5), IsEmpty());
  EXPECT_THAT(log.due(2.1), SizeIs(1));
  EXPECT_THAT(log.due(100), IsEmpty());
  log.add(event("xid", "79"));
  EXPECT_THAT(log.due(100.1), SizeIs(1));

  for (std::size_t i = 0; i < watch::EventLog::kMostKinds + 10; ++i) log.add(event("pci", std::to_string(i)));
  const auto due = log.due(200);
  ASSERT_THAT(due, SizeIs(watch::EventLog::kMostKinds));
  EXPECT_EQ(due.back().kind, "history");
  EXPECT_EQ(due.back().count, 11);
}

TEST(EventLog, WhatProgramsWriteDoesNotFoldIntoTheKernelsWord) {
  watch::EventLog log;
  model::HistoryEvent forged = event("xid", "79");
  forged.origin = model::Origin::Unverified;
  log.add(event("xid", "79"));
  log.add(forged);
  EXPECT_THAT(log.due(1), SizeIs(2));
}

TEST(KernelEvent, TellsWhatIsAboutGpusAndNothingElse) {
  const model::NodeState state = node(2);
  const auto of = [&state](const std::string& message, bool kernel = true) {
    return watch::kernel_event({1, 1, kernel, message}, state);
  };
  const auto xid = of("NVRM: Xid (PCI:0000:31:00): 79, pid=1, GPU has fallen off the bus.");
  ASSERT_TRUE(xid.has_value());
  EXPECT_EQ(xid->kind + " " + xid->code + " " + xid->pci + " " + xid->uuid, "xid 79 0000:31:00 GPU-1");
  const auto sxid = of("nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Non-fatal, Link 30");
  ASSERT_TRUE(sxid.has_value());
  EXPECT_EQ(sxid->kind + " " + sxid->code, "sxid 20034");
  EXPECT_EQ(of("NVRM: GPU 0000:30:00.0: RmInitAdapter failed!")->uuid, "GPU-0");
  EXPECT_EQ(of("vfio-pci 0000:31:00.0: AER: Corrected error")->kind, "pci");
  EXPECT_EQ(of("usb 1-1: new device"), std::nullopt);
  EXPECT_EQ(of("nvidia-persistenced started", false), std::nullopt);
  EXPECT_EQ(of("pcieport 0000:31:00.0: a program says so", false), std::nullopt);
  EXPECT_EQ(of("NVRM: Xid (PCI:0000:31:00): 79", false)->origin, model::Origin::Unverified);
}

TEST(StateLog, TellsEachChangeOnceAndKnowsWhatWasBefore) {
  watch::StateLog log;
  log.take_over({{1, "host", "driver", "", "570.00", ""},
                 {1, "GPU-0", "presence", "", "answers", ""},
                 {1, "GPU-9", "presence", "", "answers", ""}});
  model::NodeState state = node(1);
  std::map<std::string, std::string> seen;
  for (const auto& change : log.look(state))
    seen[change.subject + "/" + change.what] = change.from + ">" + change.to;
  EXPECT_EQ(seen["host/driver"], "570.00>575.57.08");
  EXPECT_EQ(seen.count("GPU-0/presence"), 0U) << "it is as it was";
  EXPECT_EQ(seen["GPU-9/presence"], "answers>gone");
  EXPECT_EQ(seen["GPU-0/parts"], ">whole");
  EXPECT_THAT(log.look(state), IsEmpty());
  state.gpus[0].up = false;
  state.gpus[0].lost = true;
  state.gpus[0].why = "GPU is lost";
  state.gpus[0].asleep = true;
  EXPECT_EQ(log.look(state).front().to, "asleep");
  state.gpus[0].asleep = false;
  const auto lost = log.look(state);
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].to + ": " + lost[0].reason, "lost: GPU is lost");
}

TEST(JobLog, BeginsGrowsAndEndsWhenItWasLastSeen) {
  watch::JobLog log;
  model::NodeState state = node(2);
  model::GpuUser user;
  user.slurm_job = "42";
  user.user = "ada";
  user.slurm_partition = "long";
  state.gpus[0].users = {user};
  auto told = log.look(state);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].kind + told[0].id + told[0].user + told[0].queue, "slurm42adalong");
  move(state, 1);
  EXPECT_THAT(log.look(state), IsEmpty());
  state.gpus[1].given = {user};
  told = log.look(state);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].gpu_uuids, ElementsAre("GPU-0", "GPU-1"));
  const auto last_ms = static_cast<std::int64_t>(state.wall_s * 1000);
  state.gpus[0].users.clear();
  state.gpus[1].given.clear();
  move(state, 10);
  EXPECT_THAT(log.look(state), IsEmpty()) << "it may be between two samples";
  state.gpus[0].up = state.gpus[1].up = false;
  move(state, 100);
  EXPECT_THAT(log.look(state), IsEmpty()) << "nobody knows";
  state.gpus[0].up = state.gpus[1].up = true;
  move(state, 16);
  told = log.look(state);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].end_ms, last_ms);
  EXPECT_EQ(told[0].start_ms, last_ms - 1000);
}

TEST(JobLog, AJobOfAnEarlierDaemonGoesOnOrEndedWhenThatWroteLast) {
  watch::JobLog log;
  model::NodeState state = node(1);
  model::GpuUser user;
  user.user = "bob";
  state.gpus[0].users = {user};
  log.take_over({{"user", "bob", "bob", "", {"GPU-0"}, 5, std::nullopt},
                 {"slurm", "7", "eve", "", {"GPU-0"}, 6, std::nullopt}},
                777, state.now_s);
  EXPECT_THAT(log.look(state), IsEmpty());
  move(state, 20);
  const auto told = log.look(state);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].id, "7");
  EXPECT_EQ(told[0].end_ms, 777);
}

class Series : public ::testing::Test {
 protected:
  Series() : plan_(*watch::plan_series(knowledge().metrics())) {}
  std::map<std::string, double> values(const model::NodeState& state) {
    std::map<std::string, double> found;
    for (const auto& [number, value] : log_.values(state)) found.try_emplace(names_.at(number), value);
    return found;
  }
  void set(model::GpuState& gpu, const std::string& key, double value) const {
    gpu.values.resize(plan_.values.size());
    for (const catalog::PlannedSeries& series : plan_.series) {
      if (catalog::short_key(series.family->name, series.labels) == key)
        gpu.values[series.value] = model::SampleValue::of_real(value / series.scale.factor);
    }
  }
  watch::WatchPlan plan_;
  std::vector<std::string> names_;
  watch::SeriesLog log_{knowledge().metrics(),
                        plan_.series,
                        {3, 15},
                        [this](const std::string& metric, const std::string& uuid) {
                          const std::string name = metric + " " + uuid;
                          for (std::size_t at = 0; at < names_.size(); ++at) {
                            if (names_[at] == name) return static_cast<std::uint32_t>(at);
                          }
                          names_.push_back(name);
                          return static_cast<std::uint32_t>(names_.size() - 1);
                        }};
};

TEST_F(Series, KeepsWhatTheTableNamesAndRatesOfCounters) {
  model::NodeState state = node(1);
  set(state.gpus[0], "power_watts", 350);
  set(state.gpus[0], "nvlink_bytes/sent", 1024.0 * 1000);
  set(state.gpus[0], "nvlink_bytes_per_second/sent", 7 * 1048576.0);
  set(state.gpus[0], "energy_joules", 5);
  state.self.at_s = state.now_s;
  state.self.cpu_s = 1;
  state.self.resident_bytes = 4096;
  state.survey.fresh_s = state.now_s;
  state.host_series = {{"gpuwright_node_memory_bytes", "kind=\"free\"", 10},
                       {"gpuwright_node_network_bytes", "device=\"eth0\",direction=\"sent\"", 100}};
  auto found = values(state);
  EXPECT_EQ(found["power_watts GPU-0"], 350);
  EXPECT_EQ(found["up GPU-0"], 1);
  EXPECT_EQ(found["nvlink_bytes_per_second/sent GPU-0"], 7 * 1048576.0) << "until two counts are there";
  EXPECT_EQ(found["node_memory_bytes/free "], 10);
  EXPECT_EQ(found["process_resident_memory_bytes/resident "], 4096);
  EXPECT_EQ(found.count("energy_joules GPU-0"), 0U);
  move(state, 2);
  set(state.gpus[0], "nvlink_bytes/sent", 1024.0 * 3000);
  state.self.at_s = state.survey.fresh_s = state.now_s;
  state.self.cpu_s = 1.5;
  state.host_series[1].value = 300;
  found = values(state);
  EXPECT_EQ(found["nvlink_bytes_per_second/sent GPU-0"], 1024.0 * 1000);
  EXPECT_EQ(found["node_network_bytes_per_second/eth0/sent "], 100);
  EXPECT_EQ(found["process_cpu_seconds_per_second "], 0.25);
}

TEST_F(Series, WhatIsNotFreshIsNotThereAndACounterThatBeganAnewHasNoRate) {
  model::NodeState state = node(1);
  set(state.gpus[0], "power_watts", 350);
  set(state.gpus[0], "pcie_bytes/sent", 5000);
  (void)values(state);
  state.now_s += 4;
  EXPECT_EQ(values(state).count("power_watts GPU-0"), 0U);
  move(state, 1);
  set(state.gpus[0], "pcie_bytes/sent", 10);
  EXPECT_EQ(values(state).count("pcie_bytes_per_second/sent GPU-0"), 0U);
  state.gpus[0].up = false;
  const auto found = values(state);
  EXPECT_EQ(found.at("up GPU-0"), 0);
  EXPECT_EQ(found.count("power_watts GPU-0"), 0U);
}

/// Each family that the table wants kept is one that somebody makes.
TEST_F(Series, EachKeptFamilyHasAMaker) {
  std::map<std::string, int> made;
  for (const catalog::PlannedSeries& series : plan_.series) ++made[series.family->name];
  for (const char* name : {"gpuwright_gpu_up", "gpuwright_gpu_processes", "gpuwright_process_cpu_seconds",
                           "gpuwright_process_resident_memory_bytes"})
    ++made[name];
  for (const catalog::MetricFamilyRow& family : knowledge().metrics().families) {
    const bool of_host = family.scope == "node" && family.name.find("_node_") != std::string::npos;
    if (family.history.empty() || of_host) continue;
    EXPECT_GT(made[family.name], 0) << family.name;
  }
}

TEST(IncidentRow, GoesThereAndBack) {
  const model::NodeState state = node(1);
  model::LiveIncident incident;
  incident.what.cause = "gpu-lost-to-driver";
  incident.what.subject = "0000:30:00";
  incident.what.severity = model::Severity::Critical;
  incident.what.title = "lost";
  incident.what.params = {{"gpu", "0"}};
  incident.what.evidence = {"line"};
  incident.first_s = 1796097658.5504289;
  incident.phase = model::IncidentPhase::Open;
  const model::Incident row = watch::incident_row(incident, state, "boot");
  EXPECT_EQ(row.subject, "GPU-0");
  EXPECT_EQ(row.end_ms, std::nullopt);
  const model::LiveIncident back = watch::live_incident(row);
  EXPECT_EQ(back.what, incident.what);
  EXPECT_EQ(model::incident_id(back), row.id) << "so that it stays one row";
}

}  // namespace
}  // namespace gpuwright::tests
