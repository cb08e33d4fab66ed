// Questions to a Prometheus, over its HTTP API. Each waits, but never beyond its deadline.
// Source: https://prometheus.io/docs/prometheus/latest/querying/api/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "parse/prometheus_answer.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace gpuwright::app {

/// A stretch of time, Unix seconds, the end not in it, one look every `step` seconds.
struct TimeWindow {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 60;
};

class PrometheusClient {
 public:
  struct Options {
    std::string url;                             ///< "http://HOST:PORT", also with a path before /api
    std::string token;                           ///< a bearer token; empty: none
    std::string authorities;                     ///< PEM file of whom to trust; empty: whom the machine does
    std::chrono::milliseconds deadline{60'000};  ///< of each question
  };

  explicit PrometheusClient(Options options);

  /// The expression's value at that moment.
  base::Result<parse::PrometheusAnswer> query(const std::string& expression, std::int64_t time) const;
  /// Its values over the window.
  base::Result<parse::PrometheusAnswer> query_range(const std::string& expression,
                                                    const TimeWindow& window) const;
  /// The labels of all series that the selector fits, with samples in the window or near it.
  base::Result<parse::PrometheusAnswer> series(const std::string& selector, const TimeWindow& window) const;

  const std::string& url() const { return options_.url; }

 private:
  /// Errors: as kit::http_call, Denied (not let in), Malformed (no Prometheus), Unsupported (it refuses).
  base::Result<parse::PrometheusAnswer> ask(const std::string& what, const std::string& form) const;

  Options options_;
};

}  // namespace gpuwright::app
