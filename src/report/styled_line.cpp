// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/styled_line.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuwright::report {

namespace {

constexpr std::string_view kEllipsis = "…";

/// As many whole characters as fit into `width` columns.
std::string_view cut(std::string_view text, int width) {
  std::size_t at = 0;
  int used = 0;
  while (at < text.size()) {
    const std::size_t length = std::max<std::size_t>(1, base::utf8_length(text.substr(at)));
    const int wide = display_width(text.substr(at, length));
    if (used + wide > width) break;
    used += wide;
    at += length;
  }
  return text.substr(0, at);
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

std::string clipped(std::string_view text, int width) {
  if (width <= 0) return {};
  if (display_width(text) <= width) return std::string(text);
  return std::string(cut(text, width - 1)).append(kEllipsis);
}

}  // namespace

std::string fit_left(std::string_view text, int width) {
  std::string fitted = clipped(text, width);
  return fitted + blanks(width - display_width(fitted));
}

std::string fit_right(std::string_view text, int width) {
  const std::string fitted = clipped(text, width);
  return blanks(width - display_width(fitted)) + fitted;
}

std::string bar(double share, int width) {
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  constexpr int kParts = 8;
  const double held = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
  const int parts = static_cast<int>(std::lround(held * width * kParts));
  std::string text;
  for (int i = 0; i < parts / kParts; ++i) text += "█";
  text += kEighths[static_cast<std::size_t>(parts % kParts)];
  return fit_left(text, width);
}

StyledLine& StyledLine::add(std::string_view text, Style style) {
  width_ += display_width(text);
  pieces_.push_back({std::string(text), style});
  return *this;
}

StyledLine& StyledLine::to(int column) {
  return width_ < column ? add(blanks(column - width_)) : *this;
}

std::string StyledLine::render(int width, bool color, bool inverted) const {
  std::string line;
  int left = width;
  if (inverted && color) line += "\x1b[7m";
  for (const Piece& piece : pieces_) {
    const std::string_view shown = cut(piece.text, left);
    left -= display_width(shown);
    const bool styled = color && piece.style != Style::Plain && !inverted;
    if (styled) line += style_code(piece.style);
    line += shown;
    if (styled) line += "\x1b[0m";
    if (shown.size() < piece.text.size()) break;
  }
  if (inverted && color) line += blanks(left) + "\x1b[0m";
  return line;
}

}  // namespace gpuwright::report
