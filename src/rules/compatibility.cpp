// A driver runs every CUDA up to its own. Since CUDA 11 it also runs newer releases of the same major, from a
// floor on: 450.80.02 for 11, 525.60.13 for 12, 580.65.06 for 13. Below the floor only the cuda-compat
// package helps, and only on data-centre GPUs. Source: https://docs.nvidia.com/deploy/cuda-compatibility/
// SPDX-License-Identifier: Apache-2.0
#include "rules/compatibility.h"

#include "base/day.h"
#include "base/text.h"
#include "rules/compat_rows_used.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::rules {

namespace {

using base::compare_versions;
using catalog::Compat;
using catalog::ComputeCapabilityRow;
using catalog::CudaReleaseRow;
using catalog::DriverBranchRow;

constexpr std::int64_t kSoonDays = 90;  // an upgrade of a cluster takes a quarter to plan
constexpr std::int64_t kFirstOpenBranch = 515;
constexpr std::int64_t kOpenForAllBranch = 560;  // before, open modules were beta on GeForce and workstations

CompatAnswer answer(Fit fit, CompatReason reason, std::string needs = {}) {
  CompatAnswer result;
  result.fit = fit;
  result.reason = reason;
  result.needs = std::move(needs);
  return result;
}

std::string branch_name(std::int64_t branch) {
  return fmt::format("R{}", branch);
}

/// The first `count` dotted parts.
std::string_view leading_parts(std::string_view version, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at != std::string_view::npos; --count) at = version.find('.', at == 0 ? 0 : at + 1);
  return at == std::string_view::npos ? version : version.substr(0, at);
}

bool is_version(std::string_view text) {
  if (text.empty()) return false;
  const auto parts = base::split(text, '.');
  return std::all_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return base::parse_int(part).value_or(-1) >= 0; });
}

/// The oldest release of a later CUDA than asked, with a known driver.
const CudaReleaseRow* next_release(const Compat& compat, std::string_view cuda) {
  const CudaReleaseRow* next = nullptr;
  for (const CudaReleaseRow& row : compat.cuda_releases) {
    if (row.bundled_driver.empty() || compare_versions(row.release, cuda) <= 0) continue;
    if (next == nullptr || compare_versions(row.release, next->release) < 0) next = &row;
  }
  return next;
}

/// Any release of the same CUDA major; null when there is none.
const CudaReleaseRow* of_major(const Compat& compat, std::string_view cuda) {
  for (const CudaReleaseRow& row : compat.cuda_releases)
    if (leading_parts(row.release, 1) == leading_parts(cuda, 1)) return &row;
  return nullptr;
}

/// Below the floor: what cuda-compat could do. Only some branches are bases for it, the others never were or
/// no longer are.
CompatAnswer below_floor(const Compat& compat, const CudaQuestion& question, const std::string& needs) {
  const std::string package = compat_package(question.cuda);
  const DriverBranchRow* branch = compat.branch(driver_branch(question.driver).value_or(0));
  const std::string base = branch == nullptr ? std::string() : branch->forward_compat;
  if (question.compat_package && !package.empty()) {
    const bool refused = base == "no" || (question.data_centre_gpu && !*question.data_centre_gpu);
    if (refused) return answer(Fit::No, CompatReason::ForwardCompatRefused, needs);
    return question.data_centre_gpu && base == "yes"
               ? answer(Fit::Limited, CompatReason::ForwardCompatUsed, needs)
               : answer(Fit::Unknown, CompatReason::NotRecorded, needs);
  }
  CompatAnswer result = answer(Fit::No, CompatReason::DriverBelowFloor, needs);
  if (question.data_centre_gpu.value_or(false) && base == "yes") result.bridge = package;
  return result;
}

/// A release that the table does not have: what its neighbours tell.
CompatAnswer judge_unlisted_cuda(const Compat& compat, const CudaQuestion& question) {
  if (const CudaReleaseRow* next = next_release(compat, question.cuda)) {
    if (compare_versions(question.driver, next->bundled_driver) >= 0) {
      CompatAnswer result = answer(Fit::Yes, CompatReason::DriverBundled);
      result.rows = {used(*next)};
      return result;
    }
  }
  const CudaReleaseRow* peer = of_major(compat, question.cuda);
  if (peer == nullptr || peer->floor_driver.empty()) return answer(Fit::Unknown, CompatReason::CudaUnknown);
  CompatAnswer result = compare_versions(question.driver, peer->floor_driver) >= 0
                            ? answer(Fit::Limited, CompatReason::DriverMinorVersion)
                            : below_floor(compat, question, peer->floor_driver);
  result.rows = {used(*peer)};
  return result;
}

