// Names that kubelet gives to logs.
// SPDX-License-Identifier: Apache-2.0
#include "parse/kubelet_logs.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

const std::string kId(64, 'a');

TEST(KubeletLogs, ALinkNamesContainerAndPod) {
  const auto read = parse::read_container_log_name("train-0.x_research_main-c-" + kId + ".log");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->pod, "train-0.x");
  EXPECT_EQ(read->pod_namespace, "research");
  EXPECT_EQ(read->container, "main-c");
  EXPECT_EQ(read->container_id, kId);
}

TEST(KubeletLogs, AFolderNamesPodAndUid) {
  const auto read = parse::read_pod_log_name("research_train-0_1b4e28ba-2fa1-11d2-883f-0016d3cca427");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->pod, "train-0");
  EXPECT_EQ(read->pod_namespace, "research");
  EXPECT_EQ(read->pod_uid, "1b4e28ba-2fa1-11d2-883f-0016d3cca427");
}

TEST(KubeletLogs, OtherNamesAreNone) {
  for (const std::string& name :
       {std::string(), std::string(".log"), "a_b_" + kId + ".log", "a_b_-" + kId + ".log",
        "a_b_c" + kId + ".log", "a_b_c-" + kId, "_b_c-" + kId + ".log", "a_b_c_d-" + kId + ".log",
        "A_b_c-" + kId + ".log", std::string(10'000, '_')})
    EXPECT_FALSE(parse::read_container_log_name(name).has_value()) << name.substr(0, 80);
  for (const std::string& name :
       {std::string(), std::string("a_b"), std::string("a__c"), std::string("a_b_c_d")})
    EXPECT_FALSE(parse::read_pod_log_name(name).has_value()) << name;
}

}  // namespace
}  // namespace gpuwright::tests
