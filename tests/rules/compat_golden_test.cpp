// Our tables against independently gathered ones, row by row. Differences that are meant stand here with
// their reason.
// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"
#include "base/text.h"
#include "kit/regex.h"
#include "rules/compat_image.h"
#include "rules/compat_software.h"

#include "support/diagnose.h"
#include "support/paths.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace gpuwright::tests {
namespace {

using rules::CompatReason;
using rules::Fit;
using Cells = std::map<std::string, std::string>;

const catalog::Compat& tables() {
  return knowledge().compat();
}

std::vector<Cells> rows_of(const std::string& file) {
  const base::Result<base::CsvTable> table = base::parse_csv(read_file(shared_dir() + "/data/" + file), file);
  EXPECT_TRUE(table.ok()) << file;
  std::vector<Cells> rows;
  if (!table) return rows;
  for (const base::CsvTable::Row& row : table->rows) {
    Cells cells;
    for (const std::string& column : table->header) cells[column] = table->cell(row, column);
    rows.push_back(std::move(cells));
  }
  return rows;
}

/// "R580" or "" as a number.
std::int64_t number(const std::string& branch) {
  return branch.empty() ? 0 : rules::driver_branch(branch).value_or(0);
}

std::string joined(const std::vector<std::string>& parts) {
  return base::join(parts, ";");
}

class CompatGolden : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_dir().empty()) GTEST_SKIP() << "no further inputs here";
  }
};

TEST_F(CompatGolden, CudaReleases) {
  std::size_t seen = 0;
  for (const Cells& row : rows_of("compat/cuda_driver.csv")) {
    SCOPED_TRACE(row.at("cuda_release"));
    const auto ours = rules::cuda_rows(tables(), row.at("cuda_release"));
    ASSERT_EQ(ours.size(), 1U);
    ++seen;
    const std::string floor =
        row.at("min_driver_minor_compat") == "none" ? "" : row.at("min_driver_minor_compat");
    const std::string bundled = row.at("min_driver_linux_bundled");
    EXPECT_EQ(ours[0]->cuda, row.at("cuda"));
    EXPECT_EQ(ours[0]->bundled_driver, bundled);
    EXPECT_EQ(ours[0]->floor_driver, floor);
    EXPECT_EQ(std::to_string(ours[0]->branch), row.at("driver_branch"));
    EXPECT_EQ(rules::toolkit_package(row.at("cuda_release")), row.at("deb_rpm_toolkit_package"));
    EXPECT_EQ(rules::compat_package(row.at("cuda_release")), row.at("forward_compat_package"));
    // The next major begins where minor-version compatibility of this one ends.
    const std::string next = std::to_string(*base::parse_int(row.at("cuda").substr(0, 2)) + 1);
    const auto following = rules::cuda_rows(tables(), next);
    const bool last = following.empty() || floor.empty();
    EXPECT_EQ(last ? "" : following[0]->floor_driver.substr(0, 3), row.at("minor_compat_driver_below"));
    const auto fit = [&](const std::string& driver) {
      return rules::driver_runs_cuda(tables(), {driver, row.at("cuda_release"), std::nullopt, false});
    };
    if (!bundled.empty()) {
      EXPECT_EQ(fit(bundled).reason, CompatReason::DriverBundled);
    }
    if (!floor.empty()) {
      EXPECT_NE(fit(floor).fit, Fit::No);
    }
    const std::string lowest =
        floor.empty() || (!bundled.empty() && base::compare_versions(bundled, floor) < 0) ? bundled : floor;
    EXPECT_NE(fit(std::to_string(*base::parse_int(lowest.substr(0, 3)) - 1) + ".99").fit, Fit::Yes);
    EXPECT_EQ(fit("367.48").fit, Fit::No);
  }
  // CUDA 8.0 to 9.2 are ours alone: TensorFlow before 1.13 needs them.
  EXPECT_EQ(tables().cuda_releases.size(), seen + 4);
}

