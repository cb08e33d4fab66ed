// `gpuwright fleet --prometheus` asks a real Prometheus that remembers six hours in which we know what
// happened.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/json.h"

#include "support/http_site.h"
#include "support/json_schema.h"
#include "support/paths.h"
#include "support/prometheus.h"
#include "support/run.h"
#include "support/served.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kBegin = 1748736000;  // 2025-06-01T00:00:00Z
constexpr int kMinutes = 6 * 60;

/// Values of series over minutes, as a text that promtool makes blocks of.
class Recording {
 public:
  void add(const std::string& series, int from, int to, double value) {
    auto& values = series_[series];
    for (int minute = from; minute < to; ++minute) values[minute] = value;
  }
  /// The folder of a Prometheus that remembers it.
  std::string blocks(const TempFolder& folder) const {
    std::string text;
    for (const auto& [name, values] : series_) {
      for (const auto& [minute, value] : values)
        text += name + " " + std::to_string(value) + " " + std::to_string(kBegin + minute * 60) + "\n";
    }
    const std::string file = folder.write("recorded.txt", text + "# EOF\n");
    const Ran ran =
        run({"promtool", "tsdb", "create-blocks-from", "openmetrics", file, folder.path() + "/data"});
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    return folder.path() + "/data";
  }

 private:
  std::map<std::string, std::map<int, double>> series_;
};

std::string labels(const std::string& node, const std::string& uuid, int gpu, const std::string& more = {}) {
  return "{job=\"gpu/nodes.v1 (a)\",instance=\"" + node + ":9400\",uuid=\"" + uuid + "\",gpu=\"" +
         std::to_string(gpu) + "\"" + (more.empty() ? "" : "," + more) + "}";
}

/// A GPU that tells under our names, from minute to minute.
class Gpu {
 public:
  Gpu(Recording& recording, std::string node, std::string uuid, int number, int from = 0, int to = kMinutes)
      : recording_(recording), node_(std::move(node)), uuid_(std::move(uuid)), number_(number) {
    set("gpuwright_gpu_up", from, to, 1);
    set("gpuwright_gpu_info", from, to, 1, "name=\"NVIDIA H100 80GB HBM3\"");
    set("gpuwright_gpu_utilization_ratio", from, to, 0);
    set("gpuwright_gpu_clock_hertz", from, to, 1980e6, "clock=\"sm\"");
    set("gpuwright_gpu_clock_max_hertz", from, to, 1980e6, "clock=\"sm\"");
    set("gpuwright_gpu_clock_held", from, to, 0, "reason=\"hardware_thermal\"");
    set("gpuwright_gpu_clock_held", from, to, 1, "reason=\"software_power_cap\"");  // that is no waste
  }
  void set(const std::string& family, int from, int to, double value, const std::string& more = {}) {
    recording_.add(family + labels(node_, uuid_, number_, more), from, to, value);
  }
  void load(int from, int to, double value) { set("gpuwright_gpu_utilization_ratio", from, to, value); }
  void held_by(const std::string& holder, const std::string& user, int from, int to) {
    set("gpuwright_gpu_user_info", from, to, 1, "holder=\"" + holder + "\",user=\"" + user + "\"");
  }

 private:
  Recording& recording_;
  std::string node_;
  std::string uuid_;
  int number_;
};

void up(Recording& recording, const std::string& node, int from, int to, double value) {
  recording.add("up{job=\"gpu/nodes.v1 (a)\",instance=\"" + node + ":9400\"}", from, to, value);
}

/// n1 tells under our names.
void plant_first_node(Recording& recording) {
  up(recording, "n1", 0, kMinutes, 1);
  Gpu hot(recording, "n1", "GPU-a0", 0);
  hot.load(0, kMinutes, 0.9);
  hot.held_by("slurm/1", "alice", 0, kMinutes);
  hot.set("gpuwright_gpu_clock_held", 180, 240, 1, "reason=\"hardware_thermal\"");
  hot.set("gpuwright_gpu_clock_hertz", 180, 240, 990e6, "clock=\"sm\"");
  Gpu idle(recording, "n1", "GPU-a1", 1);
  idle.load(0, 300, 0.8);
  idle.load(60, 180, 0.01);  // two hours
  idle.load(270, 275, 0.0);  // five minutes belong to the work
  idle.held_by("slurm/2", "bob", 0, 300);
  Gpu shared(recording, "n1", "GPU-a2", 2);
  shared.load(0, kMinutes, 0.5);
  shared.held_by("slurm/1", "alice", 0, kMinutes);
  shared.held_by("slurm/2", "bob", 0, kMinutes);
  Gpu lost(recording, "n1", "GPU-a3", 3, 0, 120);
  lost.set("gpuwright_gpu_up", 120, 240, 0);  // a GPU that is lost has no other series
  Gpu again(recording, "n1", "GPU-a3", 3, 240, kMinutes);
  again.set("gpuwright_incident_start_timestamp_seconds", 300, kMinutes,
            static_cast<double>(kBegin) + 300 * 60,
            "severity=\"critical\",cause=\"gpu-lost-from-bus\",subject=\"GPU 0000:61:00\"");
  again.set("gpuwright_gpu_xid_errors_total", 0, 119, 0, "xid=\"79\"");
  again.set("gpuwright_gpu_xid_errors_total", 119, kMinutes, 1, "xid=\"79\"");
  Gpu added(recording, "n1", "GPU-a4", 4, 120, kMinutes);
}

