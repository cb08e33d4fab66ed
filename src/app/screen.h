// The terminal as a screen of its own: the alternate screen, keys as they are pressed. Plain control
// sequences of ECMA-48 that every terminal of today knows; terminfo often lacks the entry of the terminal in
// front of an ssh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <memory>
#include <string>
#include <vector>

namespace gpuwright::app {

enum class Key { None, Quit, Up, Down, PageUp, PageDown, Enter, Other };

struct Pressed {
  Key key = Key::None;
  char letter = 0;  ///< of Other
};

class Screen {
 public:
  /// Takes the terminal on these descriptors. Errors: Unsupported (no terminal), Io.
  static base::Result<Screen> open(int in, int out);
  /// Gives the terminal back as it was.
  ~Screen();
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) noexcept;

  /// Columns and lines now; 80 and 24 where the terminal does not tell.
  static std::pair<int, int> size(int out);
  /// Shows these lines, and nothing else.
  void show(const std::vector<std::string>& lines);
  /// What was pressed since; to be called when the descriptor can be read.
  std::vector<Pressed> read();
  /// False once the terminal is gone.
  bool there() const;

 private:
  struct State;
  explicit Screen(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What these bytes of a terminal mean. Sequences that are not known are passed over.
std::vector<Pressed> keys_of(const std::string& bytes);

}  // namespace gpuwright::app
