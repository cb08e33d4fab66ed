// SPDX-License-Identifier: Apache-2.0
#include "facts/toml_text.h"

#include "base/text.h"

namespace gpuwright::facts {

namespace {

/// What follows `key =` on its line and after it; nothing where no line begins so.
std::optional<std::string_view> behind_key(std::string_view text, std::string_view key) {
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    if (!trimmed.starts_with(key)) continue;
    const std::string_view rest = base::trim(trimmed.substr(key.size()));
    if (!rest.starts_with('=')) continue;
    return text.substr(static_cast<std::size_t>(rest.data() - text.data()) + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> toml_value(std::string_view text, std::string_view key) {
  const auto behind = behind_key(text, key);
  if (!behind) return std::nullopt;
  std::string_view value = base::trim(behind->substr(0, behind->find('\n')));
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'')) {
    const std::size_t end = value.find(value.front(), 1);
    if (end != std::string_view::npos) value = value.substr(1, end - 1);
  } else if (!value.starts_with('[')) {
    value = base::trim(value.substr(0, value.find('#')));
  }
  return base::printable(value, 300);
}

std::vector<std::string> toml_strings(std::string_view text, std::string_view key) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> list;
  const auto behind = behind_key(text, key);
  if (!behind || !base::trim(*behind).starts_with('[')) return list;
  std::string_view rest = behind->substr(0, behind->find(']'));
  while (list.size() < kMost) {
    const std::size_t open = rest.find_first_of("\"'");
    const std::size_t close = open == std::string_view::npos ? open : rest.find(rest[open], open + 1);
    if (close == std::string_view::npos) break;
    list.push_back(base::printable(rest.substr(open + 1, close - open - 1), 200));
    rest.remove_prefix(close + 1);
  }
  return list;
}

std::vector<std::string> toml_sections(std::string_view text) {
  constexpr std::size_t kMost = 500;
  std::vector<std::string> sections;
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line);
    const std::size_t end = trimmed.rfind(']');
    if (trimmed.starts_with('[') && end != std::string_view::npos && sections.size() < kMost)
      sections.push_back(base::replace_all(base::printable(trimmed.substr(1, end - 1), 200), "'", "\""));
  }
  return sections;
}

}  // namespace gpuwright::facts