CompatAnswer judge_listed_cuda(const Compat& compat, const CudaReleaseRow& row,
                               const CudaQuestion& question) {
  const std::int64_t branch = driver_branch(question.driver).value_or(0);
  const bool has_floor = !row.floor_driver.empty();
  const bool over_floor = has_floor && compare_versions(question.driver, row.floor_driver) >= 0;
  if (row.bundled_driver.empty() ? branch > row.branch
                                 : compare_versions(question.driver, row.bundled_driver) >= 0)
    return answer(Fit::Yes, CompatReason::DriverBundled);
  // CUDA 11.0 is older than the floor of its major: its own branch runs it below that floor, too.
  const bool floor_counts = has_floor && (row.bundled_driver.empty() ||
                                          compare_versions(row.floor_driver, row.bundled_driver) <= 0);
  if (branch == row.branch && (over_floor || !floor_counts))
    return answer(Fit::Yes, CompatReason::DriverSameBranch);
  const std::string full = row.bundled_driver.empty() ? branch_name(row.branch) : row.bundled_driver;
  if (over_floor) return answer(Fit::Limited, CompatReason::DriverMinorVersion, full);
  return below_floor(compat, question, floor_counts ? row.floor_driver : full);
}

OpenModules open_modules(std::string_view word) {
  return word == "no"         ? OpenModules::Impossible
         : word == "possible" ? OpenModules::Possible
         : word == "required" ? OpenModules::Required
                              : OpenModules::Unknown;
}

/// By generation: the GSP that the open modules need came with Turing (7.5); Blackwell (10.0) has no other.
OpenModules open_modules_of_cc(std::string_view cc) {
  if (compare_versions(cc, "7.5") < 0) return OpenModules::Impossible;
  return compare_versions(cc, "10.0") < 0 ? OpenModules::Possible : OpenModules::Required;
}

void fill_from_capability(const Compat& compat, GpuKind& gpu) {
  const ComputeCapabilityRow* row = compat.capability(gpu.cc);
  if (row == nullptr) return;
  if (gpu.arch.empty()) gpu.arch = row->arch;
  if (gpu.first_branch == 0) gpu.first_branch = row->first_branch;
  if (gpu.last_branch == 0) gpu.last_branch = row->last_branch;
  if (gpu.open == OpenModules::Unknown) gpu.open = open_modules_of_cc(gpu.cc);
  gpu.rows.push_back(used(*row));
}

bool runs(std::int64_t branch, const GpuKind& gpu) {
  return branch >= gpu.first_branch && (gpu.last_branch == 0 || branch <= gpu.last_branch);
}

/// Days from today to the end of the branch; nothing when nobody names one.
std::optional<std::int64_t> days_left(const DriverBranchRow& row, std::int64_t today) {
  const std::optional<std::int64_t> end = base::last_day_of(row.eol);
  return row.eol.empty() || !end ? std::nullopt : std::optional<std::int64_t>(*end - today);
}

/// A branch without a row: only its place among the others is known.
CompatAnswer life_of_unlisted(const Compat& compat, std::int64_t branch, std::int64_t today) {
  for (const DriverBranchRow& row : compat.branches) {
    const bool later = row.branch > branch && row.kind == "lts";
    if (!later) continue;
    const std::optional<std::int64_t> left = days_left(row, today);
    CompatAnswer result = left && *left < 0 ? answer(Fit::No, CompatReason::BranchSuperseded)
                                            : answer(Fit::Unknown, CompatReason::DriverUnknown);
    result.rows = {used(row)};
    return result;
  }
  return answer(Fit::Unknown, CompatReason::DriverUnknown);
}

CompatAnswer life_of(const DriverBranchRow& row, std::int64_t today) {
  if (row.eol_basis == "superseded") return answer(Fit::No, CompatReason::BranchSuperseded);
  const std::optional<std::int64_t> left = days_left(row, today);
  if (!left) return answer(Fit::Limited, CompatReason::BranchWithoutTerm);
  if (*left < 0) return answer(Fit::No, CompatReason::BranchEnded);
  return *left < kSoonDays ? answer(Fit::Limited, CompatReason::BranchEndsSoon)
                           : answer(Fit::Yes, CompatReason::BranchSupported);
}

}  // namespace

std::optional<std::int64_t> driver_branch(std::string_view driver) {
  if (!driver.empty() && (driver.front() == 'R' || driver.front() == 'r')) driver.remove_prefix(1);
  const std::string_view first = leading_parts(driver, 1);
  const std::optional<std::int64_t> branch = is_version(driver) ? base::parse_int(first) : std::nullopt;
  return branch && first.size() == 3 ? branch : std::nullopt;
}

