// What runs with what: driver, CUDA, GPU and kernel-module flavour. Pure questions over the tables of
// catalog/compat.h: plain values in, a verdict with its reason and the rows it stands on out. Nothing here
// looks at a machine or a clock.
// Source: NVIDIA CUDA compatibility guide (minor-version and forward compatibility), CUDA Toolkit release
// notes (driver tables), data-centre driver pages (branches), driver installation guide (module flavours).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/compat.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::rules {

enum class Fit {
  Yes,
  Limited,  ///< works with the limits that the reason names
  No,
  Unknown,  ///< the tables do not say
};

enum class CompatReason {
  // driver and CUDA
  DriverBundled,         ///< at least the driver that the toolkit ships with
  DriverSameBranch,      ///< another release of the toolkit's own branch
  DriverMinorVersion,    ///< older, above the floor of the CUDA major: no newer PTX (222), no new calls (36)
  DriverBelowFloor,      ///< error 35; on data-centre GPUs the package in `bridge` helps
  ForwardCompatUsed,     ///< below the floor, bridged by the cuda-compat package
  ForwardCompatRefused,  ///< cuda-compat on a GPU or branch that may not use it: error 804
  // CUDA compiler and GPU
  CompilerKnowsGpu,
  CompilerTooOldForGpu,
  CompilerDroppedGpu,
  // driver and GPU
  BranchSupportsGpu,
  BranchTooOldForGpu,
  BranchDroppedGpu,
  // module flavour
  FlavourFits,
  OpenRecommended,         ///< proprietary works here, and R620 no longer has it
  OpenBeta,                ///< open modules on GeForce and workstation boards before R560
  OpenNeeded,              ///< Grace Hopper, Blackwell and later
  ProprietaryNeeded,       ///< before Turing
  OpenNotInBranch,         ///< before R515
  ProprietaryNotInBranch,  ///< from R620 on
  // life of a branch, of a distribution
  BranchSupported,
  BranchEndsSoon,
  BranchEnded,
  BranchSuperseded,  ///< nobody names a day; a later branch took its place
  BranchWithoutTerm,
  OsInGuide,
  OsNotInGuide,
  OsEnded,
  // cuDNN
  CudnnListed,
  CudnnSameCudaMajor,  ///< made for other releases of the same CUDA major
  CudnnOtherCudaMajor,
  CudnnDroppedGpu,
  CudnnTooOldForGpu,
  // frameworks
  BuildHasGpuCode,
  BuildHasPtxOnly,
  BuildLacksGpuCode,  ///< "no kernel image is available"
  // container images
  TagWellFormed,
  TagMalformed,
  TagDistributionAbsent,  ///< no image of this distribution for this CUDA release
  // what the tables do not say
  CudaUnknown,
  DriverUnknown,
  GpuUnknown,
  VersionUnknown,
  OsUnknown,
  ImageUnknown,
  NotRecorded,
  DayUnknown,
};

/// "driver-below-floor": for JSON and for the parameters of events.
const char* reason_word(CompatReason reason);

/// A row that an answer stands on.
struct RowUsed {
  std::string table;  ///< "compat/cuda_releases"
  std::string row;    ///< "12.4.1"
  std::string source;
  std::string as_of;  ///< the day of the facts; empty for what does not age
};

struct CompatAnswer {
  Fit fit = Fit::Unknown;
  CompatReason reason = CompatReason::NotRecorded;
  std::string needs;  ///< the version that would do ("580.65.06", "R580", "12.8"); empty: none, or none known
  std::string bridge;  ///< a package that would help instead ("cuda-compat-13-0")
  std::vector<RowUsed> rows;
};

/// 535 of "535.104.05", "535", "R535" or "r535"; nothing for other text.
std::optional<std::int64_t> driver_branch(std::string_view driver);

/// "cuda-toolkit-12-4" and "cuda-compat-12-4" of "12.4" or "12.4.1"; the latter empty before CUDA 11.
std::string toolkit_package(std::string_view cuda);
std::string compat_package(std::string_view cuda);

/// The rows of a CUDA release: "12.4.1" itself, or all of "12.4". Empty when the table has none.
std::vector<const catalog::CudaReleaseRow*> cuda_rows(const catalog::Compat& compat, std::string_view cuda);

struct CudaQuestion {
  std::string driver;                   ///< "550.54.14"
  std::string cuda;                     ///< "12.4.1", "12.4" or "12"
  std::optional<bool> data_centre_gpu;  ///< may use cuda-compat; absent: not known
  bool compat_package = false;          ///< cuda-compat is installed and in use
};

/// Does the driver run programs of that CUDA? A newer driver runs every older CUDA.
CompatAnswer driver_runs_cuda(const catalog::Compat& compat, const CudaQuestion& question);

/// Does the compiler of that CUDA release make code for the compute capability?
CompatAnswer cuda_compiles_for(const catalog::Compat& compat, std::string_view cuda, std::string_view cc);

enum class OpenModules { Unknown, Impossible, Possible, Required };

/// What the tables tell of a GPU.
struct GpuKind {
  std::string name;  ///< of the board, else of the chip; may be empty
  std::string arch;
  std::string cc;
  std::int64_t first_branch = 0;  ///< 0: older than the tables
  std::int64_t last_branch = 0;   ///< 0: still supported
  OpenModules open = OpenModules::Unknown;
  std::optional<bool> data_centre;
  std::vector<RowUsed> rows;

  bool known() const { return !cc.empty(); }
};

struct GpuIds {
  std::string device;     ///< PCI device id "2330"; may be empty
  std::string subsystem;  ///< subsystem's device id; may be empty
  std::string cc;         ///< where the driver tells it; may be empty
};

/// By board, else by chip, else by compute capability; not known() when none is in the tables.
GpuKind gpu_kind(const catalog::Compat& compat, const GpuIds& ids);
GpuKind gpu_kind(const catalog::Compat& compat, const catalog::GpuBoardRow& board);

/// Which kernel modules take the GPU of these PCI ids. One that is newer than all in the tables needs the
/// open ones.
OpenModules modules_for(const catalog::Compat& compat, std::string_view device, std::string_view subsystem);

/// Does the driver ("535.104.05" or "R535") run the GPU?
CompatAnswer driver_supports_gpu(const catalog::Compat& compat, std::string_view driver, const GpuKind& gpu);

enum class Flavour { Open, Proprietary };

/// May this flavour of the driver's kernel modules drive the GPU?
CompatAnswer flavour_fits(const catalog::Compat& compat, std::string_view driver, Flavour flavour,
                          const GpuKind& gpu);

/// Is the branch still maintained on the day ("2026-11-30")? `needs` names the branch to move to ("R580"),
/// chosen for these GPUs.
CompatAnswer branch_life(const catalog::Compat& compat, std::string_view driver, std::string_view today,
                         const std::vector<GpuKind>& gpus);

/// The long-term or production branch with the longest support left that runs all these GPUs; null when no
/// maintained branch does.
const catalog::DriverBranchRow* branch_for(const catalog::Compat& compat, std::string_view today,
                                           const std::vector<GpuKind>& gpus);

}  // namespace gpuwright::rules
