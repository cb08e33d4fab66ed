// What `gpuwright explain` tells of drivers, CUDA releases and GPUs: the rows from which the compatibility
// checks speak.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "report/explain.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::app {

/// Sheets for "535.104.05", "R580", "CUDA 13.0", "H100", "10de:2330" or "sm_90"; empty when the words are
/// none of these. `today` ("2026-11-30") decides what has ended.
std::vector<report::FactSheet> compat_sheets(const std::string& words, const catalog::Catalog& catalog,
                                             catalog::Language language, std::string_view today);

}  // namespace gpuwright::app
