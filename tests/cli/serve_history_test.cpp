// What the daemon remembers, also when it is killed.
// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "kit/sqlite.h"

#include "support/background.h"
#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run.h"
#include "support/served.h"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kGpu3 = "gpu=\"3\",uuid=\"GPU-fa4e0000-2330-4000-8000-000000000003\"";
const std::string kXid = "NVRM: Xid (PCI:0000:61:00): 79, pid=1, GPU has fallen off the bus.\n";

class ServeHistory : public ::testing::Test {
 protected:
  ServeHistory() : database_(folder_.path() + "/state/gpuwright/history.db"), log_(folder_.path() + "/kmsg") {
    ::mkfifo(log_.c_str(), 0600);
    feed_ = ::open(log_.c_str(), O_RDWR);
  }
  ~ServeHistory() override { ::close(feed_); }

  std::unique_ptr<Served> serve(const std::string& scenario, std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--history", database_, "--kernel-log", log_});
    return std::make_unique<Served>(scenario, options);
  }
  void kernel_says(const std::string& text) {
    const std::string record = "4," + std::to_string(++sequence_) + ",5000000,-;" + text;
    ASSERT_EQ(::write(feed_, record.data(), record.size()), static_cast<ssize_t>(record.size()));
  }
  std::string history(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {program(), "history", "--db", database_});
    const Ran ran = run(arguments);
    return ran.out + ran.err;
  }
  /// Asks until the answer holds that.
  bool remembers(const std::vector<std::string>& what, const std::string& text) const {
    for (int i = 0; i < 300; ++i) {
      if (history(what).find(text) != std::string::npos) return true;
      ::usleep(100'000);
    }
    return false;
  }

  TempFolder folder_;
  std::string database_, log_;
  int feed_ = -1;
  int sequence_ = 100;
};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST_F(ServeHistory, EventsIncidentsChangesJobsAndSeriesAreKept) {
  const Background job({"sleep", "300"}, folder_.path() + "/job");
  auto node = serve("boards 4 h100-sxm\nload 60\nprocess 2 " + std::to_string(job.pid()) +
                        " sleep 1GiB\nat 5s gpu 3 lost\n",
                    {"--look-period", "1s", "--whole-period", "1s"});
  kernel_says(kXid);
  EXPECT_TRUE(remembers({"events", "--csv"}, "GPU has fallen off the bus"));
  EXPECT_TRUE(remembers({"incidents"}, "gpu-lost-to-driver")) << node->get("/api/v1/node").body;
  EXPECT_TRUE(remembers({"changes", "--csv"}, ",presence,answers,lost,GPU is lost"));
  EXPECT_TRUE(remembers({"jobs", "--csv"}, "GPU-fa4e0000-2330-4000-8000-000000000002"));
  EXPECT_TRUE(remembers({"series"}, "power_watts\n"));
  EXPECT_TRUE(remembers({"series"}, "node_memory_bytes/available\n"));
  EXPECT_TRUE(remembers({"events"}, "lost"));
  EXPECT_TRUE(node->metrics_tell("gpuwright_history_up 1\n"));
  EXPECT_TRUE(node->metrics_tell("gpuwright_history_info{condition=\"ok\",path=\"" + database_ + "\"} 1\n"));
  EXPECT_EQ(node->value("gpuwright_history_ticks_dropped_total"), "0");
  EXPECT_THAT(node->get("/api/v1/node").body, HasSubstr("\"history\":{\"up\":true,\"condition\":\"ok\""));
  EXPECT_EQ(node->stop(), 0);
  EXPECT_THAT(history({"events"}), HasSubstr("the daemon was told to end")) << "what waits is written first";
}

