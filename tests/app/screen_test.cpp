// Keys as terminals send them.
// SPDX-License-Identifier: Apache-2.0
#include "app/screen.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using app::Key;

std::vector<Key> keys(const std::string& bytes) {
  std::vector<Key> all;
  for (const app::Pressed& pressed : app::keys_of(bytes)) all.push_back(pressed.key);
  return all;
}

TEST(Screen, KeysAndSequences) {
  EXPECT_EQ(keys("\x1b[A\x1b[B\x1bOA\x1b[5~\x1b[6~\rkj"),
            (std::vector<Key>{Key::Up, Key::Down, Key::Up, Key::PageUp, Key::PageDown, Key::Enter, Key::Up,
                              Key::Down}));
  EXPECT_EQ(keys("q"), std::vector<Key>{Key::Quit});
  EXPECT_EQ(keys("\x1b"), std::vector<Key>{Key::Quit});
  EXPECT_EQ(keys("\x03"), std::vector<Key>{Key::Quit});
  ASSERT_EQ(keys("i"), std::vector<Key>{Key::Other});
  EXPECT_EQ(app::keys_of("i").front().letter, 'i');
}

TEST(Screen, WhatIsNotKnownIsPassedOver) {
  EXPECT_TRUE(keys("\x1b[200~").empty());
  EXPECT_TRUE(keys("\x1b[").empty());
  EXPECT_TRUE(keys("\x1b[1;5").empty());
  EXPECT_EQ(keys("\x1b[15~q"), std::vector<Key>{Key::Quit});
}

TEST(Screen, WhatIsNoTerminalIsRefused) {
  const auto screen = app::Screen::open(-1, -1);
  ASSERT_FALSE(screen.ok());
  EXPECT_EQ(screen.error().kind, base::ErrorKind::Unsupported);
}

}  // namespace
}  // namespace gpuwright::tests
