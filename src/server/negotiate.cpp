// Quality values; see the header. Of the ranges that fit a form, the most specific one decides; a range that
// names a version we do not write fits nothing.
// SPDX-License-Identifier: Apache-2.0
#include "server/negotiate.h"

#include "base/text.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace gpuwright::server {

namespace {

constexpr std::size_t kRangesAtMost = 64;

/// One item of a list: "text/plain;version=0.0.4;q=0.5".
struct Range {
  std::string name;                    ///< lower case
  std::optional<std::string> version;  ///< of the format
  double quality = 1;
};

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

/// Nothing where the item is none.
std::optional<Range> parse_range(std::string_view item) {
  Range range;
  bool first = true;
  for (const std::string_view part : base::split(item, ';')) {
    const std::string_view piece = base::trim(part);
    if (std::exchange(first, false)) {
      range.name = base::lower(piece);
      continue;
    }
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string key = base::lower(base::trim(piece.substr(0, equals)));
    const std::string_view value = unquoted(base::trim(piece.substr(equals + 1)));
    if (key == "version") range.version = std::string(value);
    if (key != "q") continue;
    const auto quality = base::parse_double(value);
    if (!quality || !(*quality >= 0 && *quality <= 1)) return std::nullopt;
    range.quality = *quality;
  }
  if (range.name.empty()) return std::nullopt;
  return range;
}

std::vector<Range> parse_ranges(std::string_view header) {
  std::vector<Range> ranges;
  for (const std::string_view item : base::split(header, ',')) {
    if (ranges.size() == kRangesAtMost) break;
    if (auto range = parse_range(item)) ranges.push_back(std::move(*range));
  }
  return ranges;
}

/// How exactly a range speaks of "type/subtype" in that version: 0 not at all, 4 with its version.
int fit(const Range& range, std::string_view name, std::string_view version) {
  if (range.name == name) {
    if (!range.version) return 3;
    return *range.version == version ? 4 : 0;
  }
  if (range.name == std::string(name.substr(0, name.find('/'))) + "/*") return 2;
  return range.name == "*/*" || range.name == "*" ? 1 : 0;
}

double quality_of(const std::vector<Range>& ranges, std::string_view name, std::string_view version) {
  int best = 0;
  double quality = 0;
  for (const Range& range : ranges) {
    const int how = fit(range, name, version);
    if (how <= best) continue;
    best = how;
    quality = range.quality;
  }
  return quality;
}

}  // namespace

Wanted negotiate(const std::optional<std::string>& accept,
                 const std::optional<std::string>& accept_encoding) {
  Wanted wanted;
  if (accept) {
    const std::vector<Range> ranges = parse_ranges(*accept);
    const double text = quality_of(ranges, "text/plain", "0.0.4");
    const double open = quality_of(ranges, "application/openmetrics-text", "1.0.0");
    if (open > text) wanted.format = report::MetricsFormat::OpenMetrics;
  }
  wanted.gzip = accepts_gzip(accept_encoding);
  return wanted;
}

bool accepts_gzip(const std::optional<std::string>& accept_encoding) {
  if (!accept_encoding) return false;
  std::optional<double> gzip, identity, any;
  for (const Range& range : parse_ranges(*accept_encoding)) {
    if (range.name == "gzip" || range.name == "x-gzip") gzip = range.quality;
    if (range.name == "identity") identity = range.quality;
    if (range.name == "*") any = range.quality;
  }
  const double wanted = gzip.value_or(any.value_or(0));
  return wanted > 0 && wanted >= identity.value_or(0);
}

}  // namespace gpuwright::server
