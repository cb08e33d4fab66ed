// What fits what: driver branches, CUDA releases, GPUs, cuDNN, frameworks, distributions and container
// images. Facts of public pages, one row each with its source; rows of things that age carry the day they
// were read
// (`as_of`). Versions stay text and are compared part by part (base::compare_versions).
// Source: data/compat/*.csv, data/gpus.csv, data/gpu_chips.csv.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::catalog {

/// One CUDA Toolkit release.
struct CudaReleaseRow {
  std::string release;         ///< "12.4.1"
  std::string cuda;            ///< "12.4"
  std::string update;          ///< "GA", "update 1"
  std::string bundled_driver;  ///< driver it ships with; empty where only the branch is known
  std::string floor_driver;    ///< oldest driver of minor-version compatibility; empty before CUDA 11
  std::int64_t branch = 0;     ///< branch of the bundled driver
  std::string status;          ///< published, branch-only, manifest
  std::string as_of;
  std::string source;
  std::string note;
};

/// One Linux driver branch.
struct DriverBranchRow {
  std::int64_t branch = 0;    ///< 580
  std::string kind;           ///< lts, production, new-feature
  std::string first_release;  ///< first data-centre release: day or month
  std::string last_release;   ///< newest version known; may be empty
  std::string last_release_date;
  std::string eol;        ///< day, or the month in which it ends; empty where nobody names one
  std::string eol_basis;  ///< who says so: nvidia, endoflife, computed (first release + 1 year), superseded
  std::string max_cuda;   ///< CUDA of the branch's own release
  std::string open_modules;  ///< none, optional, default, only
  std::string
      forward_compat;  ///< whether cuda-compat packages of later CUDA majors run on it: yes, no or empty
  std::string as_of;
  std::string source;
  std::string note;
};

/// One compute capability: the CUDA compilers that make code for it and the drivers that run it.
struct ComputeCapabilityRow {
  std::string cc;                 ///< "9.0"
  std::string arch;               ///< "Hopper"
  std::string first_cuda;         ///< empty: older than the table
  std::string last_cuda;          ///< empty: still made
  std::int64_t first_branch = 0;  ///< 0: older than the table, or an embedded part with drivers of its own
  std::int64_t last_branch = 0;   ///< 0: still supported
  bool embedded = false;          ///< Jetson and DRIVE parts
  std::string example;
  std::string source;
  std::string note;
};

/// The newest PTX that a CUDA release writes.
struct CudaCompilerRow {
  std::string cuda;
  std::string ptx_isa;  ///< empty: not known
  std::string basis;    ///< measured, reported, assumed
  std::string as_of;
  std::string source;
};

/// A range of PCI device ids (vendor 10de) and the chip behind it. Ranges do not overlap.
struct GpuChipRow {
  std::int64_t first_id = 0;
  std::int64_t last_id = 0;
  std::string chip;  ///< "GH100"
  std::string cc;
  std::string open_modules;  ///< no, possible, required; empty: as its generation
  std::string source;
};

/// One board as it is sold. Empty and 0 mean not known, except nvlink_links and mig_slices, where 0 is none
/// and -1 not known.
struct GpuBoardRow {
  std::string id;    ///< "H100-SXM-80GB"
  std::string name;  ///< "H100 SXM5 80GB"
  std::string arch;
  std::string cc;
  std::int64_t memory_gb = 0;
  std::string memory;           ///< "HBM3"
  std::int64_t memory_gbs = 0;  ///< bandwidth, GB/s
  std::string form_factor;
  std::string nvlink_generation;
  std::int64_t nvlink_links = -1;
  std::string nvlink_gbs;  ///< all links, both directions, GB/s
  std::int64_t pcie_generation = 0;
  std::int64_t pcie_lanes = 0;
  std::int64_t tdp_w = 0;
  std::int64_t power_min_w = 0;  ///< where the maker names a range
  std::int64_t power_max_w = 0;
  bool data_centre = false;
  std::string open_modules;  ///< no, possible, required
  std::int64_t first_branch = 0;
  std::int64_t last_branch = 0;
  std::string vgpu;  ///< yes, no or empty
  std::int64_t mig_slices = -1;
  std::vector<std::string> pci_ids;  ///< "2330", or "25b6:157e" with the subsystem's device id
  std::string confidence;            ///< A read in the source, B a data-sheet figure, C provisional
  std::string source;
  std::string note;
};

