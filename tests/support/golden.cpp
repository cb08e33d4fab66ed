// SPDX-License-Identifier: Apache-2.0
#include "support/golden.h"

#include "base/files.h"

#include "support/paths.h"
#include <gtest/gtest.h>

#include <cstdlib>

namespace gpuwright::tests {

void expect_file(const std::string& name, const std::string& text) {
  const std::string path = source_dir() + "/" + name;
  if (std::getenv("GPUWRIGHT_APPROVE") != nullptr) {
    EXPECT_TRUE(base::write_file_atomically(path, text, 0644).ok()) << path;
    return;
  }
  const auto there = base::read_file(path, 16 << 20);
  EXPECT_TRUE(there.ok() && there.value() == text)
      << name << " is behind: run this test with GPUWRIGHT_APPROVE=1 and look at the difference";
}

void expect_part_of_file(const std::string& name, const std::string& mark, const std::string& text) {
  constexpr const char* kEnd = "<!-- end -->\n";
  const std::string whole = read_file(source_dir() + "/" + name);
  const std::size_t open = whole.find(mark);
  const std::size_t begin = open == std::string::npos ? open : whole.find('\n', open);
  const std::size_t end = begin == std::string::npos ? begin : whole.find(kEnd, begin);
  ASSERT_NE(end, std::string::npos) << name << " lacks its marks";
  expect_file(name, whole.substr(0, begin + 1) + text + whole.substr(end));
}

}  // namespace gpuwright::tests