/// n2 has only a dcgm-exporter, with pods.
void plant_second_node(Recording& recording) {
  up(recording, "n2", 0, kMinutes, 1);
  const auto dcgm = [&](const std::string& field, int gpu, int from, int to, double value, bool pod) {
    recording.add(field + "{job=\"gpu/nodes.v1 (a)\",instance=\"n2:9400\",gpu=\"" + std::to_string(gpu) +
                      "\",UUID=\"GPU-b" + std::to_string(gpu) +
                      "\",modelName=\"NVIDIA A10\",Hostname=\"n2\"" +
                      (pod ? ",pod=\"train-0\",namespace=\"ml\",container=\"main\"" : "") + "}",
                  from, to, value);
  };
  for (const int gpu : {0, 1}) {
    const bool pod = gpu == 0;
    dcgm("DCGM_FI_DEV_GPU_TEMP", gpu, 0, kMinutes, 50, pod);
    dcgm("DCGM_FI_DEV_GPU_UTIL", gpu, 0, kMinutes, pod ? 70 : 0, pod);
    dcgm("DCGM_FI_DEV_MAX_SM_CLOCK", gpu, 0, kMinutes, 1700, pod);
    dcgm("DCGM_FI_DEV_SM_CLOCK", gpu, 0, kMinutes, 1700, pod);
    dcgm("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpu, 0, kMinutes, 4, pod);  // the power cap: no waste
  }
  dcgm("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", 0, 300, kMinutes, 64 + 8, true);
  dcgm("DCGM_FI_DEV_SM_CLOCK", 0, 300, kMinutes, 850, true);
}

/// n3 falls silent; one of its GPUs has gone before.
void plant_third_node(Recording& recording) {
  up(recording, "n3", 0, 240, 1);
  up(recording, "n3", 240, kMinutes, 0);
  Gpu worked(recording, "n3", "GPU-c0", 0, 0, 240);
  worked.load(0, 240, 0.7);
  worked.held_by("user/carol", "carol", 0, 240);
  Gpu gone(recording, "n3", "GPU-c1", 1, 0, 180);
}

/// In the first hour a pod waits for four GPUs on one node.
void plant_queue(Recording& recording) {
  const std::string pod = "namespace=\"ml\",pod=\"big-0\"";
  recording.add(
      "kube_pod_container_resource_requests{" + pod + ",container=\"main\",resource=\"nvidia_com_gpu\"}", 0,
      kMinutes, 4);
  recording.add("kube_pod_status_phase{" + pod + ",phase=\"Pending\"}", 0, 60, 1);
  recording.add("kube_pod_status_phase{" + pod + ",phase=\"Pending\"}", 60, kMinutes, 0);
}

class RecordedFleet : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
    Recording recording;
    plant_first_node(recording);
    plant_second_node(recording);
    plant_third_node(recording);
    plant_queue(recording);
    // Recorded blocks have no marks where a series ends, so nothing is looked for behind its last value.
    prometheus_ = std::make_unique<Prometheus>(
        "global: {}\n", std::vector<std::string>{"--query.lookback-delta=59s"}, recording.blocks(folder_));
  }
  Ran fleet(std::vector<std::string> more) const {
    std::vector<std::string> argv = {program(), "fleet", "--prometheus", prometheus_->url(),
                                     "--since", "6h",    "--until",      "2025-06-01T06:00"};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv);
  }
  kit::Node json(std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const Ran ran = fleet(more);
    EXPECT_EQ(ran.exit_code, 1) << "something is sick at the end\n" << ran.err;
    const auto read = kit::parse_json(ran.out, "fleet");
    EXPECT_TRUE(read.ok()) << ran.out.substr(0, 500);
    return read ? *read : kit::Node();
  }

  TempFolder folder_;
  std::unique_ptr<Prometheus> prometheus_;
};

