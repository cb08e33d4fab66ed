// SPDX-License-Identifier: Apache-2.0
#include "support/spec.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "catalog/spec_types.h"
#include "kit/yaml.h"
#include "report/spec_words.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace gpuwright::tests {

namespace {

void write_scalar(base::JsonWriter& json, const kit::Node& node) {
  const std::string& text = node.scalar;
  const bool plain = !node.quoted;
  if (plain && (text == "true" || text == "false")) {
    json.boolean(text == "true");
  } else if (const auto integer = plain ? base::parse_int(text) : std::nullopt) {
    json.integer(*integer);
  } else if (const auto number = plain ? base::parse_double(text) : std::nullopt) {
    json.number(*number);
  } else {
    json.string(text);
  }
}

void write(base::JsonWriter& json, const kit::Node& node) {
  switch (node.kind) {
    case kit::Node::Kind::Null:
      json.null();
      return;
    case kit::Node::Kind::Scalar:
      return write_scalar(json, node);
    case kit::Node::Kind::Sequence:
      json.begin_array();
      for (const kit::Node& item : node.items) write(json, item);
      json.end_array();
      return;
    case kit::Node::Kind::Map:
      json.begin_object();
      for (const auto& [key, value] : node.entries) {
        json.key(key);
        write(json, value);
      }
      json.end_object();
  }
}

}  // namespace

parse::SpecReading read_spec(const std::string& text) {
  return parse::parse_spec(text, "gpuwright.yaml", knowledge());
}

std::vector<std::string> spec_faults(const std::string& text, bool chinese) {
  const auto language = chinese ? catalog::Language::Chinese : catalog::Language::English;
  std::vector<std::string> lines;
  for (const model::SpecProblem& problem : read_spec(text).problems)
    lines.push_back(
        fmt::format("{}:{}: {}", problem.line, problem.column, report::spec_problem_text(problem, language)));
  return lines;
}

std::vector<std::pair<std::string, model::SpecValue>> spec_values(const model::Spec& spec) {
  std::vector<std::pair<std::string, model::SpecValue>> values;
  for (const model::SpecEntry& entry : spec.entries) values.emplace_back(entry.path, entry.value);
  return values;
}

std::string yaml_as_json(const std::string& yaml) {
  const auto tree = kit::parse_yaml(yaml, "yaml");
  base::JsonWriter json;
  if (tree.ok()) write(json, tree.value());
  return json.text();
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/docs/examples")) {
    if (entry.path().extension() == ".yaml")
      names.push_back("docs/examples/" + entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gpuwright::tests
