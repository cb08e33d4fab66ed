// Driver, CUDA, GPU and module flavour: the three floors, dropped generations, ended branches.
// SPDX-License-Identifier: Apache-2.0
#include "rules/compatibility.h"

#include "base/text.h"

#include "support/diagnose.h"
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gpuwright::tests {
namespace {

using rules::CompatAnswer;
using rules::CompatReason;
using rules::Fit;
using rules::Flavour;
using rules::GpuKind;

const catalog::Compat& tables() {
  return knowledge().compat();
}

CompatAnswer runs_cuda(const std::string& driver, const std::string& cuda) {
  return rules::driver_runs_cuda(tables(), {driver, cuda, std::nullopt, false});
}

GpuKind gpu(const std::string& device) {
  return rules::gpu_kind(tables(), rules::GpuIds{device, "", ""});
}

const GpuKind kV100 = gpu("1db5"), kT4 = gpu("1eb8"), kA100 = gpu("20b2"), kH100 = gpu("2330"),
              kB200 = gpu("2901"), kRtx3090 = gpu("2204"), kGh200 = gpu("2342"), kK80 = gpu("102d");

TEST(DriverAndCuda, TheThreeFloors) {
  struct Floor {
    const char *cuda, *floor, *below;
  };
  for (const Floor& floor : {Floor{"11.8", "450.80.02", "450.51.06"}, Floor{"12.4", "525.60.13", "525.60.11"},
                             Floor{"13.2", "580.65.06", "575.57.08"}}) {
    const CompatAnswer above = runs_cuda(floor.floor, floor.cuda);
    EXPECT_EQ(above.fit, Fit::Limited) << floor.cuda;
    EXPECT_EQ(above.reason, CompatReason::DriverMinorVersion) << floor.cuda;
    const CompatAnswer below = runs_cuda(floor.below, floor.cuda);
    EXPECT_EQ(below.fit, Fit::No) << floor.cuda;
    EXPECT_EQ(below.needs, floor.floor) << floor.cuda;
    ASSERT_FALSE(below.rows.empty());
    EXPECT_FALSE(below.rows.front().source.empty());
  }
}

TEST(DriverAndCuda, PartsAreComparedAsNumbersAndANewerDriverRunsEverything) {
  EXPECT_EQ(runs_cuda("525.105.17", "12.0").reason, CompatReason::DriverBundled);
  EXPECT_EQ(runs_cuda("620.70.06", "8.0").fit, Fit::Yes);
  EXPECT_EQ(runs_cuda("580.65.06", "12.9.1").reason, CompatReason::DriverBundled);
  EXPECT_EQ(runs_cuda("550.54.14", "12.4.1").reason, CompatReason::DriverSameBranch);
  EXPECT_EQ(runs_cuda("450.51.06", "11.0").fit, Fit::Yes);
}

TEST(DriverAndCuda, BeforeCuda11ThereIsNoMinorVersionCompatibility) {
  const CompatAnswer answer = runs_cuda("418.39", "10.2");
  EXPECT_EQ(answer.fit, Fit::No);
  EXPECT_EQ(answer.needs, "440.33");
}

TEST(DriverAndCuda, ForwardCompatibilityIsForDataCentreGpus) {
  rules::CudaQuestion question{"535.104.05", "13.0", true, false};
  CompatAnswer answer = rules::driver_runs_cuda(tables(), question);
  EXPECT_EQ(answer.fit, Fit::No);
  EXPECT_EQ(answer.bridge, "cuda-compat-13-0");
  question.compat_package = true;
  EXPECT_EQ(rules::driver_runs_cuda(tables(), question).reason, CompatReason::ForwardCompatUsed);
  question.data_centre_gpu = false;
  answer = rules::driver_runs_cuda(tables(), question);
  EXPECT_EQ(answer.reason, CompatReason::ForwardCompatRefused);
  EXPECT_EQ(answer.fit, Fit::No);
  question.compat_package = false;
  EXPECT_TRUE(rules::driver_runs_cuda(tables(), question).bridge.empty());
  question = {"560.35.03", "13.0", true, false};
  EXPECT_TRUE(rules::driver_runs_cuda(tables(), question).bridge.empty())
      << "R560 is no base for cuda-compat";
  question.compat_package = true;
  EXPECT_EQ(rules::driver_runs_cuda(tables(), question).reason, CompatReason::ForwardCompatRefused);
  question = {"535.104.05", "13.0", std::nullopt, true};
  EXPECT_EQ(rules::driver_runs_cuda(tables(), question).fit, Fit::Unknown);
}

TEST(DriverAndCuda, AReleaseThatNobodyPublishedIsJudgedByItsNeighbours) {
  EXPECT_EQ(runs_cuda("570.26", "12.7").fit, Fit::Yes);
  EXPECT_EQ(runs_cuda("565.57.01", "12.7").fit, Fit::Limited);
  EXPECT_EQ(runs_cuda("470.57.02", "12.7").fit, Fit::No);
  EXPECT_EQ(runs_cuda("580.65.06", "13.9").fit, Fit::Limited);
  EXPECT_EQ(runs_cuda("580.65.06", "14.0").fit, Fit::Unknown);
  EXPECT_EQ(runs_cuda("580.65.06", "7.5").fit, Fit::Yes);
}

TEST(DriverAndCuda, WhatIsNoVersionIsUnknown) {
  for (const char* driver : {"", "N/A", "R", "5", "12.0", "535.x"})
    EXPECT_EQ(runs_cuda(driver, "12.0").fit, Fit::Unknown) << driver;
  for (const char* cuda : {"", "none", "12.", "-1"})
    EXPECT_EQ(runs_cuda("535.104.05", cuda).fit, Fit::Unknown) << cuda;
}

TEST(CudaCompiler, KnowsFromItsFirstToItsLastRelease) {
  EXPECT_EQ(rules::cuda_compiles_for(tables(), "12.6.3", "10.0").reason, CompatReason::CompilerTooOldForGpu);
  EXPECT_EQ(rules::cuda_compiles_for(tables(), "12.6.3", "10.0").needs, "12.8");
  EXPECT_EQ(rules::cuda_compiles_for(tables(), "13.0", "7.0").reason, CompatReason::CompilerDroppedGpu);
  EXPECT_EQ(rules::cuda_compiles_for(tables(), "13.0", "7.0").needs, "12.9");
  EXPECT_EQ(rules::cuda_compiles_for(tables(), "12.9.1", "7.0").fit, Fit::Yes);
  EXPECT_EQ(rules::cuda_compiles_for(tables(), "12.9", "99.0").fit, Fit::Unknown);
}

TEST(GpuTables, BoardsChipsAndCapabilitiesAreFound) {
  EXPECT_EQ(kH100.name, "H100 SXM5 80GB");
  EXPECT_EQ(kH100.cc, "9.0");
  EXPECT_EQ(kH100.first_branch, 520);
  EXPECT_EQ(kV100.last_branch, 580);
  EXPECT_EQ(kRtx3090.data_centre, false);
  const GpuKind a2 = rules::gpu_kind(tables(), rules::GpuIds{"25B6", "157E", ""});
  EXPECT_EQ(a2.name, "A2");
  // RTX 3060: a chip without a board of its own in the table
  EXPECT_EQ(gpu("2503").name, "GA106");
  EXPECT_EQ(gpu("2503").arch, "Ampere");
  EXPECT_EQ(rules::gpu_kind(tables(), rules::GpuIds{"", "", "8.9"}).arch, "Ada");
  EXPECT_FALSE(rules::gpu_kind(tables(), rules::GpuIds{"ffff", "", ""}).known());
  EXPECT_FALSE(rules::gpu_kind(tables(), rules::GpuIds{"", "", ""}).known());
}

TEST(DriverAndGpu, TooOldSupportedDropped) {
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "515.105.01", kH100).reason,
            CompatReason::BranchTooOldForGpu);
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "515.105.01", kH100).needs, "R520");
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "580.65.06", kV100).fit, Fit::Yes);
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "590.48.01", kV100).reason, CompatReason::BranchDroppedGpu);
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "R590", kV100).needs, "R580");
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "495.46", kK80).needs, "R470");
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "550.54.14", kB200).needs, "R570");
  EXPECT_EQ(rules::driver_supports_gpu(tables(), "550.54.14", GpuKind()).fit, Fit::Unknown);
}

