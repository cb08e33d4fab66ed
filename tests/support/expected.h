// What tests/data/cases/expected.csv and tests/data/captures/expected.csv promise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace gpuwright::tests {

struct ExpectedCase {
  std::string file;
  std::string kind;  ///< of INDEX.csv: kernel-log, nvidia-smi, nccl ...
  std::string text;
  std::vector<std::string> causes;   ///< any of them is right for the first finding; empty: harmless
  std::vector<std::string> actions;  ///< classes that are right for what to do now
  std::int64_t incidents_least = 0;
  std::int64_t incidents_most = 0;
  std::string subject;   ///< canonical id of the first finding's subject; empty: not asked
  std::string deciding;  ///< expression: without the lines that match, the cause is gone
  std::string harmless;  ///< cause that must be recognised as harmless

  bool is_harmless() const { return incidents_most == 0; }
};

struct ExpectedCapture {
  std::string file;
  std::string path;                  ///< empty: not in the repository, and no further inputs here
  std::string outcome;               ///< fault or healthy
  std::vector<std::string> causes;   ///< any of them must be among the findings
  std::vector<std::string> actions;  ///< classes of which that finding's must be one
};

void PrintTo(const ExpectedCase& expected, std::ostream* out);
void PrintTo(const ExpectedCapture& expected, std::ostream* out);

std::vector<ExpectedCase> expected_cases();
std::vector<ExpectedCapture> expected_captures();

/// A file's name as a test's name.
std::string test_name(const std::string& file);

}  // namespace gpuwright::tests
