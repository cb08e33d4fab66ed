// kubelet's list of who was given which GPU, and the reader below it.
// SPDX-License-Identifier: Apache-2.0
#include "parse/pod_resources.h"

#include "parse/protobuf.h"

#include "support/pod_resources.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kGpu = "GPU-5f6e1a2b-3c4d-5e6f-7a8b-9c0d1e2f3a4b";
const std::string kMig = "MIG-0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";

TEST(Protobuf, NumbersTextsAndTheEnd) {
  const std::string message("\x08\x96\x01\x12\x02hi\x1d\x01\x00\x00\x00\x21\x02\x00\x00\x00\x00\x00\x00\x00",
                            21);
  parse::ProtobufReader reader(message);
  parse::ProtobufField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 1U);
  EXPECT_EQ(field.value, 150U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_TRUE(field.has_bytes);
  EXPECT_EQ(field.bytes, "hi");
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.value, 1U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.value, 2U);
  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.ok());
}

TEST(Protobuf, WhatIsNoMessage) {
  for (const std::string& message :
       {std::string("\x12\x05hi"), std::string("\x08"), std::string(12, '\xff'), std::string("\x02\x00", 2),
        std::string("\x0b\x0c"), std::string("\x1d\x01", 2),
        std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}) {
    parse::ProtobufReader reader(message);
    parse::ProtobufField field;
    while (reader.next(field)) {
    }
    EXPECT_FALSE(reader.ok());
  }
}

TEST(PodResources, ADeviceInEachSpelling) {
  struct Case {
    std::string id;
    parse::GivenDevice device;
  };
  const auto device = [](const std::string& uuid, std::int64_t index, std::int64_t gi, std::int64_t ci,
                         std::int64_t vgpu, std::int64_t replica) {
    return parse::GivenDevice{uuid, index, gi, ci, vgpu, replica, "", ""};
  };
  for (const Case& one : std::vector<Case>{{kGpu, device(kGpu, -1, -1, -1, -1, -1)},
                                           {kMig, device(kMig, -1, -1, -1, -1, -1)},
                                           {"MIG-" + kGpu + "/7/0", device(kGpu, -1, 7, 0, -1, -1)},
                                           {kGpu + "::3", device(kGpu, -1, -1, -1, -1, 3)},
                                           {kMig + "::0", device(kMig, -1, -1, -1, -1, 0)},
                                           {"nvidia0", device("", 0, -1, -1, -1, -1)},
                                           {"nvidia12/gi3", device("", 12, 3, -1, -1, -1)},
                                           {"nvidia0/vgpu1", device("", 0, -1, -1, 1, -1)},
                                           {"nvidia0/gi3/vgpu1", device("", 0, 3, -1, 1, -1)}}) {
    parse::GivenDevice read;
    EXPECT_TRUE(parse::read_device_id(one.id, read)) << one.id;
    EXPECT_EQ(read, one.device) << one.id;
  }
}

TEST(PodResources, WhatIsNoGpu) {
  for (const std::string& id :
       {std::string(), std::string("GPU-"), std::string("GPU-1"), kGpu + "::", kGpu + "::x", kGpu + "::-1",
        std::string("nvidia"), std::string("nvidiactl"), std::string("nvidia0/xx"), std::string("nvidia-1"),
        std::string("nvidia99999999999999999999"), "MIG-" + kGpu, "MIG-" + kGpu + "/1",
        std::string("MIG-GPU-/1/0"), std::string("0000:3b:00.2"), std::string(10'000, 'a')}) {
    parse::GivenDevice read;
    EXPECT_FALSE(parse::read_device_id(id, read)) << id.substr(0, 60);
  }
}

TEST(PodResources, ContainersWithGpusOfPluginsAndOfClaims) {
  using namespace pods;  // NOLINT(google-build-using-namespace)
  const std::string message =
      pod("train-0", "research",
          container("main",
                    devices("nvidia.com/gpu", {kGpu, kGpu + "::1"}) + devices("rdma/hca", {"mlx5_0"})) +
              container("sidecar", "")) +
      pod("claimed", "research",
          container("main", claim("gpu.nvidia.com", "node-1", "gpu-3", "k8s.gpu.nvidia.com/claim=c-gpu-3") +
                                claim("gpu.nvidia.com", "node-1", "gpu-4", "nvidia.com/gpu=" + kGpu) +
                                claim("net.example.com", "node-1", "gpu-5", ""))) +
      pod("web", "default", container("main", ""));
  const auto read = parse::read_pod_resources(message);
  ASSERT_TRUE(read.ok());
  ASSERT_THAT(*read, SizeIs(2));
  EXPECT_EQ((*read)[0].pod, "train-0");
  EXPECT_EQ((*read)[0].pod_namespace, "research");
  EXPECT_EQ((*read)[0].container, "main");
  ASSERT_THAT((*read)[0].devices, SizeIs(2)) << "the network card is none";
  EXPECT_EQ((*read)[0].devices[1].replica, 1);
  ASSERT_THAT((*read)[1].devices, SizeIs(2)) << "another driver's claim is none";
  EXPECT_EQ((*read)[1].devices[0].pool, "node-1");
  EXPECT_EQ((*read)[1].devices[0].device, "gpu-3");
  EXPECT_EQ((*read)[1].devices[0].index, 3);
  EXPECT_EQ((*read)[1].devices[1].uuid, kGpu);
}

TEST(PodResources, AnEmptyAnswerAndABrokenOne) {
  EXPECT_THAT(parse::read_pod_resources("").value(), IsEmpty());
  const std::string good = pods::pod("a", "b", pods::container("c", pods::devices("nvidia.com/gpu", {kGpu})));
  for (std::size_t size = 1; size < good.size(); ++size)
    EXPECT_FALSE(parse::read_pod_resources(good.substr(0, size)).ok()) << size;
}

TEST(PodResources, NamesArePrintable) {
  const auto read =
      parse::read_pod_resources(pods::pod("a\x1b[2Jb", std::string(10'000, 'n'),
                                          pods::container("c\n", pods::devices("nvidia.com/gpu", {kGpu}))));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ((*read)[0].pod, "a?[2Jb");
  EXPECT_LT((*read)[0].pod_namespace.size(), 300U);
  EXPECT_EQ((*read)[0].container, "c?");
}

}  // namespace
}  // namespace gpuwright::tests
