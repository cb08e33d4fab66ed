// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "report/metrics_text.h"

#include "base/text.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace gpuwright::report {

namespace {

constexpr std::string_view kTotal = "_total";
constexpr std::string_view kInfo = "_info";

/// A help text: the formats escape backslash and line end, OpenMetrics the quote too.
void add_help(std::string& to, std::string_view help, bool quotes) {
  for (const char letter : help) {
    if (letter == '\\') {
      to += "\\\\";
    } else if (letter == '\n') {
      to += "\\n";
    } else if (letter == '"' && quotes) {
      to += "\\\"";
    } else {
      to += letter;
    }
  }
}

}  // namespace

const char* content_type(MetricsFormat format) {
  return format == MetricsFormat::Prometheus ? "text/plain; version=0.0.4; charset=utf-8"
                                             : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

std::string label_value(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (text.front() == '\\' || text.front() == '"') {
      out.append("\\").append(text.substr(0, 1));
    } else if (text.front() == '\n') {
      out += "\\n";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

void add_label(std::string& so_far, std::string_view name, std::string_view value) {
  if (!so_far.empty()) so_far += ',';
  so_far.append(name).append("=\"").append(label_value(value)).append("\"");
}

void MetricsText::family(const MetricFamily& family) {
  family_ = family;
  headed_ = false;
}

void MetricsText::head() {
  headed_ = true;
  const bool open = format_ == MetricsFormat::OpenMetrics;
  std::string name(family_.name);
  std::string_view type = family_.type;
  if (open && type == "info" && name.ends_with(kInfo)) {
    name.resize(name.size() - kInfo.size());
  } else if (type == "info") {
    type = "gauge";
  } else if (!open && type == "counter" && family_.add_total) {
    name += kTotal;
  } else if (open && type == "counter" && !family_.add_total) {
    type = "unknown";  // a counter's samples end in _total there
  }
  text_.append("# HELP ").append(name).append(" ");
  add_help(text_, family_.help, open);
  text_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  if (open && !family_.unit.empty() && type != "info")
    text_.append("# UNIT ").append(name).append(" ").append(family_.unit).append("\n");
}

void MetricsText::begin(std::string_view labels) {
  if (!headed_) head();
  text_ += family_.name;
  if (family_.type == "counter" && family_.add_total) text_ += kTotal;
  if (!labels.empty()) text_.append("{").append(labels).append("}");
  text_ += ' ';
}

void MetricsText::sample(std::string_view labels, double value) {
  begin(labels);
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text_), "{}", value);
  } else {
    text_ += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
  text_ += '\n';
}

void MetricsText::sample(std::string_view labels, std::uint64_t value) {
  begin(labels);
  fmt::format_to(std::back_inserter(text_), "{}\n", value);
}

std::string MetricsText::take() {
  if (format_ == MetricsFormat::OpenMetrics) text_ += "# EOF\n";
  headed_ = false;
  std::string all;
  all.swap(text_);
  return all;
}

}  // namespace gpuwright::report
