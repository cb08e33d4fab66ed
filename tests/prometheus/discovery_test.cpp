// What a real Prometheus makes of the rendered discovery. Debian's is built without that of Kubernetes, so
// the labels that it would find are given to it by hand; the rules that follow are those that we render.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "kit/http_client.h"
#include "kit/json.h"

#include "artifacts/prometheus.h"
#include "support/prometheus.h"
#include "support/run.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using ::testing::ElementsAre;

/// The rendered configuration, with `found` (static_configs) where Prometheus would ask Kubernetes.
std::string with_found(artifacts::Discovery discovery, const std::string& found) {
  artifacts::ScrapeOptions options;
  options.discovery = discovery;
  options.rules_file = "none-*.yml";
  std::string config = artifacts::prometheus_config(options);
  const std::size_t begin = config.find("  kubernetes_sd_configs:");
  const std::size_t end = config.find("  relabel_configs:");
  EXPECT_TRUE(begin < end && end != std::string::npos) << config;
  return config.replace(begin, end - begin, "  static_configs:\n" + found);
}

/// "URL instance node" of each target that Prometheus scrapes.
std::vector<std::string> targets(const Prometheus& prometheus) {
  std::vector<std::string> all;
  for (int i = 0; i < 100 && all.empty(); ++i) {
    const auto answer = kit::http_get(prometheus.url("/api/v1/targets"), std::chrono::seconds(5));
    const auto json =
        answer ? kit::parse_json(answer->body, "targets") : base::Result<kit::Node>(answer.error());
    if (json) {
      for (const kit::Node& one : (*json)["data"]["activeTargets"].items)
        all.push_back(one["scrapeUrl"].text() + " " + one["labels"]["instance"].text() + " " +
                      one["labels"]["node"].text());
    }
    if (all.empty()) ::usleep(100'000);
  }
  return all;
}

TEST(Discovery, OfKubernetesNodesTakesThoseWithGpus) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const Prometheus prometheus(
      with_found(artifacts::Discovery::Kubernetes,
                 "  - targets: ['10.0.0.1:10250']\n    labels: {__meta_kubernetes_node_name: gpu-01, "
                 "__meta_kubernetes_node_label_nvidia_com_gpu_present: 'true', "
                 "__meta_kubernetes_node_address_InternalIP: 127.0.0.9}\n"
                 "  - targets: ['10.0.0.2:10250']\n    labels: {__meta_kubernetes_node_name: cpu-01, "
                 "__meta_kubernetes_node_address_InternalIP: 127.0.0.8}\n"));
  EXPECT_THAT(targets(prometheus), ElementsAre("http://127.0.0.9:9400/metrics gpu-01 gpu-01"))
      << prometheus.said();
}

TEST(Discovery, OfPodsTakesOursAtTheirPort) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const auto pod = [](const char* address, const char* name, const char* port, const char* phase) {
    return std::string("  - targets: ['") + address +
           "']\n    labels: {__meta_kubernetes_pod_node_name: gpu-01, " +
           "__meta_kubernetes_pod_label_app_kubernetes_io_name: " + name +
           ", __meta_kubernetes_pod_container_port_name: " + port +
           ", __meta_kubernetes_pod_phase: " + phase + "}\n";
  };
  const Prometheus prometheus(with_found(artifacts::Discovery::KubernetesPods,
                                         pod("127.0.0.7:9400", "gpuwright", "metrics", "Running") +
                                             pod("127.0.0.7:9401", "gpuwright", "page", "Running") +
                                             pod("127.0.0.6:9400", "gpuwright", "metrics", "Succeeded") +
                                             pod("127.0.0.5:9400", "web", "metrics", "Running")));
  EXPECT_THAT(targets(prometheus), ElementsAre("http://127.0.0.7:9400/metrics gpu-01 gpu-01"))
      << prometheus.said();
}

TEST(Discovery, OfFilesTakesTheNodesOfSlurm) {
  if (!Prometheus::installed()) GTEST_SKIP() << "prometheus is not installed";
  const TempFolder folder;
  artifacts::ScrapeOptions options;
  options.discovery = artifacts::Discovery::File;
  options.rules_file = "none-*.yml";
  options.target_file = folder.write(
      "targets.json", artifacts::prometheus_targets({{"gpu-07", "127.0.0.4", 9400, {"train", "debug"}}}));
  const Prometheus prometheus(artifacts::prometheus_config(options));
  EXPECT_THAT(targets(prometheus), ElementsAre("http://127.0.0.4:9400/metrics gpu-07 gpu-07"))
      << prometheus.said();
}

}  // namespace
}  // namespace gpuwright::tests
