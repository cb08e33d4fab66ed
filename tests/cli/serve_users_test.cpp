// Who uses the GPUs, as scrapes tell it.
// SPDX-License-Identifier: Apache-2.0
#include "support/background.h"
#include "support/run.h"
#include "support/served.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// How many series the text has whose line begins so.
std::ptrdiff_t count(const std::string& text, const std::string& start) {
  std::ptrdiff_t found = 0;
  for (std::size_t at = 0; (at = text.find("\n" + start, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(ServeUsers, ProcessesOfOneHolderAreOneSeriesAndTheHostTells) {
  const TempFolder folder;
  const Background first({"sleep", "300"}, folder.path() + "/a");
  const Background second({"sleep", "300"}, folder.path() + "/b");
  const auto on_gpu = [](const char* gpu, const Background& process, const char* memory) {
    return std::string("process ") + gpu + " " + std::to_string(process.pid()) + " sleep " + memory + "\n";
  };
  const Served node("boards 2 h100-sxm\nload 30\n" + on_gpu("0", first, "1GiB") +
                        on_gpu("0", second, "2GiB") + "process 1 999999999 gone-already 1GiB\n",
                    {"--compat", "dcgm", "--dcgm-users", "--period", "200ms", "--whole-period", "400ms"});
  ASSERT_TRUE(node.metrics_tell("gpuwright_survey_age_seconds{of=\"host\"}")) << node.get("/metrics").body;
  ASSERT_TRUE(node.metrics_tell("holder=\"unknown\""));
  const std::string text = node.get("/metrics").body;
  EXPECT_EQ(count(text, "gpuwright_gpu_user_info{gpu=\"0\""), 1) << text;
  EXPECT_EQ(count(text, "gpuwright_gpu_process_memory_bytes{gpu=\"0\""), 1);
  EXPECT_THAT(text, HasSubstr("} 3221225472\n")) << "the memory of both";
  EXPECT_THAT(text, HasSubstr("gpuwright_node_memory_bytes{kind=\"total\"}"));
  EXPECT_THAT(text, HasSubstr("gpuwright_node_cpu_seconds_total{mode=\"idle\"}"));
  EXPECT_THAT(node.get("/api/v1/node").body, HasSubstr("\"command\":\"sleep\""));
  EXPECT_EQ(count(text, "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\""), 1) << "one series, however many use it";
  EXPECT_THAT(text, Not(HasSubstr("hpc_job")));
  if (run({"promtool", "--version"}).exit_code != 0) return;
  const std::string own = text.substr(0, text.find("# HELP DCGM"));
  const Ran ran = run({"promtool", "check", "metrics"}, own);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace gpuwright::tests
