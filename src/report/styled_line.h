// A line of a terminal in pieces of several styles, and texts of an exact width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/layout.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::report {

/// The text in exactly `width` columns: filled with blanks, or cut with an ellipsis.
std::string fit_left(std::string_view text, int width);
std::string fit_right(std::string_view text, int width);

/// A bar of `width` columns, filled to `share` (0 to 1) in eighths of a column.
std::string bar(double share, int width);

class StyledLine {
 public:
  StyledLine& add(std::string_view text, Style style = Style::Plain);
  /// Blanks up to this column.
  StyledLine& to(int column);
  int width() const { return width_; }
  /// Cut to `width` columns; `inverted`: as the one that is chosen, filled to the whole width.
  std::string render(int width, bool color, bool inverted = false) const;

 private:
  struct Piece {
    std::string text;
    Style style;
  };
  std::vector<Piece> pieces_;
  int width_ = 0;
};

}  // namespace gpuwright::report
