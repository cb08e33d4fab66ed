// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include "base/text.h"

#include <fmt/core.h>

#include <cmath>

namespace gpuwright::base {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const unsigned char first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first == '\n') {
      out += "\\n";
    } else if (first == '\t') {
      out += "\\t";
    } else if (first < 0x20 || first == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(first));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

}  // namespace

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_item_.empty()) return;
  if (has_item_.back()) out_ += ',';
  has_item_.back() = true;
  if (indent_ > 0) {
    out_ += '\n';
    out_.append(has_item_.size() * static_cast<std::size_t>(indent_), ' ');
  }
}

void JsonWriter::close(char bracket) {
  const bool had_item = has_item_.back();
  has_item_.pop_back();
  if (had_item && indent_ > 0) {
    out_ += '\n';
    out_.append(has_item_.size() * static_cast<std::size_t>(indent_), ' ');
  }
  out_ += bracket;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  has_item_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  close('}');
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  has_item_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  close(']');
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_escaped(out_, name);
  out_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  separate();
  append_escaped(out_, text);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  out_ += fmt::format("{}", value);
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  out_ += fmt::format("{}", value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

}  // namespace gpuwright::base
