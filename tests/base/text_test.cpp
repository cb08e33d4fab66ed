// Words that were nearly right.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace gpuwright::tests {
namespace {

TEST(Closest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> words = {"persistence", "power_limit", "ecc", "mig"};
  EXPECT_EQ(base::closest("persistance", words), "persistence");
  EXPECT_EQ(base::closest("power-limit", words), "power_limit");
  EXPECT_EQ(base::closest("Power_Limit", words), "power_limit");
  EXPECT_EQ(base::closest("pwoer_limit", words), "power_limit");
  EXPECT_EQ(base::closest("ec", words), "ecc");
}

TEST(Closest, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(base::closest("colour", {"persistence", "ecc"}), std::nullopt);
  EXPECT_EQ(base::closest("", {"a", "persistence"}), std::nullopt);
  EXPECT_EQ(base::closest("abc", {}), std::nullopt);
  EXPECT_EQ(base::closest(std::string(100'000, 'x'), {"xxxx"}), std::nullopt);
}

}  // namespace
}  // namespace gpuwright::tests