TEST_F(CompatGolden, DriverBranches) {
  const std::map<std::string, std::string> basis = {{"nvidia", "nvidia"},
                                                    {"endoflife", "endoflife"},
                                                    {"endoflife (computed)", "computed"},
                                                    {"superseded", "superseded"}};
  std::size_t seen = 0;
  for (const Cells& row : rows_of("compat/driver_branches.csv")) {
    SCOPED_TRACE(row.at("branch"));
    const catalog::DriverBranchRow* ours = tables().branch(number(row.at("branch")));
    ASSERT_NE(ours, nullptr);
    ++seen;
    EXPECT_EQ(ours->kind, base::lower(row.at("type")));
    EXPECT_EQ(ours->first_release, row.at("first_release"));
    EXPECT_EQ(ours->last_release, row.at("last_release"));
    EXPECT_EQ(ours->last_release_date, row.at("last_release_date"));
    EXPECT_EQ(ours->eol, row.at("eol"));
    // R580 names two pages; ours takes the newer one and notes the other.
    const auto word = basis.find(row.at("eol_basis"));
    EXPECT_EQ(ours->eol_basis, word == basis.end() ? "nvidia" : word->second);
    EXPECT_EQ(ours->max_cuda, row.at("max_cuda_native"));
    EXPECT_EQ(ours->max_cuda.substr(0, ours->max_cuda.find('.')), row.at("max_cuda_major_no_compat_pkg"));
    EXPECT_TRUE(row.at("open_kernel_module").starts_with(ours->open_modules)) << row.at("open_kernel_module");
    // Oldest and newest generation follow from the compute capabilities; embedded parts have drivers of their
    // own.
    std::set<std::string> runs;
    for (const catalog::ComputeCapabilityRow& cc : tables().capabilities) {
      const bool in =
          ours->branch >= cc.first_branch && (cc.last_branch == 0 || ours->branch <= cc.last_branch);
      if (in && !cc.embedded) runs.insert(cc.arch);
    }
    std::vector<std::string> order = {"Fermi",  "Kepler", "Maxwell", "Pascal",    "Volta", "Turing",
                                      "Ampere", "Ada",    "Hopper",  "Blackwell", "Rubin"};
    order.erase(std::remove_if(order.begin(), order.end(),
                               [&](const std::string& arch) { return runs.count(arch) == 0; }),
                order.end());
    ASSERT_FALSE(order.empty());
    EXPECT_EQ(order.front(), row.at("gpu_arch_oldest"));
    const std::string newest = order.back() == "Hopper" ? "Ada/Hopper" : order.back();
    EXPECT_EQ(newest, row.at("gpu_arch_newest").substr(0, row.at("gpu_arch_newest").find(' ')));
    // min_fully_patched_2026_08 is a matter of security bulletins, not of compatibility: not in this table.
  }
  EXPECT_EQ(tables().branches.size(), seen);
}

TEST_F(CompatGolden, CompilersAndCapabilities) {
  for (const Cells& row : rows_of("compat/cuda_arch.csv")) {
    SCOPED_TRACE(row.at("cuda"));
    std::vector<std::string> ccs;
    for (const catalog::ComputeCapabilityRow& cc : tables().capabilities)
      if (rules::cuda_compiles_for(tables(), row.at("cuda"), cc.cc).fit == Fit::Yes) ccs.push_back(cc.cc);
    EXPECT_EQ(joined(ccs), row.at("compute_capabilities"));
    const auto ours = std::find_if(tables().compilers.begin(), tables().compilers.end(),
                                   [&](const auto& compiler) { return compiler.cuda == row.at("cuda"); });
    ASSERT_NE(ours, tables().compilers.end());
    EXPECT_EQ(ours->ptx_isa, row.at("max_ptx_isa"));
    EXPECT_TRUE(row.at("basis").starts_with(ours->basis));
  }
  std::size_t seen = 0;
  for (const Cells& row : rows_of("compat/compute_capabilities.csv")) {
    SCOPED_TRACE(row.at("cc"));
    const catalog::ComputeCapabilityRow* ours = tables().capability(row.at("cc"));
    ASSERT_NE(ours, nullptr);
    ++seen;
    EXPECT_EQ(ours->arch, row.at("arch"));
    EXPECT_EQ(ours->first_cuda, row.at("first_cuda"));
    EXPECT_EQ(ours->last_cuda, row.at("last_cuda"));
    EXPECT_EQ(ours->first_branch,
              number(row.at("first_driver_branch_derived")));  // "Jetson L4T only" is none
    EXPECT_EQ(ours->last_branch, number(row.at("last_driver_branch")));
  }
  EXPECT_EQ(tables().capabilities.size(), seen + 2);  // Fermi is ours alone
}

