// What two specs ask for differently.
// SPDX-License-Identifier: Apache-2.0
#include "rules/spec_diff.h"

#include "report/spec_text.h"

#include "support/diagnose.h"
#include "support/spec.h"
#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

std::string difference(const std::string& left, const std::string& right) {
  const parse::SpecReading a = read_spec(left), b = read_spec(right);
  EXPECT_TRUE(a.ok() && b.ok()) << left << right;
  return report::spec_differences_text(rules::compare_specs(a.spec, b.spec, knowledge()),
                                       catalog::Language::English);
}

TEST(SpecDiff, ValuesAreComparedByWhatTheyMean) {
  EXPECT_EQ(difference("gpu: {power_limit: 0.5 kW}", "gpu: {power_limit: 500 W}"), "no difference\n");
  EXPECT_EQ(difference("machine: {min_memory: 1024 GiB}", "machine: {min_memory: 1 TiB}"), "no difference\n");
  EXPECT_EQ(difference("gpu: {power_limit: 0.5 kW}", "gpu: {power_limit: 450 W}"),
            "~ gpu.power_limit: 500 W -> 450 W\n");
  EXPECT_EQ(difference("os: {sysctl: {a: 1, b: 2}}", "os: {sysctl: {b: 2, a: 1}}"), "no difference\n");
}

TEST(SpecDiff, ItemsAreMatchedByName) {
  const char* left = "network: {ports: [{name: eth0, mtu: 9000}, {name: eth1, mtu: 1500}]}";
  const char* swapped = "network: {ports: [{name: eth1, mtu: 1500}, {name: eth0, mtu: 9000}]}";
  const char* other = "network: {ports: [{name: eth1, mtu: 9000}, {name: eth0, mtu: 9000}]}";
  EXPECT_EQ(difference(left, swapped), "no difference\n");
  EXPECT_EQ(difference(left, other), "~ network.ports[eth1].mtu: 1500 -> 9000\n");
  EXPECT_EQ(difference(left, "network: {ports: [{name: eth0, mtu: 9000}]}"),
            "- network.ports[eth1].name: eth1\n- network.ports[eth1].mtu: 1500\n");
}

TEST(SpecDiff, WhatOnlyOneSaysIsTold) {
  EXPECT_EQ(difference("{}", "name: a\ngpu: {ecc: true}"), "+ name: a\n+ gpu.ecc: true\n");
  EXPECT_EQ(difference("firmware: []", "{}"), "- firmware: 0 items\n");
  EXPECT_EQ(difference("gpu: {mig: {layouts: [{gpus: [0], profiles: {1g.10gb: 7}}]}}",
                       "gpu: {mig: {layouts: [{gpus: [0], profiles: {1g.10gb: 6}}]}}"),
            "~ gpu.mig.layouts[0].profiles: {1g.10gb: 7} -> {1g.10gb: 6}\n");
}

}  // namespace
}  // namespace gpuwright::tests
