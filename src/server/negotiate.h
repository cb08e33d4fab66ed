// In which of our forms somebody who scrapes wants the metrics. Source: RFC 9110, section 12.5 (quality
// values); the text format 0.0.4 of Prometheus; OpenMetrics 1.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/metrics_text.h"

#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::server {

struct Wanted {
  report::MetricsFormat format = report::MetricsFormat::Prometheus;
  bool gzip = false;
  bool operator==(const Wanted&) const = default;
};

/// By the Accept and Accept-Encoding headers. Text where nothing is said, where both are wanted alike, and
/// where neither is: a scrape is better answered than refused.
Wanted negotiate(const std::optional<std::string>& accept, const std::optional<std::string>& accept_encoding);

/// Whether gzip is wanted at least as much as plain bytes.
bool accepts_gzip(const std::optional<std::string>& accept_encoding);

}  // namespace gpuwright::server