double number(const kit::Node& node) {
  return base::parse_double(node.text()).value_or(-1);
}

/// One of a list by the value of a key.
const kit::Node& one_of(const kit::Node& list, const std::string& key, const std::string& value) {
  static const kit::Node kNone;
  for (const kit::Node& one : list.items) {
    if (one[key].text() == value) return one;
  }
  ADD_FAILURE() << "no " << key << " " << value;
  return kNone;
}

TEST_F(RecordedFleet, TheLedgerIsWhatWasPlantedAndSumsToTheTotal) {
  const kit::Node told = json({"--price-per-gpu-hour", "2"});
  EXPECT_EQ(number(told["total_gpu_seconds"]), 9 * 6 * 3600);
  const std::map<std::string, double> hours = {{"used", 23},  {"throttled", 2},  {"idle", 2},
                                               {"sick", 8},   {"fragmented", 3}, {"unallocated", 14},
                                               {"unknown", 2}};
  double sum = 0;
  for (const auto& [name, wanted] : hours) {
    const kit::Node& one = one_of(told["classes"], "class", name);
    EXPECT_EQ(number(one["gpu_seconds"]), wanted * 3600) << name;
    sum += number(one["gpu_seconds"]);
    const double lost = name == "used" || name == "unknown" ? 0 : name == "throttled" ? 1 : wanted;
    EXPECT_NEAR(number(one["lost_gpu_hours"]), lost, 1e-9) << name;
    EXPECT_NEAR(number(one["lost_usd"]), 2 * lost, 1e-6) << name;
    EXPECT_NEAR(number(one["cost_usd"]), 2 * wanted, 1e-6) << name;
  }
  EXPECT_EQ(sum, number(told["total_gpu_seconds"]));
  const kit::Node& sick = told["sick_gpu_seconds"];
  EXPECT_EQ(number(sick["gpu_silent"]), 2 * 3600);
  EXPECT_EQ(number(sick["node_silent"]), 4 * 3600);
  EXPECT_EQ(number(sick["gone"]), 1 * 3600);
  EXPECT_EQ(number(sick["critical"]), 1 * 3600);
  EXPECT_EQ(told["waiting_known"].text(), "true");
  for (const kit::Node& gpu : told["gpus"].items) {
    double own = 0;
    for (const auto& [name, seconds] : gpu["gpu_seconds"].entries) own += number(seconds);
    EXPECT_EQ(own, 6 * 3600) << gpu["uuid"].text();
  }
  EXPECT_THAT(schema_breaches(fleet({"--json"}).out,
                              read_file(source_dir() + "/docs/schema/fleet-usage.schema.json")),
              ::testing::IsEmpty());
}

TEST_F(RecordedFleet, EachHolderHasItsPartOfIt) {
  const kit::Node told = json();
  const kit::Node& all = told["holders"];
  const auto of = [&](const char* holder, const char* user, double used, double throttled, double idle) {
    const kit::Node& one = one_of(all, "holder", holder);
    EXPECT_EQ(one["user"].text(), user);
    EXPECT_NEAR(number(one["used_gpu_seconds"]), used * 3600, 1e-6) << holder;
    EXPECT_NEAR(number(one["throttled_gpu_seconds"]), throttled * 3600, 1e-6) << holder;
    EXPECT_NEAR(number(one["idle_gpu_seconds"]), idle * 3600, 1e-6) << holder;
  };
  of("slurm/1", "alice", 5 + 3, 1, 0);  // half of the shared GPU
  of("slurm/2", "bob", 3 + 3, 0, 2);
  of("pod/ml/train-0/main", "ml", 5, 1, 0);
  of("user/carol", "carol", 4, 0, 0);
  double sum = 0;
  for (const kit::Node& one : all.items) sum += number(one["gpu_seconds"]);
  EXPECT_NEAR(sum, (23 + 2 + 2) * 3600, 1e-6);
  // Prices by board: an H100 and an A10 cost what the catalog says.
  EXPECT_EQ(one_of(told["gpus"], "uuid", "GPU-b1")["usd_per_hour"].text(), "2");
  EXPECT_EQ(told["gpus_without_price"].text(), "0");
  EXPECT_NEAR(number(one_of(all, "holder", "user/carol")["cost_usd"]), 4 * 7.1208, 1e-6);
}

