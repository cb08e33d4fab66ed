// SPDX-License-Identifier: Apache-2.0
#include "facts/kernel_text.h"

#include "base/text.h"

namespace gpuwright::facts {

std::optional<std::vector<std::int64_t>> numbers_of_ranges(const std::string& text) {
  constexpr std::int64_t kMost = 65'536;
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : base::split(base::trim(text), ',')) {
    if (base::trim(part).empty()) continue;
    const std::size_t dash = part.find('-');
    const auto first = base::parse_int(base::trim(part.substr(0, dash)));
    const auto last =
        dash == std::string_view::npos ? first : base::parse_int(base::trim(part.substr(dash + 1)));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMost) return std::nullopt;
    for (std::int64_t number = *first; number <= *last; ++number) numbers.push_back(number);
    if (static_cast<std::int64_t>(numbers.size()) > kMost) return std::nullopt;
  }
  return numbers;
}

std::optional<std::int64_t> count_of_ranges(const std::string& text) {
  const auto numbers = numbers_of_ranges(text);
  if (!numbers) return std::nullopt;
  return static_cast<std::int64_t>(numbers->size());
}

std::optional<std::string> chosen_of(const std::string& text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

}  // namespace gpuwright::facts