TEST_F(ServeHistory, AKilledDaemonForgetsNeitherIncidentsNorXids) {
  const std::string lost = "boards 4 h100-sxm\ngpu 3 lost\n";
  auto node = serve("boards 4 h100-sxm\nat 3s gpu 3 lost\n", {"--look-period", "1s"});
  kernel_says(kXid);
  kernel_says(kXid);
  ASSERT_TRUE(node->metrics_tell("gpuwright_gpu_xid_errors_total{" + kGpu3 + ",xid=\"79\"} 2\n"));
  ASSERT_TRUE(node->metrics_tell("cause=\"gpu-lost-to-driver\"", std::chrono::seconds(40)));
  const std::string series =
      "gpuwright_incident_start_timestamp_seconds{cause=\"gpu-lost-to-driver\",severity=";
  const auto start_of = [&series](const Served& served) {
    const std::string body = served.get("/metrics").body;
    const std::size_t at = body.find(series);
    return at == std::string::npos ? 0 : std::stod(body.substr(body.find("} ", at) + 2, 20));
  };
  const double began = start_of(*node);
  ASSERT_TRUE(remembers({"incidents"}, "gpu-lost-to-driver"));
  ASSERT_TRUE(remembers({"events", "--csv"}, "fallen off the bus.\",2,1") ||
              count(history({"events", "--csv"}), "fallen off the bus.\",1,1") == 2);
  node->stop(SIGKILL);

  node = serve(lost, {"--look-period", "1s"});
  ASSERT_TRUE(node->metrics_tell("cause=\"gpu-lost-to-driver\""));
  EXPECT_NEAR(start_of(*node), began, 0.002) << "it is the same incident";
  EXPECT_TRUE(node->metrics_tell(",xid=\"79\"} 2\n"));
  kernel_says(kXid);
  EXPECT_TRUE(node->metrics_tell(",xid=\"79\"} 3\n"));
  EXPECT_EQ(count(history({"incidents", "--csv"}), ",gpu-lost-to-driver,"), 1U) << history({"incidents"});
  node->stop(SIGKILL);

  // Nothing is wrong any more: after two looks it has ended, and the row says so.
  node = serve("boards 4 h100-sxm\n", {"--look-period", "1s"});
  ASSERT_TRUE(remembers({"incidents", "--csv"}, ",unseen,")) << history({"incidents"});
  EXPECT_EQ(count(history({"incidents", "--csv"}), ",gpu-lost-to-driver,"), 1U);
}

TEST_F(ServeHistory, ARebootIsToldFromTheBootId) {
  auto node = serve("boards 2 h100-sxm\ngpu 1 lost\n", {"--look-period", "1s"});
  kernel_says("NVRM: Xid (PCI:0000:1b:00): 48, pid=1, DBE\n");
  ASSERT_TRUE(remembers({"incidents"}, "gpu-lost-to-driver"));
  ASSERT_TRUE(remembers({"events"}, "DBE"));
  node->stop(SIGKILL);
  {
    kit::SqliteOptions options;
    options.access = kit::SqliteAccess::ReadWrite;
    auto file = kit::SqliteDatabase::open(database_, options);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->execute("UPDATE boots SET boot='earlier'; UPDATE events SET boot='earlier';"
                              "UPDATE incidents SET boot='earlier'")
                    .ok());
  }
  node = serve("boards 2 h100-sxm\n", {"--look-period", "1s"});
  EXPECT_TRUE(remembers({"incidents", "--csv"}, ",reboot,")) << history({"incidents"});
  EXPECT_THAT(node->get("/metrics").body, Not(HasSubstr("xid=\"48\"} 1\n"))) << "counters begin anew";
}

