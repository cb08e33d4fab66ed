// SPDX-License-Identifier: Apache-2.0
#include "base/shell_words.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::base {

namespace {

/// Means itself in every shell, at every place of a word.
bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view("_-./:,@").find(c) != std::string_view::npos;
}

/// Means something to one shell or another even between single quotes.
bool needs_backslash(char c) {
  return c == '\'' || c == '\\' || c == '!';
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> split() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        end_word();
      } else if (c == '\'' || c == '"') {
        GPUWRIGHT_TRY([[maybe_unused]] auto done, quoted(c));
      } else if (c == '\\') {
        if (at_ == text_.size()) return make_error(ErrorKind::Malformed, "a backslash at the end");
        add(text_[at_++]);
      } else {
        add(c);
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  Status quoted(char quote) {
    in_word_ = true;
    while (at_ < text_.size() && text_[at_] != quote) {
      const bool escapes = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("\"\\$`").find(text_[at_ + 1]) != std::string_view::npos;
      if (escapes) ++at_;
      add(text_[at_++]);
    }
    if (at_ == text_.size())
      return make_error(ErrorKind::Malformed, fmt::format("a quote ({}) that stays open", quote));
    ++at_;
    return Done{};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
};

}  // namespace

std::string quote_word(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  if (word.empty()) return "''";
  std::string quoted;
  bool open = false;
  for (const char c : word) {
    if (needs_backslash(c) == open) {
      quoted += '\'';
      open = !open;
    }
    if (needs_backslash(c)) quoted += '\\';
    quoted += c;
  }
  return open ? quoted + '\'' : quoted;
}

std::string quote_words(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(quote_word(word));
  return join(quoted, " ");
}

Result<std::vector<std::string>> split_words(std::string_view text) {
  return Splitter(text).split();
}

}  // namespace gpuwright::base
