// What is over after a GPU was reset.
// SPDX-License-Identifier: Apache-2.0
#include "app/recovered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gpuwright::tests {
namespace {

model::Event event(const std::string& gpu, std::optional<std::int64_t> at_ns) {
  model::Event one;
  one.subject.kind = model::SubjectKind::Gpu;
  one.subject.id = gpu;
  one.last.since_boot_ns = at_ns;
  return one;
}

TEST(Recovered, WhatIsOlderIsDroppedOfThatGpuAlone) {
  const auto recovered = app::parse_recovered("00000000:3B:00.0=100.5,0000:61:00=7");
  ASSERT_TRUE(recovered.ok()) << recovered.error().message;
  model::Observations observations;
  observations.events = {event("0000:3b:00", 100'000'000'000), event("0000:3b:00", 101'000'000'000),
                         event("0000:9d:00", 100'000'000'000), event("0000:3b:00", std::nullopt)};
  app::drop_recovered(*recovered, observations);
  ASSERT_EQ(observations.events.size(), 3U);
  EXPECT_EQ(observations.events[0].last.since_boot_ns, 101'000'000'000);
}

TEST(Recovered, AnythingElseIsRefused) {
  for (const char* text :
       {"x", "0000:3b:00", "0000:3b:00=", "0000:3b:00=-1", "gpu3=5", "0000:3b:00=nan", ","}) {
    EXPECT_FALSE(app::parse_recovered(text).ok()) << text;
  }
  EXPECT_TRUE(app::parse_recovered("").ok());
}

}  // namespace
}  // namespace gpuwright::tests
