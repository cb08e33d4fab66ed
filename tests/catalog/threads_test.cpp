// The tables are made when somebody first asks for one: many threads may be the first.
// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace gpuwright::tests {
namespace {

TEST(Catalog, ManyThreadsMayAskFirst) {
  const auto catalog = catalog::Catalog::embedded();
  ASSERT_TRUE(catalog.ok()) << catalog.error().text();
  const catalog::Catalog copy = *catalog;  // shares the tables
  std::atomic<int> found{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int index = 0; index < 8; ++index) {
    threads.emplace_back([&, index] {
      const catalog::Catalog& asked = index % 2 == 0 ? *catalog : copy;
      if (asked.xid(79) != nullptr && asked.xid(79)->code == 79) ++found;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(found, 8);
}

}  // namespace
}  // namespace gpuwright::tests
