// Lines, wrapped fields and colour for a terminal. Widths count characters, East Asian wide ones as two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/cause.h"
#include "model/event.h"

#include <string>
#include <string_view>

namespace gpuwright::report {

enum class Style { Plain, Good, Warn, Bad, Dim };

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

/// "kern.log:12", or the input's name alone.
std::string evidence_where(const model::Evidence& evidence);

/// Where a fault lies ("host-power"), in words.
std::string place_text(const std::string& place, catalog::Language language);

}  // namespace gpuwright::report