TEST(ModuleFlavour, OpenIsForTuringAndLaterAndTheOnlyOneForBlackwell) {
  const auto fits = [](const char* driver, Flavour flavour, const GpuKind& kind) {
    return rules::flavour_fits(tables(), driver, flavour, kind).reason;
  };
  EXPECT_EQ(fits("580.65.06", Flavour::Open, kV100), CompatReason::ProprietaryNeeded);
  EXPECT_EQ(fits("580.65.06", Flavour::Proprietary, kV100), CompatReason::FlavourFits);
  EXPECT_EQ(fits("580.65.06", Flavour::Proprietary, kB200), CompatReason::OpenNeeded);
  EXPECT_EQ(fits("580.65.06", Flavour::Proprietary, kGh200), CompatReason::OpenNeeded);
  EXPECT_EQ(fits("580.65.06", Flavour::Open, kB200), CompatReason::FlavourFits);
  EXPECT_EQ(fits("580.65.06", Flavour::Proprietary, kA100), CompatReason::OpenRecommended);
  EXPECT_EQ(fits("550.54.14", Flavour::Proprietary, kA100), CompatReason::FlavourFits);
  EXPECT_EQ(fits("620.70.06", Flavour::Proprietary, kA100), CompatReason::ProprietaryNotInBranch);
  EXPECT_EQ(fits("510.108.03", Flavour::Open, kA100), CompatReason::OpenNotInBranch);
  EXPECT_EQ(fits("535.309.01", Flavour::Open, kRtx3090), CompatReason::OpenBeta);
  EXPECT_EQ(fits("535.309.01", Flavour::Open, kT4), CompatReason::FlavourFits);
  EXPECT_EQ(rules::flavour_fits(tables(), "580.65.06", Flavour::Open, GpuKind()).fit, Fit::Unknown);
}