/// One line of cuDNN with the CUDA releases and GPUs that it was made for.
struct CudnnRow {
  std::string cudnn_from;
  std::string cudnn_to;
  std::string cuda_from;
  std::string cuda_to;
  std::string min_driver;
  std::string cc_min;
  std::string cc_max;
  std::string package;
  std::string as_of;
  std::string source;
  std::string note;
};

/// One wheel of PyTorch.
struct TorchRow {
  std::string torch;  ///< "2.11"
  std::string released;
  std::string wheel;  ///< "cu130"
  std::string cuda;   ///< "13.0"
  std::string cudnn;
  std::string status;  ///< stable, experimental
  bool pypi_default = false;
  std::string python_min;
  std::string python_max;
  std::vector<std::string> cc_x86_64;  ///< "9.0", "12.0+PTX"; empty: not recorded
  std::vector<std::string> cc_aarch64;
  std::string as_of;
  std::string source;
  std::string note;
};

/// One GPU release of TensorFlow with what it was tested with.
struct TensorflowRow {
  std::string tensorflow;
  std::string python;
  std::string cuda;
  std::string cudnn;
  std::string pip_name;
  std::string as_of;
  std::string source;
  std::string note;
};

/// One release of a distribution.
struct OsRow {
  std::string os_id;       ///< ID of os-release(5)
  std::string version;     ///< leading parts of VERSION_ID
  std::string repository;  ///< name in NVIDIA's repository
  std::vector<std::string> architectures;
  std::string eol;  ///< day, month or year in which standard support ends
  std::string extended_eol;
  bool in_guide = false;  ///< NVIDIA's driver installation guide names it
  std::string family;     ///< row of os_families.csv; may be empty
  std::string as_of;
  std::string source;
  std::string note;
};

/// The commands of one packaging family. `<branch>`, `<major>`, `<repository>` ... are to be filled in.
struct OsFamilyRow {
  std::string family;
  std::string repository_setup;
  std::string headers;
  std::string install_open;
  std::string install_proprietary;
  std::string pin_branch;
  std::string switch_flavour;
  std::string cuda_toolkit;
  std::string fabric_manager;
  std::string initramfs;
  std::string source;
  std::string note;
};

/// How the tags of a family of container images look. In a form `#` is a digit, `%` a digit or dot, `@` a
/// letter, digit or one of "_.-"; `+` repeats the one before it; `{flavour}` and `{distribution}` stand for
/// one of the lists.
struct ImageFamilyRow {
  std::string family;
  std::vector<std::string> images;  ///< "nvidia/cuda"
  std::vector<std::string> forms;
  std::vector<std::string> flavours;
  std::vector<std::string> distributions;
  std::string example;
  std::string as_of;
  std::string source;
  std::string note;
};

/// From which to which CUDA release images of a distribution exist.
struct ImageDistributionRow {
  std::string distribution;
  std::string first_cuda;
  std::string last_cuda;
  std::string source;
};

/// All of them, in the order of the files; chips by id, branches by number.
struct Compat {
  std::vector<CudaReleaseRow> cuda_releases;
  std::vector<DriverBranchRow> branches;
  std::vector<ComputeCapabilityRow> capabilities;
  std::vector<CudaCompilerRow> compilers;
  std::vector<GpuChipRow> chips;
  std::vector<GpuBoardRow> boards;
  std::vector<CudnnRow> cudnn;
  std::vector<TorchRow> torch;
  std::vector<TensorflowRow> tensorflow;
  std::vector<OsRow> os;
  std::vector<OsFamilyRow> os_families;
  std::vector<ImageFamilyRow> images;
  std::vector<ImageDistributionRow> image_distributions;

  /// Null when unknown. Pointers live as long as the table.
  const DriverBranchRow* branch(std::int64_t number) const;
  const ComputeCapabilityRow* capability(std::string_view cc) const;
  const GpuChipRow* chip(std::int64_t device_id) const;
  /// By PCI device id and the subsystem's device id ("2330", "16c1"; the latter may be empty).
  const GpuBoardRow* board(std::string_view device_id, std::string_view subsystem_id) const;
  const OsFamilyRow* os_family(std::string_view family) const;
};

}  // namespace gpuwright::catalog
