// The few words that text, JSON and the page share: subjects, severities, times, and `{parameters}` filled
// into catalog text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "catalog/cause.h"
#include "model/finding.h"

#include <map>
#include <string>

namespace gpuwright::report {

/// "GPU 0000:91:00", "GPU 0000:91:00 link 8", "mlx5_0", "this machine" ...
std::string subject_text(const model::Subject& subject, catalog::Language language);

/// "critical" ...; one word, lower case in English.
std::string severity_text(model::Severity severity, catalog::Language language);

/// "2026-01-31 10:00:00 UTC" of nanoseconds since 1970.
std::string wall_time_text(std::int64_t wall_ns);
/// "2024-08-30 11:43:09 UTC", else "6781741.549 s after boot", else "".
std::string time_text(const model::EventTime& time, catalog::Language language);

/// The month, day and time of a stamp without year: "08-30 11:43:09", in the machine's local time.
std::string of_year_text(const model::EventTime& time);

/// Catalog text with `{name}` replaced by the parameter. An unknown name is left out, with one space beside
/// it or with the parenthesis that holds nothing else; a device that a command needs shows as "<GPU>",
/// "<node>".
std::string fill_in(const std::string& template_text, const std::map<std::string, std::string>& params);

/// How an incident ended, from a code of data/endings.csv; of an unknown one the code itself.
std::string ending_text(const catalog::Catalog& catalog, const std::string& code, catalog::Language language);

/// A reason in that language, where data/reasons.csv has its text, {parts} filled in; else as it is.
std::string reason_text(const catalog::Catalog& catalog, const std::string& reason,
                        catalog::Language language);

/// What an input was recognised as, from an id of data/formats.yaml or "lines:GROUP".
std::string format_text(const std::string& id, catalog::Language language);

}  // namespace gpuwright::report