TEST_F(RecordedFleet, SaysWhatIsSickAndWhereTheMoneyWent) {
  const Ran ran = fleet({"--price-per-gpu-hour", "2"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out,
              HasSubstr("3 nodes, 9 GPUs: 1 node silent, 3 GPUs sick; 51.9 % of 54.00 GPU-hours lost"));
  EXPECT_THAT(ran.out, HasSubstr("node does not answer Prometheus"));
  EXPECT_THAT(ran.out, HasSubstr("critical gpu-lost-from-bus"));
  EXPECT_THAT(ran.out, HasSubstr("Xid 79 x 1"));
  EXPECT_THAT(ran.out, HasSubstr("at your 2 US$ a GPU-hour"));
  const Ran chinese = fleet({"--lang", "zh"});
  EXPECT_THAT(chinese.out, HasSubstr("空闲占用"));
  EXPECT_THAT(chinese.out, HasSubstr("估算"));
  const Ran line = fleet({"--quiet"});
  EXPECT_EQ(base::lines(line.out).size(), 1U) << line.out;
}

TEST_F(RecordedFleet, OthersPricesAndShapesAreTaken) {
  const std::string prices = folder_.write("prices.csv", "gpu,usd_per_hour\n*A10,0.5\n");
  const kit::Node told = json({"--price", prices, "--waiting", "1"});
  EXPECT_EQ(told["gpus_without_price"].text(), "7");
  EXPECT_NEAR(number(one_of(told["classes"], "class", "unallocated")["lost_usd"]), 6 * 0.5, 1e-6);
  EXPECT_EQ(number(one_of(told["classes"], "class", "fragmented")["gpu_seconds"]), 0)
      << "what wants one GPU fits";
  // Looked at more seldom it is the same within one look, here the pause of five minutes.
  const kit::Node coarse = json({"--step", "10m"});
  EXPECT_EQ(number(coarse["total_gpu_seconds"]), 9 * 6 * 3600);
  EXPECT_NEAR(number(one_of(coarse["classes"], "class", "idle")["gpu_seconds"]), 2 * 3600, 600);
}

TEST_F(RecordedFleet, MistakesAreToldInOneLine) {
  const auto says = [&](const std::vector<std::string>& more, const char* what) {
    const Ran ran = fleet(more);
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(what));
    EXPECT_EQ(base::lines(ran.err).size(), 1U) << ran.err;
  };
  says({"--step", "often"}, "--step");
  says({"--price-per-gpu-hour", "cheap"}, "no price in US dollars");
  says({"--waiting", "0"}, "--waiting");
  says({"--price", folder_.path() + "/none.csv"}, "none.csv");
  says({"host1"}, "--prometheus asks no hosts");
  const Ran without = run({program(), "fleet", "host1", "--since", "7d"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("give --prometheus URL, too"));
}

TEST(FleetOfPrometheus, ATokenIsSentAndRefusalsAreTold) {
  std::string seen;
  HttpSite site({}, [&](const kit::HttpRequest& request) {
    seen = request.header("Authorization").value_or("");
    if (seen != "Bearer secret-7") return kit::text_response(401, "no");
    return kit::text_response(200, R"({"status":"success","data":[]})");
  });
  const TempFolder folder;
  const std::string token = folder.write("token", "secret-7\n");
  const Ran refused = run({program(), "fleet", "--prometheus", site.url("/")});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("not let in (HTTP 401); give --token-file"));
  const Ran empty = run({program(), "fleet", "--prometheus", site.url(""), "--token-file", token});
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.err, HasSubstr("it knows no GPU in this time"));
  HttpSite page({}, [](const kit::HttpRequest&) { return kit::text_response(200, "<html>"); });
  const Ran other = run({program(), "fleet", "--prometheus", page.url("")});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("no Prometheus answers there"));
  const Ran nobody =
      run({program(), "fleet", "--prometheus", "http://127.0.0.1:" + std::to_string(free_port())});
  EXPECT_EQ(nobody.exit_code, 3) << nobody.err;
}

TEST(FleetOfPrometheus, ALiveNodeIsThere) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const Served node("boards 8 h100-sxm\nload 60\n", {"--compat", "dcgm"});
  const Prometheus prometheus(scrape_config({"127.0.0.1:" + std::to_string(node.port())}));
  ASSERT_TRUE(
      prometheus.becomes("sum(count_over_time(gpuwright_gpu_utilization_ratio[30s])) > bool 40", "1"));
  const Ran ran =
      run({program(), "fleet", "--prometheus", prometheus.url(), "--since", "10s", "--step", "1s"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 node, 8 GPUs: 0 nodes silent, 0 GPUs sick"));
  EXPECT_THAT(ran.out, HasSubstr("an estimate"));
  EXPECT_THAT(ran.out, HasSubstr("NVIDIA H100 80GB HBM3 7.1208 (1.9156 to"));
}

}  // namespace
}  // namespace gpuwright::tests