TEST(BranchLife, TheDayDecides) {
  const auto life = [](const char* driver, const char* today) {
    return rules::branch_life(tables(), driver, today, {kH100});
  };
  EXPECT_EQ(life("535.309.01", "2026-03-01").fit, Fit::Yes);
  EXPECT_EQ(life("535.309.01", "2026-05-01").reason, CompatReason::BranchEndsSoon);
  EXPECT_EQ(life("535.309.01", "2026-06-30").reason, CompatReason::BranchEndsSoon);
  EXPECT_EQ(life("535.309.01", "2026-07-01").reason, CompatReason::BranchEnded);
  EXPECT_EQ(life("535.309.01", "2026-07-01").needs, "R580");
  EXPECT_EQ(life("535.309.01", "2026-11-30").needs, "R620");
  EXPECT_EQ(life("440.33", "2026-11-30").reason, CompatReason::BranchSuperseded);
  EXPECT_EQ(life("430.50", "2026-11-30").reason, CompatReason::BranchSuperseded);
  EXPECT_EQ(life("615.10.01", "2026-11-30").reason, CompatReason::BranchWithoutTerm);
  EXPECT_EQ(life("699.10.01", "2026-11-30").fit, Fit::Unknown);
  EXPECT_EQ(life("535.309.01", "").reason, CompatReason::DayUnknown);
}

TEST(BranchLife, TheBranchToMoveToRunsAllGpusOfTheMachine) {
  const auto number = [](const std::vector<GpuKind>& gpus) {
    const catalog::DriverBranchRow* row = rules::branch_for(tables(), "2026-11-30", gpus);
    return row == nullptr ? 0 : row->branch;
  };
  EXPECT_EQ(number({kH100, kB200}), 620);
  EXPECT_EQ(number({kH100, kV100}), 580);
  EXPECT_EQ(number({kB200, kV100}), 580);
  EXPECT_EQ(number({kK80}), 0);
  EXPECT_EQ(number({}), 620);
  EXPECT_EQ(rules::branch_life(tables(), "535.309.01", "2026-11-30", {kV100}).needs, "R580");
}

TEST(CompatWords, EveryReasonHasItsOwn) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(CompatReason::DayUnknown); ++i) {
    const std::string word = rules::reason_word(static_cast<CompatReason>(i));
    EXPECT_FALSE(word.empty()) << i;
    EXPECT_TRUE(words.insert(word).second) << word;
  }
}

