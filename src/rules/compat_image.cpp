// SPDX-License-Identifier: Apache-2.0
#include "rules/compat_image.h"

#include "base/text.h"
#include "rules/compat_rows_used.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::rules {

namespace {

using catalog::Compat;
using catalog::ImageDistributionRow;
using catalog::ImageFamilyRow;

constexpr std::size_t kLongestTag = 128;  // the registry's own limit

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool of_class(char wanted, char c) {
  const bool word = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  if (wanted == '#') return is_digit(c);
  if (wanted == '%') return is_digit(c) || c == '.';
  return word || c == '.' || c == '-';
}

/// Walks a form and a text together; runs and lists are tried in all ways, which a tag's length bounds.
class FormMatcher {
 public:
  explicit FormMatcher(const ImageFamilyRow& family) : family_(family) {}

  bool match(std::string_view form, std::string_view text) const {
    if (form.empty()) return text.empty();
    if (form.front() == '{') return match_list(form, text);
    if (form.front() != '#' && form.front() != '%' && form.front() != '@')
      return !text.empty() && text.front() == form.front() && match(form.substr(1), text.substr(1));
    const bool run = form.size() > 1 && form[1] == '+';
    const std::string_view rest = form.substr(run ? 2 : 1);
    for (std::size_t taken = 1; taken <= text.size() && of_class(form.front(), text[taken - 1]); ++taken) {
      if (match(rest, text.substr(taken))) return true;
      if (!run) return false;
    }
    return false;
  }

 private:
  bool match_list(std::string_view form, std::string_view text) const {
    const std::size_t close = form.find('}');
    if (close == std::string_view::npos) return false;
    const bool flavour = form.substr(1, close - 1) == "flavour";
    const std::vector<std::string>& choices = flavour ? family_.flavours : family_.distributions;
    return std::any_of(choices.begin(), choices.end(), [&](const std::string& choice) {
      return match(choice + std::string(form.substr(close + 1)), text);
    });
  }

  const ImageFamilyRow& family_;
};

bool is_registry(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos;
}

/// The image's name in the table, without its registry.
std::string_view bare_name(std::string_view image) {
  const std::size_t slash = image.find('/');
  return slash != std::string_view::npos && is_registry(image.substr(0, slash)) ? image.substr(slash + 1)
                                                                                : image;
}

bool of_family(const ImageFamilyRow& family, const ImageName& image) {
  return std::any_of(family.images.begin(), family.images.end(), [&](const std::string& known) {
    const std::string_view bare = bare_name(known);
    return image.name == bare || image.name.ends_with("/" + std::string(bare));
  });
}

bool has_form(const ImageFamilyRow& family, std::string_view tag) {
  return tag.size() <= kLongestTag &&
         std::any_of(family.forms.begin(), family.forms.end(),
                     [&](const std::string& form) { return matches_form(family, form, tag); });
}

/// The row of a distribution that has no image for this CUDA release; null when none forbids it.
const ImageDistributionRow* absent_distribution(const Compat& compat, std::string_view tag) {
  const std::string_view cuda = tag.substr(0, tag.find('-'));
  for (const ImageDistributionRow& row : compat.image_distributions) {
    if (!tag.ends_with("-" + row.distribution)) continue;
    const bool early = !row.first_cuda.empty() && base::compare_versions(cuda, row.first_cuda) < 0;
    const bool late = !row.last_cuda.empty() && base::compare_versions(cuda, row.last_cuda) > 0;
    if (early || late) return &row;
  }
  return nullptr;
}

/// Digits and dots from there on, without a dot at the end.
std::string version_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  while (end > at && text[end - 1] == '.') --end;
  return std::string(text.substr(at, end - at));
}

}  // namespace

ImageName image_name(std::string_view reference) {
  ImageName image;
  const std::size_t at = reference.find('@');
  if (at != std::string_view::npos) {
    image.digest = reference.substr(at + 1);
    reference = reference.substr(0, at);
  }
  const std::size_t slash = reference.rfind('/');
  const std::size_t colon = reference.rfind(':');
  if (colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash)) {
    image.tag = reference.substr(colon + 1);
    reference = reference.substr(0, colon);
  }
  image.name = bare_name(reference);
  return image;
}

bool matches_form(const ImageFamilyRow& family, std::string_view form, std::string_view text) {
  return FormMatcher(family).match(form, text);
}

CompatAnswer image_tag_fits(const Compat& compat, std::string_view reference) {
  const ImageName image = image_name(reference);
  CompatAnswer result;
  result.reason = CompatReason::ImageUnknown;
  for (const ImageFamilyRow& family : compat.images) {
    if (!of_family(family, image)) continue;
    result.rows.push_back(used(family));
    if (image.tag.empty() && !image.digest.empty()) {
      result.reason = CompatReason::NotRecorded;
      return result;
    }
    if (has_form(family, image.tag)) {
      result.fit = Fit::Yes;
      result.reason = CompatReason::TagWellFormed;
      result.needs.clear();
      const ImageDistributionRow* absent =
          family.family == "cuda" ? absent_distribution(compat, image.tag) : nullptr;
      if (absent == nullptr) return result;
      result.fit = Fit::No;
      result.reason = CompatReason::TagDistributionAbsent;
      result.rows.push_back(used(*absent));
      return result;
    }
    result.fit = Fit::No;
    result.reason = CompatReason::TagMalformed;
    if (result.needs.empty()) result.needs = image.name + ":" + family.example;
  }
  return result;
}

std::string image_cuda(const Compat& compat, std::string_view reference) {
  const ImageName image = image_name(reference);
  for (const ImageFamilyRow& family : compat.images) {
    if (family.family == "cuda" && of_family(family, image)) return version_at(image.tag, 0);
  }
  const std::size_t word = image.tag.find("cuda");
  if (word != std::string::npos) {
    std::string version = version_at(image.tag, word + 4);
    if (version.find('.') != std::string::npos) return version;
  }
  // "cu128", the short form of wheels
  const std::size_t shorthand = image.tag.find("cu1");
  if (shorthand == std::string::npos) return {};
  const std::string digits = version_at(image.tag, shorthand + 2);
  return digits.size() == 3 ? fmt::format("{}.{}", digits.substr(0, 2), digits.substr(2)) : std::string();
}

}  // namespace gpuwright::rules
