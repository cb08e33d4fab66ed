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

bool is_kernel_log(const ExpectedCase& one) {
  return one.kind == "kernel-log";
}

/// Each line says something by itself, so that lines may be moved apart.
bool loose_lines(const ExpectedCase& one) {
  static const std::set<std::string> kNeighbours = {"03", "51", "53", "54", "69"};
  return is_kernel_log(one) && kNeighbours.count(one.file.substr(0, 2)) == 0;
}

bool names_an_address(const ExpectedCase& one) {
  std::map<std::string, std::string> moved;
  (void)renumber_gpus(one.text, moved);
  return !moved.empty();
}

template <class Fits>
std::vector<ExpectedCase> cases_where(Fits fits) {
  std::vector<ExpectedCase> chosen;
  for (const ExpectedCase& one : expected_cases()) {
    if (fits(one)) chosen.push_back(one);
  }
  return chosen;
}

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
    for (const model::Finding& finding : diagnosis.findings)
      EXPECT_FALSE(finding.evidence.empty()) << how << ": " << finding.cause << " has no proof";
  }

  /// Each line means something by itself, so that lines may be moved apart.
  bool lines_stand_alone() const { return loose_lines(GetParam()); }
};

// Cases for which a test makes sense.
class HarmlessCase : public Case {};
class FaultCase : public Case {};
class SubjectCase : public Case {};
class KernelLogCase : public Case {};
class LooseLinesCase : public Case {};
class AddressCase : public Case {};
class ProcessCase : public Case {};

TEST_P(Case, FirstFindingNamesTheRootCause) {
  ASSERT_TRUE(GetParam().is_harmless() || !GetParam().causes.empty())
      << "expected.csv has no cause for this case";
  expect_right(diagnose(GetParam().text), "as it came");
}

TEST_P(HarmlessCase, HarmlessIsRecognisedAndSaidToBeHarmless) {
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

TEST_P(FaultCase, AdvisesTheRightClassOfAction) {
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  ASSERT_FALSE(diagnosis.findings.empty());
  const catalog::Cause* cause = knowledge().cause(diagnosis.findings.front().cause);
  ASSERT_NE(cause, nullptr);
  EXPECT_THAT(GetParam().actions, Contains(cause->action_now)) << cause->id;
}

TEST_P(SubjectCase, BlamesTheRightSubject) {
  const model::Diagnosis diagnosis = diagnose(GetParam().text);
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().subject.id, GetParam().subject) << summary(diagnosis);
}

TEST_P(FaultCase, CauseIsGoneWithoutItsDecidingLines) {
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

TEST_P(KernelLogCase, EachTimeStampFormGivesTheSameCause) {
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

TEST_P(LooseLinesCase, SplitBetweenInputsInAnyOrderChangesNothing) {
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

TEST_P(AddressCase, RenumberedGpusChangeNothingButTheNumber) {
  std::map<std::string, std::string> moved;
  const std::string text = renumber_gpus(GetParam().text, moved);
  const model::Diagnosis diagnosis = diagnose(text);
  expect_right(diagnosis, "renumbered");
  if (GetParam().subject.empty() || diagnosis.findings.empty()) return;
  EXPECT_EQ(diagnosis.findings.front().subject.id, apply_renumbering(GetParam().subject, moved));
}

TEST_P(ProcessCase, PrefixesOfLaunchersAndRuntimesChangeNothing) {
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

std::string case_name(const ::testing::TestParamInfo<ExpectedCase>& instance) {
  return test_name(instance.param.file);
}

INSTANTIATE_TEST_SUITE_P(All, Case, ::testing::ValuesIn(expected_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(All, HarmlessCase, ::testing::ValuesIn(cases_where([](const ExpectedCase& one) {
                           return one.is_harmless();
                         })),
                         case_name);
INSTANTIATE_TEST_SUITE_P(All, FaultCase, ::testing::ValuesIn(cases_where([](const ExpectedCase& one) {
                           return !one.is_harmless();
                         })),
                         case_name);
INSTANTIATE_TEST_SUITE_P(All, SubjectCase, ::testing::ValuesIn(cases_where([](const ExpectedCase& one) {
                           return !one.subject.empty();
                         })),
                         case_name);
INSTANTIATE_TEST_SUITE_P(All, KernelLogCase, ::testing::ValuesIn(cases_where(is_kernel_log)), case_name);
INSTANTIATE_TEST_SUITE_P(All, LooseLinesCase, ::testing::ValuesIn(cases_where(loose_lines)), case_name);
INSTANTIATE_TEST_SUITE_P(All, AddressCase, ::testing::ValuesIn(cases_where(names_an_address)), case_name);
INSTANTIATE_TEST_SUITE_P(All, ProcessCase, ::testing::ValuesIn(cases_where([](const ExpectedCase& one) {
                           return one.kind == "nccl" || one.kind == "cuda-error";
                         })),
                         case_name);

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
  const model::Diagnosis with_misconfiguration =
      diagnose({{"kernel", text_of("07")}, {"job", text_of("61")}, {"smi", text_of("43")}});
  EXPECT_EQ(with_misconfiguration.findings.size(), 3U) << summary(with_misconfiguration);
}

}  // namespace
}  // namespace gpuwright::tests
