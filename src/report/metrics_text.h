// Metrics as Prometheus reads them: its text format 0.0.4 and OpenMetrics 1.0.0. The two differ in how a
// counter's family is named, in units, and in the mark at the end.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/, https://openmetrics.io/ (1.0.0).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuwright::report {

enum class MetricsFormat { Prometheus, OpenMetrics };

/// "text/plain; version=0.0.4; charset=utf-8" and the like.
const char* content_type(MetricsFormat format);

struct MetricFamily {
  std::string_view name;  ///< without "_total"
  std::string_view type;  ///< counter, gauge, info (its name ends in "_info")
  std::string_view unit;  ///< empty without
  std::string_view help;
  bool add_total = true;  ///< false: a counter under a name that others gave, without "_total"
};

/// A label's value with what the format escapes; broken UTF-8 becomes U+FFFD.
std::string label_value(std::string_view text);
/// `name="value"`, with a comma before where `so_far` is not empty.
void add_label(std::string& so_far, std::string_view name, std::string_view value);

class MetricsText {
 public:
  explicit MetricsText(MetricsFormat format) : format_(format) {}

  /// Begins a family; its head is written with its first sample, so that a family without samples leaves
  /// nothing.
  void family(const MetricFamily& family);
  /// `labels` as add_label made them, without braces.
  void sample(std::string_view labels, double value);
  void sample(std::string_view labels, std::uint64_t value);
  /// All of it. The writer is empty then.
  std::string take();

 private:
  void head();
  void begin(std::string_view labels);

  MetricsFormat format_;
  std::string text_;
  MetricFamily family_;
  bool headed_ = false;
};

}  // namespace gpuwright::report