TEST_F(CompatGolden, Cudnn) {
  const std::vector<Cells> rows = rows_of("compat/cudnn.csv");
  ASSERT_EQ(tables().cudnn.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Cells& row = rows[i];
    const catalog::CudnnRow& ours = tables().cudnn[i];
    SCOPED_TRACE(row.at("cudnn") + " CUDA " + row.at("cuda"));
    const std::string ends =
        ours.cudnn_from == ours.cudnn_to ? ours.cudnn_from : ours.cudnn_from + "-" + ours.cudnn_to;
    EXPECT_EQ(ends, base::replace_all(row.at("cudnn"), ".x", ""));
    const std::string cuda =
        ours.cuda_from == ours.cuda_to ? ours.cuda_from : ours.cuda_from + "-" + ours.cuda_to;
    EXPECT_EQ(cuda, row.at("cuda"));
    EXPECT_EQ(ours.min_driver, row.at("min_driver_linux"));
    EXPECT_EQ(ours.cc_min, row.at("cc_min"));
    EXPECT_EQ(ours.cc_max, row.at("cc_max"));
    for (const std::string& cc : {ours.cc_min, ours.cc_max})
      EXPECT_EQ(rules::cudnn_fits(tables(), {ours.cudnn_from, ours.cuda_to, cc}).reason,
                CompatReason::CudnnListed);
  }
}

/// The floor of a wheel or release built for this CUDA.
std::string floor_of(const std::string& cuda) {
  const auto rows = rules::cuda_rows(tables(), cuda);
  if (rows.empty()) return {};
  return rows[0]->floor_driver.empty() ? rows[0]->bundled_driver : rows[0]->floor_driver;
}

TEST_F(CompatGolden, Torch) {
  const std::vector<Cells> rows = rows_of("compat/pytorch_cuda.csv");
  EXPECT_EQ(tables().torch.size(), rows.size());
  for (const Cells& row : rows) {
    SCOPED_TRACE(row.at("torch") + "+" + row.at("wheel_tag"));
    const catalog::TorchRow* ours =
        rules::torch_row(tables(), {row.at("torch") + ".0+" + row.at("wheel_tag"), "", "x86_64"});
    ASSERT_NE(ours, nullptr);
    EXPECT_EQ(ours->released, row.at("released"));
    EXPECT_EQ(ours->cuda, row.at("cuda"));
    EXPECT_EQ(ours->cudnn, row.at("cudnn"));
    EXPECT_EQ(ours->status, row.at("status").substr(0, row.at("status").find(',')));
    const bool pypi = base::contains(row.at("status"), "default on PyPI") ||
                      base::contains(row.at("note"), "PyPI default was already " + row.at("wheel_tag"));
    EXPECT_EQ(ours->pypi_default, pypi);
    EXPECT_EQ(ours->python_min, row.at("python_min"));
    EXPECT_EQ(ours->python_max, row.at("python_max"));
    EXPECT_EQ(joined(ours->cc_x86_64), row.at("cc_built_x86_64"));
    EXPECT_EQ(floor_of(ours->cuda), row.at("min_driver_linux"));
    EXPECT_EQ("https://download.pytorch.org/whl/" + ours->wheel, row.at("index_url"));
    if (!row.at("cc_min").empty()) {
      EXPECT_EQ(ours->cc_x86_64.front(), row.at("cc_min"));
    }
  }
}