int rank(Fit fit) {
  return fit == Fit::Yes ? 2 : fit == Fit::Limited ? 1 : 0;
}

RC_GTEST_PROP(CompatProperties, ANewerDriverOfASupportedGpuLosesNoCuda, ()) {
  const catalog::Compat& all = tables();
  const auto& release = all.cuda_releases[*rc::gen::inRange<std::size_t>(0, all.cuda_releases.size())];
  const auto& board = all.boards[*rc::gen::inRange<std::size_t>(0, all.boards.size())];
  const auto version = [&] {
    const auto& branch = all.branches[*rc::gen::inRange<std::size_t>(0, all.branches.size())];
    return std::to_string(branch.branch) + "." + std::to_string(*rc::gen::inRange(0, 300)) + ".0" +
           std::to_string(*rc::gen::inRange(0, 9));
  };
  std::string older = version(), newer = version();
  if (base::compare_versions(older, newer) > 0) std::swap(older, newer);
  const GpuKind kind = rules::gpu_kind(all, board);
  RC_PRE(rules::driver_supports_gpu(all, older, kind).fit == Fit::Yes);
  const Fit after = rules::driver_supports_gpu(all, newer, kind).fit;
  if (after != Fit::Yes) {
    // only where the generation was dropped
    RC_ASSERT(kind.last_branch != 0 && *rules::driver_branch(newer) > kind.last_branch);
    return;
  }
  const rules::CudaQuestion before{older, release.release, board.data_centre, false};
  const rules::CudaQuestion later{newer, release.release, board.data_centre, false};
  RC_ASSERT(rank(rules::driver_runs_cuda(all, later).fit) >= rank(rules::driver_runs_cuda(all, before).fit));
}

RC_GTEST_PROP(CompatProperties, AnOlderCudaNeedsNoNewerDriver, ()) {
  const catalog::Compat& all = tables();
  // From 11.1 on; 11.0 knows its own branch below the floor of its major.
  std::vector<std::string> releases;
  for (const catalog::CudaReleaseRow& row : all.cuda_releases)
    if (base::compare_versions(row.release, "11.1") >= 0) releases.push_back(row.release);
  std::string older = *rc::gen::elementOf(releases), newer = *rc::gen::elementOf(releases);
  if (base::compare_versions(older, newer) > 0) std::swap(older, newer);
  const std::string driver =
      std::to_string(*rc::gen::inRange(375, 640)) + "." + std::to_string(*rc::gen::inRange(0, 300)) + ".05";
  RC_ASSERT(rank(runs_cuda(driver, older).fit) >= rank(runs_cuda(driver, newer).fit));
}

RC_GTEST_PROP(CompatProperties, AnyTextGetsAnAnswerAndWhatIsNeededWouldDo, ()) {
  const auto text = rc::gen::container<std::string>(
      rc::gen::element('0', '1', '2', '5', '6', '8', '9', '.', 'R', '-', '+', 'x', ' '));
  const std::string driver = *rc::gen::resize(12, text), cuda = *rc::gen::resize(8, text);
  const CompatAnswer answer = runs_cuda(driver, cuda);
  if (answer.fit == Fit::No) {
    RC_ASSERT(!answer.needs.empty());
    RC_ASSERT(runs_cuda(answer.needs, cuda).fit != Fit::No);
  }
}

TEST(CompatProperties, WhatIsNeededWouldDoForEveryReleaseAndBranch) {
  for (const catalog::CudaReleaseRow& release : tables().cuda_releases) {
    for (const catalog::DriverBranchRow& branch : tables().branches) {
      const std::string driver =
          branch.last_release.empty() ? std::to_string(branch.branch) + ".10.01" : branch.last_release;
      const CompatAnswer answer = runs_cuda(driver, release.release);
      EXPECT_NE(answer.fit, Fit::Unknown) << driver << " " << release.release;
      if (answer.fit != Fit::No) continue;
      EXPECT_NE(runs_cuda(answer.needs, release.release).fit, Fit::No) << driver << " " << release.release;
    }
  }
}

}  // namespace
}  // namespace gpuwright::tests
