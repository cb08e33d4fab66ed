// Pods and nodes as kubectl shows them: described, as YAML and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "parse/driver_formats.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gpuwright::tests {
namespace {

model::Observations read(const std::string& text) {
  model::Observations out;
  parse::parse_kubectl(text, parse::BlockContext{"input", 1}, knowledge(), out);
  return out;
}

const model::Event& only(const model::Observations& observations, const std::string& signal) {
  static const model::Event kNone;
  const auto is = [&](const model::Event& event) { return event.signal == signal; };
  EXPECT_EQ(std::count_if(observations.events.begin(), observations.events.end(), is), 1) << signal;
  const auto at = std::find_if(observations.events.begin(), observations.events.end(), is);
  return at == observations.events.end() ? kNone : *at;
}

TEST(Kubectl, ReadsADescribedPod) {
  const auto out = read(
      "Name:             train-0\nNamespace:        ml\nContainers:\n  app:\n    Limits:\n"
      "      cpu:             4\n      memory:          4Gi\n      nvidia.com/gpu:  2\n    Requests:\n"
      "      cpu:             1500m\n      nvidia.com/gpu:  2\n    Environment:       <none>\n");
  const model::Event& pod = only(out, "k8s.pod_resources");
  EXPECT_EQ(pod.subject.kind, model::SubjectKind::Pod);
  EXPECT_EQ(pod.subject.id, "train-0");
  EXPECT_EQ(pod.params.at("gpus"), "2");
  EXPECT_EQ(pod.params.at("cpu_limit"), "4");
  EXPECT_EQ(pod.params.at("cpu_request"), "1.5");
}

TEST(Kubectl, ReadsYamlAndJsonAlike) {
  const auto yaml = read(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: train-0\nspec:\n  containers:\n  - name: app\n"
      "    resources:\n      limits:\n        cpu: \"4\"\n        nvidia.com/gpu: \"1\"\n");
  const auto json = read(
      "{\n  \"kind\": \"Pod\",\n  \"metadata\": {\n    \"name\": \"train-0\"\n  },\n  \"spec\": {\n"
      "    \"containers\": [\n      {\n        \"resources\": {\n          \"limits\": {\n"
      "            \"cpu\": \"4\",\n            \"nvidia.com/gpu\": \"1\"\n          }\n        }\n      }\n "
      "   ]\n  }\n}\n");
  EXPECT_EQ(only(yaml, "k8s.pod_resources").params, only(json, "k8s.pod_resources").params);
  EXPECT_EQ(only(yaml, "k8s.pod_resources").subject.id, "train-0");
  EXPECT_EQ(only(yaml, "k8s.pod_resources").params.at("cpu_limit"), "4");
}

TEST(Kubectl, QuantitiesWithoutMeasureNeitherOverflowNorCount) {
  const std::string head = "Name:             train-0\n    Limits:\n      nvidia.com/gpu:  1\n      cpu:  ";
  EXPECT_EQ(only(read(head + "nan\n"), "k8s.pod_resources").params.count("cpu_limit"), 0u);
  EXPECT_EQ(only(read(head + "infm\n"), "k8s.pod_resources").params.count("cpu_limit"), 0u);
  const auto huge = read(head + "100000000000000000000\n");
  EXPECT_EQ(only(huge, "k8s.pod_resources").params.at("cpu_limit"), "100000000000000000000");
  EXPECT_EQ(only(read(head + "0.256\n"), "k8s.pod_resources").params.at("cpu_limit"), "0.26");
}

TEST(Kubectl, KeepsPodsOfAListApart) {
  const auto out = read(
      "Name:             a\n    Limits:\n      nvidia.com/gpu:  1\n"
      "Name:             b\n    Limits:\n      cpu:  2\n"
      "Name:             c\n    Limits:\n      nvidia.com/gpu:  8\n");
  ASSERT_EQ(out.events.size(), 2u);
  EXPECT_EQ(out.events[0].subject.id, "a");
  EXPECT_EQ(out.events[0].params.count("cpu_limit"), 0u);
  EXPECT_EQ(out.events[1].subject.id, "c");
  EXPECT_EQ(out.events[1].params.at("gpus"), "8");
}

TEST(Kubectl, ReadsANodesResourcesAndBadConditions) {
  const auto out = read(
      "Name:               gpu-03\nLabels:             nvidia.com/gpu.present=true\nConditions:\n"
      "  MemoryPressure   False   Mon, 01 Sep 2025 10:00:00 +0000   Mon, 01 Sep 2025 09:00:00 +0000   "
      "KubeletHasSufficientMemory   kubelet has sufficient memory\n"
      "  DiskPressure     True    Mon, 01 Sep 2025 10:00:00 +0000   Mon, 01 Sep 2025 09:00:00 +0000   "
      "KubeletHasDiskPressure   kubelet has disk pressure\n"
      "Capacity:\n  cpu:             192\n  nvidia.com/gpu:  8\nAllocatable:\n  nvidia.com/gpu:  7\n");
  const model::Event& node = only(out, "k8s.node_resources");
  EXPECT_EQ(node.subject.id, "gpu-03");
  EXPECT_EQ(node.params.at("capacity"), "8");
  EXPECT_EQ(node.params.at("allocatable"), "7");
  EXPECT_EQ(node.params.at("expected"), "yes");
  EXPECT_EQ(only(out, "k8s.evicted").params.at("resource"), "DiskPressure");
}

TEST(Kubectl, APodThatIsNotReadyIsNoSickNode) {
  const auto out =
      read("Name:             train-0\nConditions:\n  Type              Status\n  Ready             False\n");
  EXPECT_TRUE(out.events.empty());
}

}  // namespace
}  // namespace gpuwright::tests
