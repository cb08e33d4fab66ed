// Writes JSON as a stream: stable order, no tree in memory, escaped for hostile text. Only what we print;
// reading is kit's business.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::base {

class JsonWriter {
 public:
  /// `indent` spaces a level; 0: one line.
  explicit JsonWriter(int indent = 2) : indent_(indent) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& string(std::string_view text);  ///< invalid UTF-8 becomes U+FFFD
  JsonWriter& integer(std::int64_t value);
  JsonWriter& number(double value);  ///< not finite: null
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// The document so far.
  const std::string& text() const { return out_; }

 private:
  void separate();
  void close(char bracket);

  int indent_;
  std::string out_;
  std::vector<bool> has_item_;
  bool after_key_ = false;
};

}  // namespace gpuwright::base
