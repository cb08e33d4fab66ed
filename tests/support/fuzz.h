// Shared by the fuzz targets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/observations.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace gpuwright::fuzz {

/// The embedded knowledge.
inline const catalog::Catalog& knowledge() {
  static const catalog::Catalog* const loaded = [] {
    auto result = catalog::Catalog::embedded();
    if (!result.ok()) std::abort();
    return new catalog::Catalog(std::move(result).value());
  }();
  return *loaded;
}

/// The input in an allocation of exactly its size, so that a read past its end is seen.
inline std::string own_copy(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

/// What every parser promises of its events.
inline void check_bounds(const model::Observations& observations) {
  for (const model::Event& event : observations.events) {
    if (event.evidence.size() > 4 || event.count < 1) std::abort();
    for (const model::Evidence& evidence : event.evidence) {
      if (evidence.text.size() > 403) std::abort();
    }
    for (const auto& [key, values] : event.seen) {
      if (values.size() > 16) std::abort();
    }
  }
}

}  // namespace gpuwright::fuzz
