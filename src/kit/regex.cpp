// SPDX-License-Identifier: Apache-2.0
#include "kit/regex.h"

#include <re2/re2.h>

namespace gpuwright::kit {

struct Regex::State {
  explicit State(const std::string& text) : expression(text, options()) {}
  static re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);  // bytes: logs are not always UTF-8
    return options;
  }
  re2::RE2 expression;
};

Regex::Regex(std::unique_ptr<State> state) : state_(std::move(state)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

base::Result<Regex> Regex::compile(const std::string& expression) {
  auto state = std::make_unique<State>(expression);
  if (!state->expression.ok()) {
    return base::make_error(base::ErrorKind::Malformed, state->expression.error(), expression);
  }
  return Regex(std::move(state));
}

bool Regex::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), state_->expression);
}

bool Regex::find(std::string_view text, std::size_t from, std::vector<std::string_view>& groups) const {
  const int count = state_->expression.NumberOfCapturingGroups() + 1;
  std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(count));
  const re2::StringPiece whole(text.data(), text.size());
  if (!state_->expression.Match(whole, from, text.size(), re2::RE2::UNANCHORED, pieces.data(), count))
    return false;
  groups.clear();
  for (const re2::StringPiece& piece : pieces) groups.emplace_back(piece.data(), piece.size());
  return true;
}

std::vector<std::string> Regex::group_names() const {
  std::vector<std::string> names(static_cast<std::size_t>(state_->expression.NumberOfCapturingGroups()));
  for (const auto& entry : state_->expression.CapturingGroupNames()) {
    names[static_cast<std::size_t>(entry.first - 1)] = entry.second;
  }
  return names;
}

}  // namespace gpuwright::kit
