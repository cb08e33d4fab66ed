// Reads the tables of expectations beside their inputs.
// SPDX-License-Identifier: Apache-2.0
#include "support/expected.h"

#include "base/csv.h"
#include "base/text.h"

#include "support/paths.h"
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>

namespace gpuwright::tests {
namespace {

base::CsvTable table(const std::string& path) {
  auto parsed = base::parse_csv(read_file(path), path);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().text());
  return parsed.ok() ? std::move(parsed).value() : base::CsvTable{};
}

std::vector<std::string> list(const std::string& text) {
  std::vector<std::string> out;
  for (const auto word : base::words(text)) out.emplace_back(word);
  return out;
}

}  // namespace

void PrintTo(const ExpectedCase& expected, std::ostream* out) {
  *out << expected.file;
}
void PrintTo(const ExpectedCapture& expected, std::ostream* out) {
  *out << expected.file;
}

std::vector<ExpectedCase> expected_cases() {
  const std::string folder = source_dir() + "/tests/data/cases/";
  std::map<std::string, std::string> kinds;
  const base::CsvTable index = table(folder + "INDEX.csv");
  for (const auto& row : index.rows) kinds[index.cell(row, "file")] = index.cell(row, "kind");

  std::vector<ExpectedCase> out;
  const base::CsvTable answers = table(folder + "expected.csv");
  for (const auto& row : answers.rows) {
    ExpectedCase one;
    one.file = answers.cell(row, "file");
    one.kind = kinds[one.file];
    one.text = read_file(folder + one.file);
    one.causes = list(answers.cell(row, "cause"));
    one.actions = list(answers.cell(row, "action_now") + " " + answers.cell(row, "also_actions"));
    const std::string incidents = answers.cell(row, "incidents");
    const auto bounds = base::split(incidents, '-');
    one.incidents_least = base::parse_int(bounds.front()).value_or(-1);
    one.incidents_most = base::parse_int(bounds.back()).value_or(-1);
    one.subject = answers.cell(row, "subject");
    one.deciding = answers.cell(row, "deciding");
    one.harmless = answers.cell(row, "harmless");
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<ExpectedCapture> expected_captures() {
  const std::string here = source_dir() + "/tests/data/captures/";
  const std::string there = shared_dir().empty() ? "" : shared_dir() + "/data/captures/";
  std::vector<ExpectedCapture> out;
  const base::CsvTable answers = table(here + "expected.csv");
  for (const auto& row : answers.rows) {
    ExpectedCapture one;
    one.file = answers.cell(row, "file");
    if (std::filesystem::exists(here + one.file)) {
      one.path = here + one.file;
    } else if (!there.empty() && std::filesystem::exists(there + one.file)) {
      one.path = there + one.file;
    }
    one.outcome = answers.cell(row, "outcome");
    one.causes = list(answers.cell(row, "cause"));
    one.actions = list(answers.cell(row, "actions"));
    out.push_back(std::move(one));
  }
  return out;
}

std::string test_name(const std::string& file) {
  std::string out;
  for (const char c : file.substr(0, file.rfind('.'))) {
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return out;
}

}  // namespace gpuwright::tests