std::string toolkit_package(std::string_view cuda) {
  return "cuda-toolkit-" + base::replace_all(std::string(leading_parts(cuda, 2)), ".", "-");
}

std::string compat_package(std::string_view cuda) {
  if (cuda.find('.') == std::string_view::npos || compare_versions(cuda, "11") < 0) return {};
  return "cuda-compat-" + base::replace_all(std::string(leading_parts(cuda, 2)), ".", "-");
}

std::vector<const CudaReleaseRow*> cuda_rows(const Compat& compat, std::string_view cuda) {
  std::vector<const CudaReleaseRow*> rows;
  for (const CudaReleaseRow& row : compat.cuda_releases)
    if (row.release == cuda) return {&row};
  const std::string_view minor = leading_parts(cuda, 2);
  for (const CudaReleaseRow& row : compat.cuda_releases)
    if (row.cuda == minor || leading_parts(row.cuda, 1) == cuda) rows.push_back(&row);
  return rows;
}

CompatAnswer driver_runs_cuda(const Compat& compat, const CudaQuestion& question) {
  if (!is_version(question.driver) || !driver_branch(question.driver))
    return answer(Fit::Unknown, CompatReason::DriverUnknown);
  if (!is_version(question.cuda)) return answer(Fit::Unknown, CompatReason::CudaUnknown);
  const std::vector<const CudaReleaseRow*> rows = cuda_rows(compat, question.cuda);
  if (rows.empty()) return judge_unlisted_cuda(compat, question);
  // Of a minor release the first one decides: what it can do does not change within it.
  CompatAnswer result = judge_listed_cuda(compat, *rows.front(), question);
  result.rows = {used(*rows.front())};
  return result;
}

CompatAnswer cuda_compiles_for(const Compat& compat, std::string_view cuda, std::string_view cc) {
  const ComputeCapabilityRow* row = compat.capability(cc);
  if (row == nullptr) return answer(Fit::Unknown, CompatReason::GpuUnknown);
  if (!is_version(cuda)) return answer(Fit::Unknown, CompatReason::CudaUnknown);
  const std::string_view minor = leading_parts(cuda, 2);
  CompatAnswer result = answer(Fit::Yes, CompatReason::CompilerKnowsGpu);
  if (!row->first_cuda.empty() && compare_versions(minor, row->first_cuda) < 0)
    result = answer(Fit::No, CompatReason::CompilerTooOldForGpu, row->first_cuda);
  if (!row->last_cuda.empty() && compare_versions(minor, row->last_cuda) > 0)
    result = answer(Fit::No, CompatReason::CompilerDroppedGpu, row->last_cuda);
  result.rows = {used(*row)};
  return result;
}

GpuKind gpu_kind(const Compat& compat, const catalog::GpuBoardRow& board) {
  GpuKind gpu;
  gpu.name = board.name;
  gpu.arch = board.arch;
  gpu.cc = board.cc;
  gpu.first_branch = board.first_branch;
  gpu.last_branch = board.last_branch;
  gpu.open = open_modules(board.open_modules);
  gpu.data_centre = board.data_centre;
  gpu.rows = {used(board)};
  fill_from_capability(compat, gpu);
  return gpu;
}

GpuKind gpu_kind(const Compat& compat, const GpuIds& ids) {
  if (const catalog::GpuBoardRow* board = compat.board(ids.device, ids.subsystem))
    return gpu_kind(compat, *board);
  GpuKind gpu;
  const std::optional<std::uint64_t> id = base::parse_hex(ids.device);
  if (const catalog::GpuChipRow* chip = id ? compat.chip(static_cast<std::int64_t>(*id)) : nullptr) {
    gpu.name = chip->chip;
    gpu.cc = chip->cc;
    gpu.open = open_modules(chip->open_modules);
    gpu.rows = {used(*chip)};
  } else if (compat.capability(ids.cc) != nullptr) {
    gpu.cc = ids.cc;
  }
  fill_from_capability(compat, gpu);
  return gpu;
}

OpenModules modules_for(const Compat& compat, std::string_view device, std::string_view subsystem) {
  const GpuKind kind = gpu_kind(compat, GpuIds{std::string(device), std::string(subsystem), ""});
  const std::optional<std::uint64_t> id = base::parse_hex(device);
  if (kind.known() || !id || compat.chips.empty()) return kind.open;
  // Device ids grow with the generations.
  return static_cast<std::int64_t>(*id) > compat.chips.back().last_id ? OpenModules::Required
                                                                      : OpenModules::Unknown;
}

