// Lines, wrapped fields and colour for a terminal. Widths count characters, East Asian wide ones as two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/cause.h"
#include "model/event.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::report {

enum class Style { Plain, Good, Warn, Bad, Dim };

/// What switches a terminal to the style; "" for Plain.
const char* style_code(Style style);

class Layout {
 public:
  Layout(int width, bool color) : width_(width), color_(color) {}

  void blank() { text_ += '\n'; }
  /// One line, not wrapped.
  void line(Style style, std::string_view text);
  /// A name in the left column and a value wrapped in the right one. An empty name continues the field above.
  void field(const std::string& name, std::string_view value);
  /// The same, without wrapping: for lines of evidence that people copy.
  void verbatim(const std::string& name, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  int width_;
  bool color_;
  std::string text_;
};

/// Columns that the text takes on a terminal. Source: Unicode Standard Annex 11 (East Asian Width), the
/// blocks that our Chinese text uses.
int display_width(std::string_view text);

/// The text in lines of at most `width` columns, broken at spaces and between wide characters; a longer word
/// has a line of its own. At least one line.
std::vector<std::string> wrap(std::string_view text, int width);

/// Rows in columns as wide as they need; where they need more than `width` together, the column that may
/// shrink is wrapped. In a row with nothing behind it that column takes the rest of the line.
class Table {
 public:
  struct Row {
    std::vector<std::string> cells;
    Style style = Style::Plain;  ///< of its first two cells
  };

  Table(std::vector<std::string> header, std::size_t shrinks)
      : header_(std::move(header)), shrinks_(shrinks) {}
  /// A row with a cell for each column.
  void add(Row row) { rows_.push_back(std::move(row)); }
  std::string render(int width, bool color) const;

 private:
  std::vector<int> widths(int width) const;

  std::vector<std::string> header_;
  std::size_t shrinks_;
  std::vector<Row> rows_;
};

/// "kern.log:12", or the input's name alone.
std::string evidence_where(const model::Evidence& evidence);

/// Where a fault lies ("host-power"), in words.
std::string place_text(const std::string& place, catalog::Language language);

}  // namespace gpuwright::report
