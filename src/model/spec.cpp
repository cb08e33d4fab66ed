// Looking into a spec; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "model/spec.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::model {

std::string spec_path(std::string_view list, std::int64_t item, std::string_view key) {
  return fmt::format("{}[{}].{}", list, item, key);
}

const SpecEntry* Spec::find(std::string_view path) const {
  const auto at = std::find_if(entries.begin(), entries.end(),
                               [&](const SpecEntry& entry) { return entry.path == path; });
  return at == entries.end() ? nullptr : &*at;
}

std::optional<bool> Spec::flag(std::string_view path) const {
  const bool* value = get<bool>(path);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::int64_t> Spec::integer(std::string_view path) const {
  const std::int64_t* value = get<std::int64_t>(path);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<std::string> Spec::text(std::string_view path) const {
  const std::string* value = get<std::string>(path);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> Spec::number(std::string_view path) const {
  const double* value = get<double>(path);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

SpecTexts Spec::texts(std::string_view path) const {
  const SpecTexts* value = get<SpecTexts>(path);
  return value == nullptr ? SpecTexts() : *value;
}

SpecMap Spec::map(std::string_view path) const {
  const SpecMap* value = get<SpecMap>(path);
  return value == nullptr ? SpecMap() : *value;
}

std::int64_t Spec::count(std::string_view path) const {
  const SpecItems* value = get<SpecItems>(path);
  return value == nullptr ? 0 : value->count;
}

}  // namespace gpuwright::model
