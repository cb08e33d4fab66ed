// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/prometheus_answer.h"

#include "base/text.h"

namespace gpuwright::parse {

namespace {

using kit::Node;

void read_point(const Node& pair, model::LabelledSeries& into) {
  if (pair.items.size() != 2) return;
  const auto time = base::parse_double(pair.items[0].text());
  const auto value = base::parse_double(pair.items[1].text());
  if (time && value) into.points.emplace_back(*time, *value);
}

model::LabelledSeries read_labels(const Node& labels) {
  model::LabelledSeries one;
  for (const auto& [name, value] : labels.entries) one.labels[name] = base::printable(value.text(), 300);
  return one;
}

}  // namespace

base::Result<PrometheusAnswer> read_prometheus_answer(const Node& root) {
  if (root["status"].text() == "error")
    return base::make_error(base::ErrorKind::Unsupported,
                            "Prometheus refuses: " + base::printable(root["error"].text(), 400));
  if (root["status"].text() != "success")
    return base::make_error(base::ErrorKind::Malformed, "this is no answer of Prometheus' HTTP API");
  PrometheusAnswer answer;
  for (const Node& warning : root["warnings"].items)
    answer.warnings.push_back(base::printable(warning.text(), 200));
  const Node& data = root["data"];
  if (data.is_sequence()) {  // a list of series
    for (const Node& labels : data.items) answer.series.push_back(read_labels(labels));
    return answer;
  }
  for (const Node& one : data["result"].items) {
    model::LabelledSeries series = read_labels(one["metric"]);
    if (one["value"].is_sequence()) read_point(one["value"], series);
    for (const Node& pair : one["values"].items) read_point(pair, series);
    answer.series.push_back(std::move(series));
  }
  return answer;
}

}  // namespace gpuwright::parse
