// A diagnosis as text for a person: the verdict on top, the most urgent incident first, and under each what,
// where, since when, how sure, the lines that prove it, what to do now and what to do if it returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"

#include <string>

namespace gpuwright::report {

struct TextOptions {
  catalog::Language language = catalog::Language::English;
  bool color = false;
  int width = 100;           ///< columns to wrap at
  std::string next_command;  ///< printed as the last line; empty: none
  std::string label;         ///< printed above all ("demonstration data"); empty: none
  bool all_checks = false;   ///< list every check, not only their number
};

/// The whole report.
std::string render_doctor_text(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                               const TextOptions& options);

/// The verdict alone, one line without line end.
std::string verdict_line(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                         catalog::Language language);

/// The verdict and what could not be seen, one line without line end.
std::string quick_line(const model::Diagnosis& diagnosis, const catalog::Catalog& catalog,
                       catalog::Language language);

}  // namespace gpuwright::report
