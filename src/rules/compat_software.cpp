// Code for a compute capability runs on GPUs of the same major with an equal or higher minor; PTX is compiled
// by the driver for any later GPU. cuDNN is built once for a CUDA major.
// Source: CUDA C++ programming guide (binary and PTX compatibility), cuDNN support matrix.
// SPDX-License-Identifier: Apache-2.0
#include "rules/compat_software.h"

#include "base/day.h"
#include "base/text.h"
#include "rules/compat_rows_used.h"

#include <fmt/core.h>

#include <algorithm>

namespace gpuwright::rules {

namespace {

using base::compare_versions;
using catalog::Compat;
using catalog::CudnnRow;
using catalog::OsRow;
using catalog::TensorflowRow;
using catalog::TorchRow;

constexpr std::string_view kPtx = "+PTX";

CompatAnswer answer(Fit fit, CompatReason reason, std::string needs = {}) {
  CompatAnswer result;
  result.fit = fit;
  result.reason = reason;
  result.needs = std::move(needs);
  return result;
}

std::string_view major_of(std::string_view version) {
  return version.substr(0, version.find('.'));
}

/// "2.11" of "2.11.0+cu130".
std::string minor_of(std::string_view version) {
  const std::size_t first = version.find('.');
  const std::size_t second =
      first == std::string_view::npos ? first : version.find_first_of(".+-ab", first + 1);
  return std::string(version.substr(0, second));
}

/// `version` without the parts that `pattern` does not have: "9.10.2.21" against "9.10.2".
std::string_view at_precision_of(std::string_view pattern, std::string_view version) {
  auto dots = std::count(pattern.begin(), pattern.end(), '.');
  std::size_t at = version.find('.');
  for (; dots > 0 && at != std::string_view::npos; --dots) at = version.find('.', at + 1);
  return version.substr(0, at);
}

bool is_line_of(const CudnnRow& row, std::string_view cudnn) {
  return compare_versions(at_precision_of(row.cudnn_from, cudnn), row.cudnn_from) >= 0 &&
         compare_versions(at_precision_of(row.cudnn_to, cudnn), row.cudnn_to) <= 0;
}

bool has_cuda(const CudnnRow& row, std::string_view cuda) {
  const std::string minor = minor_of(cuda);
  return compare_versions(minor, row.cuda_from) >= 0 && compare_versions(minor, row.cuda_to) <= 0;
}

bool has_gpu(const CudnnRow& row, std::string_view cc) {
  return compare_versions(cc, row.cc_min) >= 0 &&
         (compare_versions(cc, row.cc_max) <= 0 || major_of(cc) == major_of(row.cc_max));
}

using CudnnLine = std::vector<const CudnnRow*>;

CudnnLine line_of(const Compat& compat, std::string_view cudnn) {
  CudnnLine line;
  for (const CudnnRow& row : compat.cudnn)
    if (is_line_of(row, cudnn)) line.push_back(&row);
  return line;
}

/// The newest line before the version, or the oldest after it.
CudnnLine neighbour(const Compat& compat, std::string_view cudnn, bool before) {
  const CudnnRow* best = nullptr;
  for (const CudnnRow& row : compat.cudnn) {
    const int order = compare_versions(row.cudnn_from, cudnn);
    if (before ? order > 0 : order <= 0) continue;
    const int to_best = best == nullptr ? 0 : compare_versions(row.cudnn_from, best->cudnn_from);
    if (best == nullptr || (before ? to_best > 0 : to_best < 0)) best = &row;
  }
  return best == nullptr ? CudnnLine{} : line_of(compat, best->cudnn_from);
}

/// The newest cuDNN of the table that serves the GPU under this CUDA major; empty when none does.
std::string cudnn_for(const Compat& compat, const CudnnQuestion& question) {
  const CudnnRow* best = nullptr;
  for (const CudnnRow& row : compat.cudnn) {
    const bool fits = (question.cc.empty() || has_gpu(row, question.cc)) &&
                      (question.cuda.empty() || major_of(row.cuda_to) == major_of(question.cuda));
    if (fits && (best == nullptr || compare_versions(row.cudnn_to, best->cudnn_to) > 0)) best = &row;
  }
  return best == nullptr ? std::string() : best->cudnn_to;
}

CompatAnswer judge_cudnn_line(const CudnnLine& line, const CudnnQuestion& question) {
  CompatAnswer result = answer(Fit::No, CompatReason::CudnnOtherCudaMajor);
  bool gpu_older = false, gpu_newer = false;
  for (const CudnnRow* row : line) {
    const bool same_major = question.cuda.empty() || major_of(row->cuda_to) == major_of(question.cuda);
    if (!same_major) continue;
    if (!question.cc.empty() && !has_gpu(*row, question.cc)) {
      (compare_versions(question.cc, row->cc_min) < 0 ? gpu_older : gpu_newer) = true;
      continue;
    }
    const bool listed = question.cuda.empty() || has_cuda(*row, question.cuda);
    if (result.fit == Fit::No) result = answer(Fit::Limited, CompatReason::CudnnSameCudaMajor);
    if (listed) result = answer(Fit::Yes, CompatReason::CudnnListed);
    result.rows = {used(*row)};
    if (listed) return result;
  }
  if (result.fit != Fit::No) return result;
  if (gpu_newer) result.reason = CompatReason::CudnnTooOldForGpu;
  if (gpu_older && !gpu_newer) result.reason = CompatReason::CudnnDroppedGpu;
  if (!line.empty()) result.rows = {used(*line.front())};
  return result;
}

/// Between two lines: what both say. Beyond the newest: what it says, as nothing that was dropped came back.
CompatAnswer judge_between(const Compat& compat, const CudnnQuestion& question) {
  const CudnnLine before = neighbour(compat, question.cudnn, true);
  const CudnnLine after = neighbour(compat, question.cudnn, false);
  CompatAnswer unknown = answer(Fit::Unknown, CompatReason::NotRecorded);
  if (before.empty()) return unknown;
  CompatAnswer low = judge_cudnn_line(before, question);
  if (!after.empty()) {
    const CompatAnswer high = judge_cudnn_line(after, question);
    if ((low.fit == Fit::No) != (high.fit == Fit::No) || low.reason == CompatReason::CudnnTooOldForGpu)
      return unknown;
    return low.fit == Fit::Yes ? low : high;
  }
  const bool lasting = low.fit != Fit::No || low.reason == CompatReason::CudnnDroppedGpu;
  return lasting ? low : unknown;
}

const std::vector<std::string>& archs_of(const TorchRow& row, std::string_view machine) {
  return machine == "aarch64" || machine == "arm64" ? row.cc_aarch64 : row.cc_x86_64;
}

/// Whether one wheel is the better advice: the release that is installed, then what is stable, newest, and
/// what pip gives by itself.
bool better_wheel(const TorchRow& one, const TorchRow& other, std::string_view installed) {
  if ((one.torch == installed) != (other.torch == installed)) return one.torch == installed;
  if (one.status != other.status) return one.status == "stable";
  const int order = compare_versions(one.torch, other.torch);
  return order > 0 || (order == 0 && one.pypi_default && !other.pypi_default);
}

/// The wheel with code for the GPU; empty when none is recorded.
std::string wheel_for(const Compat& compat, std::string_view torch, const TorchBuild& build,
                      std::string_view cc) {
  const TorchRow* best = nullptr;
  for (const TorchRow& row : compat.torch) {
    const bool runs = build_runs_on(archs_of(row, build.machine), cc).fit == Fit::Yes;
    if (runs && (best == nullptr || better_wheel(row, *best, torch))) best = &row;
  }
  return best == nullptr ? std::string() : best->torch + "+" + best->wheel;
}

}  // namespace

CompatAnswer cudnn_fits(const Compat& compat, const CudnnQuestion& question) {
  if (question.cudnn.empty() || base::parse_int(major_of(question.cudnn)).value_or(0) <= 0)
    return answer(Fit::Unknown, CompatReason::VersionUnknown);
  const CudnnLine line = line_of(compat, question.cudnn);
  CompatAnswer result = line.empty() ? judge_between(compat, question) : judge_cudnn_line(line, question);
  if (result.fit == Fit::No) result.needs = cudnn_for(compat, question);
  return result;
}

CompatAnswer build_runs_on(const std::vector<std::string>& archs, std::string_view cc) {
  if (archs.empty() || cc.empty()) return answer(Fit::Unknown, CompatReason::NotRecorded);
  bool ptx = false;
  for (std::string_view arch : archs) {
    const bool has_ptx = arch.ends_with(kPtx);
    if (has_ptx) arch.remove_suffix(kPtx.size());
    if (compare_versions(arch, cc) > 0) continue;
    if (major_of(arch) == major_of(cc)) return answer(Fit::Yes, CompatReason::BuildHasGpuCode);
    ptx = ptx || has_ptx;
  }
  return ptx ? answer(Fit::Limited, CompatReason::BuildHasPtxOnly)
             : answer(Fit::No, CompatReason::BuildLacksGpuCode);
}

const TorchRow* torch_row(const Compat& compat, const TorchBuild& build) {
  const std::string minor = minor_of(build.version);
  const std::size_t plus = build.version.find('+');
  const std::string local = plus == std::string::npos ? std::string() : build.version.substr(plus + 1);
  const TorchRow* fallback = nullptr;
  for (const TorchRow& row : compat.torch) {
    if (row.torch != minor) continue;
    if (!local.empty() ? row.wheel == local : !build.cuda.empty() && row.cuda == minor_of(build.cuda))
      return &row;
    if (row.pypi_default) fallback = &row;
  }
  return local.empty() && build.cuda.empty() ? fallback : nullptr;
}

CompatAnswer torch_runs_on(const Compat& compat, const TorchBuild& build, std::string_view cc) {
  const TorchRow* row = torch_row(compat, build);
  if (row == nullptr) return answer(Fit::Unknown, CompatReason::VersionUnknown);
  if (compat.capability(cc) == nullptr) return answer(Fit::Unknown, CompatReason::GpuUnknown);
  CompatAnswer result = build_runs_on(archs_of(*row, build.machine), cc);
  // Not recorded: what the wheel's compiler could not make is not in it.
  if (result.fit == Fit::Unknown) {
    const CompatAnswer compiler = cuda_compiles_for(compat, row->cuda, cc);
    if (compiler.fit == Fit::No) result = answer(Fit::No, compiler.reason);
    result.rows = compiler.rows;
  }
  result.rows.push_back(used(*row));
  if (result.fit == Fit::No) result.needs = wheel_for(compat, row->torch, build, cc);
  return result;
}

const TensorflowRow* tensorflow_row(const Compat& compat, std::string_view version) {
  for (const TensorflowRow& row : compat.tensorflow)
    if (minor_of(row.tensorflow) == minor_of(version)) return &row;
  return nullptr;
}

CompatAnswer tensorflow_runs_on(const Compat& compat, std::string_view version, std::string_view cc) {
  const TensorflowRow* row = tensorflow_row(compat, version);
  if (row == nullptr) return answer(Fit::Unknown, CompatReason::VersionUnknown);
  CompatAnswer result = cuda_compiles_for(compat, row->cuda, cc);
  if (result.reason == CompatReason::CompilerTooOldForGpu) {
    const std::string needs = result.needs;
    result = answer(Fit::Limited, CompatReason::BuildHasPtxOnly, needs);
  } else if (result.fit == Fit::Yes) {
    result = answer(Fit::Unknown, CompatReason::NotRecorded);
  }
  result.rows = {used(*row)};
  return result;
}

const OsRow* os_row(const Compat& compat, std::string_view id, std::string_view version_id) {
  const OsRow* best = nullptr;
  for (const OsRow& row : compat.os) {
    const bool same =
        row.os_id == id && compare_versions(at_precision_of(row.version, version_id), row.version) == 0;
    if (same && (best == nullptr || row.version.size() > best->version.size())) best = &row;
  }
  return best;
}

CompatAnswer os_fits(const Compat& compat, const OsQuestion& question) {
  const OsRow* newest = nullptr;
  for (const OsRow& row : compat.os) {
    if (row.os_id != question.id || !row.in_guide) continue;
    if (newest == nullptr || compare_versions(row.version, newest->version) > 0) newest = &row;
  }
  const bool named = std::any_of(compat.os.begin(), compat.os.end(),
                                 [&](const OsRow& row) { return row.os_id == question.id; });
  if (!named || question.version_id.empty()) return answer(Fit::Unknown, CompatReason::OsUnknown);
  const std::string needs = newest == nullptr ? std::string() : newest->os_id + " " + newest->version;
  const OsRow* row = os_row(compat, question.id, question.version_id);
  CompatAnswer result = answer(Fit::Yes, CompatReason::OsInGuide);
  if (row == nullptr || !row->in_guide) result = answer(Fit::No, CompatReason::OsNotInGuide, needs);
  const auto end = row == nullptr || row->eol.empty() ? std::nullopt : base::last_day_of(row->eol);
  const auto today = base::last_day_of(question.today);
  if (result.fit == Fit::Yes && end && today && *end < *today)
    result =
        answer(Fit::Limited, CompatReason::OsEnded, needs == row->os_id + " " + row->version ? "" : needs);
  if (row != nullptr) result.rows = {used(*row)};
  if (row == nullptr && newest != nullptr) result.rows = {used(*newest)};
  return result;
}

}  // namespace gpuwright::rules
