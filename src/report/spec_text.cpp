// SPDX-License-Identifier: Apache-2.0
#include "report/spec_text.h"

#include "base/json_writer.h"
#include "report/spec_words.h"

#include <fmt/core.h>

namespace gpuwright::report {

using base::JsonWriter;
using catalog::Language;

std::string spec_problems_text(const std::string& file, const std::vector<model::SpecProblem>& problems,
                               std::int64_t more, Language language) {
  std::string text;
  for (const model::SpecProblem& problem : problems)
    text += spec_problem_line(file, problem, language) + "\n";
  if (more > 0) {
    text += language == Language::Chinese ? fmt::format("{}：还有 {} 处\n", file, more)
                                          : fmt::format("{}: and {} more\n", file, more);
  }
  return text;
}

std::string spec_problems_json(const std::string& file, const std::vector<model::SpecProblem>& problems,
                               std::int64_t more, Language language) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("file").string(file);
  json.key("valid").boolean(problems.empty());
  json.key("problems").begin_array();
  for (const model::SpecProblem& problem : problems) {
    json.begin_object();
    json.key("line").integer(problem.line);
    json.key("column").integer(problem.column);
    json.key("fault").string(spec_fault_name(problem.fault));
    json.key("path").string(problem.path);
    json.key("message").string(spec_problem_text(problem, language));
    json.key("suggestion").string(problem.suggestion);
    json.end_object();
  }
  json.end_array();
  json.key("more").integer(more);
  json.end_object();
  return json.text() + "\n";
}

std::string spec_differences_text(const std::vector<model::SpecDifference>& differences, Language language) {
  if (differences.empty()) return language == Language::Chinese ? "没有差异\n" : "no difference\n";
  std::string text;
  for (const model::SpecDifference& one : differences) {
    if (one.left && one.right) {
      text += fmt::format("~ {}: {} -> {}\n", one.path, *one.left, *one.right);
    } else if (one.left) {
      text += fmt::format("- {}: {}\n", one.path, *one.left);
    } else {
      text += fmt::format("+ {}: {}\n", one.path, one.right.value_or(""));
    }
  }
  return text;
}

std::string spec_differences_json(const std::vector<model::SpecDifference>& differences) {
  JsonWriter json;
  const auto side = [&](const char* name, const std::optional<std::string>& value) {
    json.key(name);
    if (value) {
      json.string(*value);
    } else {
      json.null();
    }
  };
  json.begin_object();
  json.key("schema_version").integer(1);
  json.key("differences").begin_array();
  for (const model::SpecDifference& one : differences) {
    json.begin_object();
    json.key("path").string(one.path);
    side("left", one.left);
    side("right", one.right);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.text() + "\n";
}

}  // namespace gpuwright::report
