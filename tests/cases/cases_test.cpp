// Real faults, as machines and users reported them, with the cause that the maintainers or the printer's own
// table confirmed. The same evidence in other clothes must give the same answer.
// SPDX-License-Identifier: Apache-2.0
#include "kit/regex.h"

#include "support/diagnose.h"
#include "support/expected.h"
#include "support/logs.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace gpuwright::tests {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

class Case : public ::testing::TestWithParam<ExpectedCase> {
 protected:
  /// The diagnosis names what the case expects, first.
  void expect_right(const model::Diagnosis& diagnosis, const std::string& how) {
    const ExpectedCase& expected = GetParam();
    if (expected.is_harmless()) {
      EXPECT_TRUE(diagnosis.findings.empty()) << how << ": harmless, yet found " << summary(diagnosis);
      return;
    }
    ASSERT_FALSE(diagnosis.findings.empty()) << how << ": nothing found";
    EXPECT_THAT(expected.causes, Contains(diagnosis.findings.front().cause))
        << how << ": " << summary(diagnosis);
  }

  /// Each line means something by itself, so that lines may be moved apart.
  bool lines_stand_alone() const {
    static const std::set<std::string> kNeighbours = {"03", "51", "53", "54", "69"};
    return GetParam().kind == "kernel-log" && kNeighbours.count(GetParam().file.substr(0, 2)) == 0;
  }
  bool is_kernel_log() const { return GetParam().kind == "kernel-log"; }
};

TEST_P(Case, FirstFindingNamesTheRootCause) {
  ASSERT_TRUE(GetParam().is_harmless() || !GetParam().causes.empty())
      << "expected.csv has no cause for this case";
  expect_right(diagnose(GetParam().text), "as it came");
}

TEST_P(Case, HarmlessIsRecognisedAndSaidToBeHarmless) {
  if (!GetParam().is_harmless()) GTEST_SKIP() << "a fault";
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  std::vector<std::string> names;
  for (const model::Finding& finding : diagnosis.harmless) names.push_back(finding.cause);
  EXPECT_THAT(names, Contains(GetParam().harmless));
}

TEST_P(Case, EveryIncidentIsCountedOnce) {
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  const auto count = static_cast<std::int64_t>(diagnosis.findings.size());
  EXPECT_GE(count, GetParam().incidents_least) << summary(diagnosis);
  EXPECT_LE(count, GetParam().incidents_most) << summary(diagnosis);
}

TEST_P(Case, AdvisesTheRightClassOfAction) {
  if (GetParam().is_harmless()) GTEST_SKIP() << "harmless: no action";
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  ASSERT_FALSE(diagnosis.findings.empty());
  const catalog::Cause* cause = knowledge().cause(diagnosis.findings.front().cause);
  ASSERT_NE(cause, nullptr);
  EXPECT_THAT(GetParam().actions, Contains(cause->action_now)) << cause->id;
}

TEST_P(Case, BlamesTheRightSubject) {
  if (GetParam().subject.empty()) GTEST_SKIP() << "the text names no subject";
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().subject.id, GetParam().subject) << summary(diagnosis);
}

TEST_P(Case, CauseIsGoneWithoutItsDecidingLines) {
  if (GetParam().is_harmless()) GTEST_SKIP() << "harmless";
  const auto deciding = kit::Regex::compile(GetParam().deciding);
  ASSERT_TRUE(deciding.ok()) << deciding.error().text();
  std::vector<std::string> kept;
  const std::vector<std::string> all = text_lines(GetParam().text);
  for (const std::string& line : all) {
    if (!deciding->matches(line)) kept.push_back(line);
  }
  ASSERT_LT(kept.size(), all.size()) << "no line matches " << GetParam().deciding;
  const model::Diagnosis diagnosis = diagnose(join_lines(kept));
  for (const std::string& cause : GetParam().causes)
    EXPECT_FALSE(has_cause(diagnosis, cause)) << summary(diagnosis);
}

TEST_P(Case, EachTimeStampFormGivesTheSameCause) {
  if (!is_kernel_log()) GTEST_SKIP() << "not a kernel log";
  const std::vector<Record> log = records(GetParam().text);
  for (const Stamp stamp : kAllStamps) expect_right(diagnose(render(log, stamp)), stamp_name(stamp));
}