CompatAnswer driver_supports_gpu(const Compat& compat, std::string_view driver, const GpuKind& gpu) {
  const std::optional<std::int64_t> branch = driver_branch(driver);
  if (!branch) return answer(Fit::Unknown, CompatReason::DriverUnknown);
  if (!gpu.known()) return answer(Fit::Unknown, CompatReason::GpuUnknown);
  CompatAnswer result = answer(Fit::Yes, CompatReason::BranchSupportsGpu);
  if (*branch < gpu.first_branch)
    result = answer(Fit::No, CompatReason::BranchTooOldForGpu, branch_name(gpu.first_branch));
  if (gpu.last_branch != 0 && *branch > gpu.last_branch)
    result = answer(Fit::No, CompatReason::BranchDroppedGpu, branch_name(gpu.last_branch));
  result.rows = gpu.rows;
  if (const DriverBranchRow* row = compat.branch(*branch)) result.rows.push_back(used(*row));
  return result;
}

CompatAnswer flavour_fits(const Compat& compat, std::string_view driver, Flavour flavour,
                          const GpuKind& gpu) {
  const std::optional<std::int64_t> branch = driver_branch(driver);
  if (!branch) return answer(Fit::Unknown, CompatReason::DriverUnknown);
  if (!gpu.known() || gpu.open == OpenModules::Unknown) return answer(Fit::Unknown, CompatReason::GpuUnknown);
  const DriverBranchRow* row = compat.branch(*branch);
  const bool only_open = row != nullptr && row->open_modules == "only";
  CompatAnswer result = answer(Fit::Yes, CompatReason::FlavourFits);
  if (flavour == Flavour::Open) {
    if (gpu.open == OpenModules::Impossible) {
      result = answer(Fit::No, CompatReason::ProprietaryNeeded,
                      gpu.last_branch == 0 ? std::string() : branch_name(gpu.last_branch));
    } else if (*branch < kFirstOpenBranch) {
      result = answer(Fit::No, CompatReason::OpenNotInBranch, branch_name(kFirstOpenBranch));
    } else if (*branch < kOpenForAllBranch && !gpu.data_centre.value_or(true)) {
      result = answer(Fit::Limited, CompatReason::OpenBeta, branch_name(kOpenForAllBranch));
    }
  } else if (gpu.open == OpenModules::Required) {
    result = answer(Fit::No, CompatReason::OpenNeeded);
  } else if (only_open) {
    result = answer(Fit::No, CompatReason::ProprietaryNotInBranch);
  } else if (gpu.open == OpenModules::Possible && *branch >= kOpenForAllBranch) {
    result = answer(Fit::Yes, CompatReason::OpenRecommended);
  }
  result.rows = gpu.rows;
  if (row != nullptr) result.rows.push_back(used(*row));
  return result;
}

const DriverBranchRow* branch_for(const Compat& compat, std::string_view today,
                                  const std::vector<GpuKind>& gpus) {
  const std::optional<std::int64_t> day = base::last_day_of(today);
  if (!day) return nullptr;
  const DriverBranchRow* best = nullptr;
  std::int64_t best_left = -1;
  for (const DriverBranchRow& row : compat.branches) {
    const bool all = std::all_of(gpus.begin(), gpus.end(),
                                 [&](const GpuKind& gpu) { return !gpu.known() || runs(row.branch, gpu); });
    if (row.kind == "new-feature" || !all || base::last_day_of(row.first_release).value_or(0) > *day)
      continue;
    const std::optional<std::int64_t> left = days_left(row, *day);
    if (!left || *left < 0 || *left < best_left) continue;
    best = &row;
    best_left = *left;
  }
  return best;
}

CompatAnswer branch_life(const Compat& compat, std::string_view driver, std::string_view today,
                         const std::vector<GpuKind>& gpus) {
  const std::optional<std::int64_t> branch = driver_branch(driver);
  const std::optional<std::int64_t> day = base::last_day_of(today);
  if (!branch) return answer(Fit::Unknown, CompatReason::DriverUnknown);
  if (!day) return answer(Fit::Unknown, CompatReason::DayUnknown);
  const DriverBranchRow* row = compat.branch(*branch);
  CompatAnswer result = row != nullptr ? life_of(*row, *day) : life_of_unlisted(compat, *branch, *day);
  if (row != nullptr) result.rows.push_back(used(*row));
  if (result.fit == Fit::Yes) return result;
  const DriverBranchRow* next = branch_for(compat, today, gpus);
  if (next != nullptr && next->branch != *branch) {
    result.needs = branch_name(next->branch);
    result.rows.push_back(used(*next));
  }
  return result;
}

}  // namespace gpuwright::rules