TEST_F(CompatGolden, Tensorflow) {
  std::size_t seen = 0;
  for (const Cells& row : rows_of("compat/tensorflow_cuda.csv")) {
    if (base::contains(row.at("compiler"), "xcode")) continue;  // two builds for macOS: no Linux driver
    SCOPED_TRACE(row.at("tensorflow"));
    const catalog::TensorflowRow* ours = rules::tensorflow_row(tables(), row.at("tensorflow"));
    ASSERT_NE(ours, nullptr);
    ++seen;
    EXPECT_EQ(ours->tensorflow, row.at("tensorflow"));
    EXPECT_EQ(ours->python, row.at("python"));
    EXPECT_EQ(ours->cuda, row.at("cuda_tested"));
    EXPECT_EQ(ours->cudnn, row.at("cudnn_tested"));
    EXPECT_EQ(ours->pip_name, row.at("pip_name"));
    EXPECT_EQ(floor_of(ours->cuda), row.at("min_driver_linux"));
    const bool late = base::contains(row.at("note"), "Blackwell");
    EXPECT_EQ(late, base::contains(ours->note, "Blackwell"));
    if (late) {
      EXPECT_EQ(rules::tensorflow_runs_on(tables(), ours->tensorflow, "10.0").fit, Fit::Limited);
    }
  }
  EXPECT_EQ(tables().tensorflow.size(), seen);
}

TEST_F(CompatGolden, Distributions) {
  for (const Cells& row : rows_of("compat/os_support.csv")) {
    SCOPED_TRACE(row.at("os_id") + " " + row.at("version"));
    // SLES 15 stands as its service packs 15.6 and 15.7, each with its own end.
    const bool sles15 = row.at("os_id") == "sles" && row.at("version") == "15";
    const catalog::OsRow* ours =
        rules::os_row(tables(), row.at("os_id"), sles15 ? "15.7" : row.at("version"));
    ASSERT_NE(ours, nullptr);
    EXPECT_EQ(ours->repository, row.at("nvidia_repo_codename"));
    EXPECT_EQ(joined(ours->architectures), row.at("arch"));
    EXPECT_EQ(ours->in_guide, row.at("in_driver_guide_610").starts_with("yes"));
    EXPECT_TRUE(base::contains(row.at("vendor_eol"), ours->eol)) << row.at("vendor_eol") << " " << ours->eol;
    const catalog::OsFamilyRow* family = tables().os_family(ours->family);
    if (row.at("os_id") == "centos") continue;  // ended: no commands
    ASSERT_NE(family, nullptr);
    const auto filled = [&](const std::string& pattern) {
      return base::replace_all(base::replace_all(pattern, "<repository>", ours->repository), "<driver>",
                               "<exact driver version>");
    };
    // Where the other table is prose, ours has the command alone: it must begin or lie in it.
    if (!family->repository_setup.empty()) {
      EXPECT_EQ(filled(family->repository_setup), row.at("repo_setup"));
    }
    EXPECT_EQ(base::replace_all(filled(family->headers), "<kernel>", "<running kernel>"),
              row.at("kernel_headers"));
    EXPECT_TRUE(row.at("install_open_driver").starts_with(family->install_open)) << family->install_open;
    EXPECT_EQ(
        base::replace_all(base::replace_all(family->cuda_toolkit, "<major>", "<maj>"), "<minor>", "<min>"),
        row.at("cuda_toolkit_install"));
    EXPECT_EQ(family->initramfs, row.at("initramfs_rebuild"));
    EXPECT_TRUE(row.at("fabric_manager_install").starts_with(filled(family->fabric_manager)));
    if (family->pin_branch.starts_with("apt") || family->pin_branch.starts_with("dnf")) {
      EXPECT_TRUE(row.at("pin_branch").starts_with(family->pin_branch)) << family->pin_branch;
    }
  }
}