TEST_P(Case, NoiseAroundItChangesNothing) {
  const std::string& text = GetParam().text;
  expect_right(diagnose(benign_syslog(1, 60) + text + "\n" + benign_syslog(2, 60)),
               "syslog before and after");
  expect_right(diagnose({{"a", benign_syslog(3, 60)}, {"b", text}, {"c", benign_syslog(4, 60)}}),
               "other inputs");
  if (!lines_stand_alone()) return;
  const std::vector<Record> log = records(text);
  expect_right(diagnose(render(among_benign(log, 5), Stamp::Dmesg)), "between, dmesg");
  expect_right(diagnose(render(among_benign(log, 6), Stamp::Journal)), "between, journal");
}

TEST_P(Case, DoubledLinesChangeNothing) {
  const std::string& text = GetParam().text;
  expect_right(diagnose({{"a", text}, {"b", text}}), "the same input twice");
  const model::Diagnosis twice = diagnose({{"a", text}, {"b", text}});
  EXPECT_EQ(twice.findings.size(), diagnose(text).findings.size()) << summary(twice);
  if (!lines_stand_alone()) return;
  std::vector<Record> doubled;
  for (const Record& record : records(text)) doubled.insert(doubled.end(), 2, record);
  expect_right(diagnose(render(doubled, Stamp::Dmesg)), "each record twice");
}

TEST_P(Case, SplitBetweenInputsInAnyOrderChangesNothing) {
  if (!lines_stand_alone()) GTEST_SKIP() << "its lines belong together";
  std::vector<Record> parts[2];
  const std::vector<Record> log = records(GetParam().text);
  for (std::size_t i = 0; i < log.size(); ++i) parts[i % 2].push_back(log[i]);
  const std::string even = render(parts[0], Stamp::Dmesg);
  const std::string odd = render(parts[1], Stamp::Dmesg);
  expect_right(diagnose({{"a", even}, {"b", odd}}), "even, odd");
  expect_right(diagnose({{"a", odd}, {"b", even}}), "odd, even");
  std::vector<Record> reversed(log.rbegin(), log.rend());
  expect_right(diagnose(render(reversed, Stamp::Dmesg)), "last line first");
}

TEST_P(Case, RenumberedGpusChangeNothingButTheNumber) {
  std::map<std::string, std::string> moved;
  const std::string text = renumber_gpus(GetParam().text, moved);
  if (moved.empty()) GTEST_SKIP() << "no PCI address";
  const model::Diagnosis diagnosis = diagnose(text);
  expect_right(diagnosis, "renumbered");
  if (GetParam().subject.empty() || diagnosis.findings.empty()) return;
  EXPECT_EQ(diagnosis.findings.front().subject.id, apply_renumbering(GetParam().subject, moved));
}

TEST_P(Case, PrefixesOfLaunchersAndRuntimesChangeNothing) {
  static const std::set<std::string> kProcessKinds = {"nccl", "cuda-error"};
  if (kProcessKinds.count(GetParam().kind) == 0) GTEST_SKIP() << "not a process's output";
  const std::pair<const char*, const char*> prefixes[] = {
      {"srun -l", "3: "},
      {"mpirun --tag-output", "[1,3]<stderr>:"},
      {"torchrun", "[rank3]: "},
      {"NCCL's own", "node1:1804:1911 [3] "},
      {"CRI", "2025-11-02T16:13:20.123456789Z stderr F "}};
  for (const auto& [name, prefix] : prefixes) {
    std::vector<std::string> lines = text_lines(GetParam().text);
    for (std::string& line : lines) line.insert(0, prefix);
    expect_right(diagnose(join_lines(lines)), name);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Case, ::testing::ValuesIn(expected_cases()),
                         [](const auto& instance) { return test_name(instance.param.file); });

TEST(Noise, OfAHealthyNodeIsNotAFinding) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const model::Diagnosis syslog = diagnose(benign_syslog(seed, 200));
    EXPECT_TRUE(syslog.findings.empty()) << summary(syslog);
    for (const Stamp stamp : kAllStamps) {
      const model::Diagnosis kernel = diagnose(render(benign_records(seed, 100, 10, 5000), stamp));
      EXPECT_TRUE(kernel.findings.empty()) << stamp_name(stamp) << ": " << summary(kernel);
    }
  }
}

TEST(UnrelatedFaults, OfOneMachineAreEachFound) {
  const std::vector<ExpectedCase> all = expected_cases();
  const auto text_of = [&](const std::string& number) {
    return std::find_if(all.begin(), all.end(),
                        [&](const ExpectedCase& one) { return one.file.compare(0, 2, number) == 0; })
        ->text;
  };
  const model::Diagnosis diagnosis =
      diagnose({{"kernel", text_of("07")}, {"pcie", text_of("05")}, {"smi", text_of("43")}});
  EXPECT_EQ(diagnosis.findings.size(), 3U) << summary(diagnosis);
}

}  // namespace
}  // namespace gpuwright::tests