TEST_F(ServeHistory, AFullDiskStopsTheHistoryAndNothingElse) {
  const std::string disk = folder_.path() + "/disk";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "no right to mount a small disk";
  database_ = disk + "/history.db";
  {
    auto node = serve("boards 2 h100-sxm\nload 30\n");
    EXPECT_TRUE(node->metrics_tell("gpuwright_history_up 0\n"));
    EXPECT_TRUE(node->metrics_tell("gpuwright_history_info{condition=\"full\""));
    EXPECT_TRUE(node->tells("/api/v1/node", "\"why\":\"history stands still: "));
    EXPECT_THAT(node->said(), HasSubstr("history: history stands still"));
    EXPECT_TRUE(node->metrics_tell("gpuwright_gpu_power_watts{gpu=\"1\""));
    EXPECT_EQ(node->stop(), 0);
  }
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST_F(ServeHistory, ADamagedFileIsSetAsideAndAnothersIsLeftAlone) {
  serve("boards 1 t4\n")->stop();
  {
    kit::SqliteOptions options;
    options.access = kit::SqliteAccess::ReadWrite;
    auto file = kit::SqliteDatabase::open(database_, options);
    ASSERT_TRUE(file.ok() && file->execute("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  }
  std::string bytes = read_file(database_);
  ASSERT_GT(bytes.size(), 8192U);
  bytes.replace(4096, 4096, 4096, '\xff');
  ASSERT_TRUE(std::filesystem::remove(database_));
  (void)folder_.write("state/gpuwright/history.db", bytes);
  {
    const auto node = serve("boards 1 t4\n");
    EXPECT_TRUE(node->metrics_tell("gpuwright_history_info{condition=\"set aside\""));
    EXPECT_TRUE(node->metrics_tell("gpuwright_history_up 1\n"));
    EXPECT_TRUE(node->tells("/api/v1/node", "it is kept as " + database_ + ".corrupt-"));
  }
  database_ = folder_.write("words.txt", "these are not our words, and long enough to be looked at\n");
  const std::string before = read_file(database_);
  const auto node = serve("boards 1 t4\n");
  EXPECT_TRUE(node->metrics_tell("gpuwright_gpu_power_watts{"));
  EXPECT_TRUE(node->metrics_tell("gpuwright_history_"));
}

TEST_F(ServeHistory, IsAnsweredOverHttp) {
  const auto node = serve("boards 4 h100-sxm\nload 60\nat 4s gpu 3 lost\n", {"--look-period", "1s"});
  kernel_says(kXid);
  const std::string schema = read_file(source_dir() + "/docs/schema/history.schema.json");
  ASSERT_TRUE(node->tells("/api/v1/history?what=incidents", "\"cause\":\"gpu-lost-to-driver\""));
  ASSERT_TRUE(node->tells("/api/v1/history?what=events&since=1h", "has fallen off the bus"));
  ASSERT_TRUE(
      node->tells("/api/v1/history?what=series&name=power_watts&gpu=2&since=1h&points=60", "\"points\":[["));
  for (const char* what :
       {"events", "incidents", "changes", "jobs", "series", "series&name=up&name=power_watts"}) {
    const kit::HttpAnswer answer = node->get(std::string("/api/v1/history?what=") + what);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(kit::find_header(answer.headers, "content-type"), "application/json; charset=utf-8");
    EXPECT_EQ(kit::find_header(answer.headers, "cache-control"), "no-store");
    EXPECT_THAT(schema_breaches(answer.body, schema), ::testing::IsEmpty()) << what;
  }
  const std::string incidents = node->get("/api/v1/history?what=incidents").body;
  EXPECT_THAT(incidents, HasSubstr("\"device\":\"0000:61:00\""));
  EXPECT_THAT(incidents, HasSubstr("\"title_zh\":\"驱动"));
  const std::string both = node->get("/api/v1/history?what=series&name=up&name=power_watts").body;
  EXPECT_THAT(both, HasSubstr("\"metric\":\"up\""));
  EXPECT_THAT(both, HasSubstr("\"metric\":\"power_watts\""));
  EXPECT_THAT(
      node->get("/api/v1/history?what=series&name=power_watts&gpu=GPU-fa4e0000-2330-4000-8000-000000000001")
          .body,
      Not(HasSubstr("000000000002")));
  EXPECT_THAT(node->get("/api/v1/history?what=series&name=no_such_series").body, HasSubstr("\"rows\":[]"));
  for (const char* wrong :
       {"", "?what=weather", "?what=events&until=1h&since=1s", "?what=events&name=x", "?what=events&points=0",
        "?what=events&since=then", "?what=events&gpu=77", "?what=events&x=1"})
    EXPECT_EQ(node->get(std::string("/api/v1/history") + wrong).status, 400) << wrong;
}

/// The process that owns the file stands still: a question is answered with why, in time, and a scrape at
/// once.
TEST_F(ServeHistory, AHungProcessIsToldAndNobodyWaitsForIt) {
  const auto node = serve("boards 1 t4\n");
  ASSERT_TRUE(node->tells("/api/v1/history?what=series", "power_watts"));
  pid_t child = -1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string status = base::read_file(entry.path().string() + "/status", 4096).value_or("");
    if (status.find("Name:\tgpuw-history\n") != std::string::npos &&
        status.find("\nPPid:\t" + std::to_string(node->pid()) + "\n") != std::string::npos)
      child = static_cast<pid_t>(std::stoi(entry.path().filename().string()));
  }
  ASSERT_GT(child, 0);
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  kit::HttpCall call;
  call.url = node->url("/api/v1/history?what=events");
  call.deadline = std::chrono::seconds(60);
  const auto late = kit::http_call(call);
  ASSERT_TRUE(late.ok());
  EXPECT_EQ(late->status, 503) << late->body;
  EXPECT_TRUE(node->metrics_tell("gpuwright_history_up 0\n"));
  EXPECT_THAT(node->get("/metrics").body, HasSubstr("gpuwright_gpu_power_watts{"));
}

TEST_F(ServeHistory, WithoutOneNothingIsSaidOfIt) {
  const Served node("boards 1 t4\n");
  EXPECT_THAT(node.get("/metrics").body, Not(HasSubstr("\ngpuwright_history_")));
  EXPECT_THAT(node.get("/api/v1/node").body, Not(HasSubstr("\"history\"")));
  const kit::HttpAnswer none = node.get("/api/v1/history?what=events");
  EXPECT_EQ(none.status, 503);
  EXPECT_THAT(none.body, HasSubstr("--no-history"));
}

}  // namespace
}  // namespace gpuwright::tests