TEST_F(CompatGolden, ImageTags) {
  for (const Cells& row : rows_of("compat/image_tags.csv")) {
    if (row.at("tag_regex").empty()) continue;  // rules about life and pinning: notes of our "cuda" row
    SCOPED_TRACE(row.at("image"));
    const base::Result<kit::Regex> regex = kit::Regex::compile(row.at("tag_regex"));
    ASSERT_TRUE(regex.ok());
    std::string example(base::trim(row.at("good_example").substr(0, row.at("good_example").find(';'))));
    example = rules::image_name(example).tag.empty() ? example : rules::image_name(example).tag;
    const auto ours = std::find_if(tables().images.begin(), tables().images.end(), [&](const auto& family) {
      return std::any_of(family.forms.begin(), family.forms.end(),
                         [&](const std::string& form) { return rules::matches_form(family, form, example); });
    });
    ASSERT_NE(ours, tables().images.end()) << example;
    // Tags near the examples: ours and the expression agree on each.
    for (const std::string& seed : {example, ours->example}) {
      for (std::size_t at = 0; at <= seed.size(); ++at) {
        for (const char* put : {"", "1", ".", "-", "x", "v", "ubuntu"}) {
          for (const std::size_t cut : {0U, 1U, 3U}) {
            const std::string tag = seed.substr(0, at) + put + seed.substr(std::min(seed.size(), at + cut));
            const bool matches =
                std::any_of(ours->forms.begin(), ours->forms.end(),
                            [&](const std::string& form) { return rules::matches_form(*ours, form, tag); });
            EXPECT_EQ(matches, regex->matches(tag)) << tag;
          }
        }
      }
    }
  }
}

TEST_F(CompatGolden, Gpus) {
  std::size_t seen = 0;
  for (const Cells& row : rows_of("gpus/gpus.csv")) {
    if (row.at("vendor") != "NVIDIA") continue;  // other vendors have no NVIDIA driver
    SCOPED_TRACE(row.at("id"));
    const auto ours = std::find_if(tables().boards.begin(), tables().boards.end(),
                                   [&](const auto& board) { return board.id == row.at("id"); });
    ASSERT_NE(ours, tables().boards.end());
    ++seen;
    EXPECT_EQ(ours->name, row.at("name"));
    EXPECT_TRUE(row.at("arch").starts_with(ours->arch));  // "Blackwell Ultra" is Blackwell to the driver
    if (row.at("id") != "RUBIN") {
      EXPECT_EQ(ours->cc, row.at("compute_capability"));
    }
    EXPECT_EQ(std::to_string(ours->memory_gb), row.at("mem_gb"));
    EXPECT_EQ(ours->memory, row.at("mem_type"));
    EXPECT_EQ(std::to_string(ours->memory_gbs), row.at("mem_bw_gbs"));
    EXPECT_EQ(ours->form_factor, row.at("form_factor"));
    EXPECT_EQ(ours->nvlink_gbs, row.at("nvlink_total_bidir_gbs"));
    EXPECT_EQ(std::to_string(ours->pcie_generation), row.at("pcie_gen"));
    EXPECT_EQ(std::to_string(ours->pcie_lanes), row.at("pcie_lanes"));
    EXPECT_EQ(ours->tdp_w, base::parse_int(row.at("tdp_w")).value_or(0));
    if (row.at("id") != "RUBIN") {
      EXPECT_EQ(ours->first_branch, number(row.at("min_driver_branch")));
    }
    EXPECT_EQ(ours->last_branch, number(row.at("last_driver_branch")));
    if (!row.at("mig_max").empty()) {
      EXPECT_EQ(std::to_string(ours->mig_slices), row.at("mig_max"));
    }
    EXPECT_EQ(base::join(ours->pci_ids, ","), base::lower(row.at("pci_device_ids")));
    EXPECT_EQ(ours->confidence, row.at("confidence"));
    // The board, its chip and its compute capability tell the same.
    for (const std::string& id : ours->pci_ids) {
      const catalog::GpuChipRow* chip =
          tables().chip(static_cast<std::int64_t>(*base::parse_hex(id.substr(0, 4))));
      ASSERT_NE(chip, nullptr) << id;
      EXPECT_EQ(chip->cc, ours->cc) << id;
    }
    const catalog::ComputeCapabilityRow* cc = tables().capability(ours->cc);
    ASSERT_NE(cc, nullptr);
    EXPECT_EQ(cc->arch, ours->arch);
    EXPECT_EQ(cc->last_branch, ours->last_branch);
    if (!row.at("min_cuda").empty()) {
      EXPECT_LE(base::compare_versions(cc->first_cuda, row.at("min_cuda")), 0);
    }
    const std::string last = row.at("last_cuda_major");
    EXPECT_EQ(cc->last_cuda.substr(0, cc->last_cuda.find('.')), last);
  }
  EXPECT_EQ(tables().boards.size(), seen);
}

}  // namespace
}  // namespace gpuwright::tests
