// cuDNN, PyTorch, TensorFlow and distributions against CUDA, GPU and driver. Pure, like compatibility.h.
// Source: cuDNN support matrix, PyTorch RELEASE.md, TensorFlow tested builds, driver installation guide.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/compatibility.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::rules {

struct CudnnQuestion {
  std::string cudnn;  ///< "9.10.2.21" or "9.10.2"
  std::string cuda;   ///< of the build: "12.8"; empty: not known
  std::string cc;     ///< of the GPU; empty: not asked
};

/// Is this cuDNN made for that CUDA and GPU? Between two lines of the table the answer is given where both
/// agree.
CompatAnswer cudnn_fits(const catalog::Compat& compat, const CudnnQuestion& question);

/// A wheel of PyTorch as it is installed.
struct TorchBuild {
  std::string version;  ///< "2.11.0+cu130", "2.11.0"
  std::string cuda;     ///< "13.0" where the build tells it; may be empty
  std::string machine = "x86_64";
};

/// The wheel's row: by the local version ("+cu130"), else by the build's CUDA, else the one that PyPI gives.
/// Null when none is recorded.
const catalog::TorchRow* torch_row(const catalog::Compat& compat, const TorchBuild& build);

/// Does the wheel hold code for the compute capability? `needs` names a wheel that does ("2.11+cu126").
CompatAnswer torch_runs_on(const catalog::Compat& compat, const TorchBuild& build, std::string_view cc);

/// The row of the release that shares major and minor with `version`; null when none is recorded.
const catalog::TensorflowRow* tensorflow_row(const catalog::Compat& compat, std::string_view version);

/// Can the release's CUDA make code for the compute capability? Newer GPUs run it from PTX at best.
CompatAnswer tensorflow_runs_on(const catalog::Compat& compat, std::string_view version, std::string_view cc);

/// Does a list of compiled architectures ("8.0", "12.0+PTX") serve the compute capability?
CompatAnswer build_runs_on(const std::vector<std::string>& archs, std::string_view cc);

struct OsQuestion {
  std::string id;          ///< ID of os-release
  std::string version_id;  ///< VERSION_ID of os-release
  std::string today;
};

/// The row of a distribution release ("9.4" is row "9"); null when it has none.
const catalog::OsRow* os_row(const catalog::Compat& compat, std::string_view id, std::string_view version_id);

/// Does NVIDIA's driver guide name this release, and does the vendor still maintain it? `needs` names the
/// newest release of the distribution that the guide has.
CompatAnswer os_fits(const catalog::Compat& compat, const OsQuestion& question);

}  // namespace gpuwright::rules
