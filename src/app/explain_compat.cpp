// SPDX-License-Identifier: Apache-2.0
#include "app/explain_compat.h"

#include "base/text.h"
#include "rules/compatibility.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace gpuwright::app {

namespace {

using catalog::Compat;
using catalog::DriverBranchRow;
using catalog::Language;
using report::FactSheet;

constexpr std::size_t kMostSheets = 8;

std::string say(Language language, const char* en, const char* zh) {
  return language == Language::Chinese ? zh : en;
}

std::string join(const std::vector<std::string>& parts) {
  return base::join(parts, ", ");
}

std::string number_or_empty(std::int64_t value, const char* unit) {
  return value <= 0 ? std::string() : fmt::format("{} {}", value, unit);
}

std::string branch_or_empty(std::int64_t branch) {
  return branch == 0 ? std::string() : fmt::format("R{}", branch);
}

/// The words after "cuda", "driver" ...; nothing when the text does not begin so.
std::optional<std::string> behind(const std::string& text, std::string_view word) {
  if (!base::starts_with_ignoring_case(text, word)) return std::nullopt;
  return std::string(base::trim(std::string_view(text).substr(word.size())));
}

std::string kind_text(const std::string& kind, Language language) {
  if (kind == "lts") return say(language, "long-term support", "长期支持");
  return kind == "production" ? say(language, "production", "生产") : say(language, "new feature", "新特性");
}

std::string life_text(const rules::CompatAnswer& life, const DriverBranchRow& row, Language language) {
  using rules::CompatReason;
  const std::string to = life.needs.empty()
                             ? std::string()
                             : fmt::format("{}{}", say(language, "; move to ", "；请迁移到 "), life.needs);
  switch (life.reason) {
    case CompatReason::BranchSupported:
      return fmt::format("{}{}", say(language, "supported until ", "支持至 "), row.eol);
    case CompatReason::BranchEndsSoon:
      return fmt::format("{}{}{}", say(language, "ends soon: ", "即将停止支持："), row.eol, to);
    case CompatReason::BranchEnded:
      return fmt::format("{}{}{}", say(language, "ended ", "已停止支持："), row.eol, to);
    case CompatReason::BranchSuperseded:
      return say(language, "ended, a later branch took its place", "已停止支持，由后续分支取代") + to;
    case CompatReason::BranchWithoutTerm:
      return say(language, "no fixed term", "没有固定支持期限") + to;
    default:
      return {};
  }
}

/// Generations that the branch runs, embedded parts aside.
std::string generations(const Compat& compat, std::int64_t branch) {
  std::vector<std::string> archs;
  for (const catalog::ComputeCapabilityRow& cc : compat.capabilities) {
    const bool runs = branch >= cc.first_branch && (cc.last_branch == 0 || branch <= cc.last_branch);
    if (runs && !cc.embedded && std::find(archs.begin(), archs.end(), cc.arch) == archs.end())
      archs.push_back(cc.arch);
  }
  return join(archs);
}

std::string modules_text(const std::string& word, Language language) {
  if (word == "none") return say(language, "proprietary only", "仅专有模块");
  if (word == "optional")
    return say(language, "open ones optional (Turing and later)", "可选开放模块（Turing 及之后）");
  if (word == "only") return say(language, "open only (Turing and later)", "仅开放模块（Turing 及之后）");
  return say(language, "open by default (Turing and later, needed by Blackwell); proprietary for older GPUs",
             "默认开放模块（Turing 及之后，Blackwell 必须使用）；更老的 GPU 用专有模块");
}

/// CUDA releases by how the driver runs them: with all they have, and within minor-version compatibility.
struct CudaRange {
  std::string full;
  std::vector<std::string> limited;
};

CudaRange cuda_range(const Compat& compat, const std::string& driver) {
  CudaRange range;
  for (const catalog::CudaReleaseRow& row : compat.cuda_releases) {
    const rules::Fit fit = rules::driver_runs_cuda(compat, {driver, row.cuda, std::nullopt, false}).fit;
    if (fit == rules::Fit::Yes && base::compare_versions(row.cuda, range.full) > 0) range.full = row.cuda;
    const bool listed =
        std::find(range.limited.begin(), range.limited.end(), row.cuda) != range.limited.end();
    if (fit == rules::Fit::Limited && !listed) range.limited.push_back(row.cuda);
  }
  return range;
}

FactSheet driver_sheet(const Compat& compat, const std::string& driver, const DriverBranchRow& row,
                       Language language, std::string_view today) {
  const std::string version = driver.find('.') == std::string::npos ? row.last_release : driver;
  const CudaRange cuda = cuda_range(compat, version);
  const rules::CompatAnswer life = rules::branch_life(compat, driver, today, {});
  FactSheet sheet;
  sheet.kind = "driver";
  sheet.id = fmt::format("R{}", row.branch);
  sheet.heading = fmt::format("{} R{} ({})", say(language, "Driver branch", "驱动分支"), row.branch,
                              kind_text(row.kind, language));
  const std::string newest = row.last_release_date.empty()
                                 ? row.last_release
                                 : fmt::format("{} ({})", row.last_release, row.last_release_date);
  sheet.facts = {
      {"version", say(language, "asked for", "查询版本"), version == driver ? version : ""},
      {"state", say(language, "support", "支持状态"), life_text(life, row, language)},
      {"state_reason", "", ""},
      {"end_of_life", "", ""},
      {"newest_release", say(language, "newest", "最新版本"), newest},
      {"cuda", "CUDA",
       cuda.full.empty() ? row.max_cuda : fmt::format("{} {}", say(language, "up to", "最高"), cuda.full)},
      {"cuda_with_limits", say(language, "with limits", "有限支持"),
       cuda.limited.empty() ? std::string()
                            : fmt::format("{} {}", join(cuda.limited),
                                          say(language, "(no newer PTX: error 222; no new calls: error 36)",
                                              "（不能编译更新的 PTX：错误 222；没有新接口：错误 36）"))},
      {"gpus", "GPU", generations(compat, row.branch)},
      {"modules", say(language, "kernel modules", "内核模块"), modules_text(row.open_modules, language)},
      {"note", say(language, "beware", "注意"), row.note},
  };
  sheet.facts[2].value = rules::reason_word(life.reason);
  sheet.facts[3].value = row.eol;
  sheet.as_of = row.as_of;
  sheet.source = row.source;
  return sheet;
}

FactSheet cuda_sheet(const Compat& compat, const catalog::CudaReleaseRow& row, Language language) {
  FactSheet sheet;
  std::vector<std::string> ccs;
  for (const catalog::ComputeCapabilityRow& cc : compat.capabilities) {
    const bool made = rules::cuda_compiles_for(compat, row.cuda, cc.cc).fit == rules::Fit::Yes;
    if (made && !cc.embedded) ccs.push_back(cc.cc);
  }
  const std::string package = rules::compat_package(row.release);
  const std::string bridge =
      package.empty() ? package : package + say(language, " (data-centre GPUs only)", "（仅限数据中心 GPU）");
  sheet.kind = "cuda";
  sheet.id = row.release;
  sheet.heading = fmt::format("CUDA {} ({})", row.release, row.update);
  sheet.facts = {
      {"driver", say(language, "driver", "驱动"),
       row.bundled_driver.empty() ? branch_or_empty(row.branch) : row.bundled_driver},
      {"", say(language, "with limits", "有限支持"),
       row.floor_driver.empty() || row.floor_driver == row.bundled_driver
           ? ""
           : say(language, "from ", "自 ") + row.floor_driver},
      {"compute_capabilities", say(language, "makes code for", "可编译架构"), join(ccs)},
      {"toolkit_package", say(language, "package", "软件包"), rules::toolkit_package(row.release)},
      {"driver_floor", "", row.floor_driver},
      {"compat_package", "", package},
      {"", say(language, "older driver", "较旧驱动"), bridge},
      {"note", say(language, "beware", "注意"), row.note},
  };
  sheet.as_of = row.as_of;
  sheet.source = row.source;
  return sheet;
}

std::string open_text(rules::OpenModules open, Language language) {
  if (open == rules::OpenModules::Impossible) return say(language, "proprietary needed", "必须使用专有模块");
  if (open == rules::OpenModules::Required) return say(language, "open needed", "必须使用开放模块");
  return open == rules::OpenModules::Possible ? say(language, "open or proprietary", "开放或专有模块均可")
                                              : std::string();
}

std::string last_cuda(const Compat& compat, const std::string& cc) {
  const catalog::ComputeCapabilityRow* row = compat.capability(cc);
  return row == nullptr ? std::string() : row->last_cuda;
}

std::string first_cuda(const Compat& compat, const std::string& cc) {
  const catalog::ComputeCapabilityRow* row = compat.capability(cc);
  return row == nullptr ? std::string() : row->first_cuda;
}

/// What driver and compiler need of a GPU.
void add_needs(FactSheet& sheet, const Compat& compat, const rules::GpuKind& gpu, Language language) {
  sheet.facts.push_back({"architecture", say(language, "generation", "架构"), gpu.arch});
  sheet.facts.push_back({"compute_capability", say(language, "capability", "计算能力"), gpu.cc});
  sheet.facts.push_back(
      {"first_driver", say(language, "driver from", "驱动自"), branch_or_empty(gpu.first_branch)});
  sheet.facts.push_back(
      {"last_driver", say(language, "driver up to", "驱动至"), branch_or_empty(gpu.last_branch)});
  sheet.facts.push_back({"first_cuda", say(language, "CUDA from", "CUDA 自"), first_cuda(compat, gpu.cc)});
  sheet.facts.push_back({"last_cuda", say(language, "CUDA up to", "CUDA 至"), last_cuda(compat, gpu.cc)});
  sheet.facts.push_back(
      {"modules", say(language, "kernel modules", "内核模块"), open_text(gpu.open, language)});
}

FactSheet board_sheet(const Compat& compat, const catalog::GpuBoardRow& row, Language language) {
  FactSheet sheet;
  sheet.kind = "gpu";
  sheet.id = row.id;
  sheet.heading = row.name;
  add_needs(sheet, compat, rules::gpu_kind(compat, row), language);
  const std::string links = row.nvlink_links > 0 ? fmt::format("{} x NVLink {}, {} GB/s", row.nvlink_links,
                                                               row.nvlink_generation, row.nvlink_gbs)
                                                 : std::string();
  const std::string slices = row.mig_slices > 0 ? fmt::format("{}", row.mig_slices) : std::string();
  std::vector<FactSheet::Fact> more = {
      {"memory", say(language, "memory", "显存"),
       row.memory_gb == 0 ? std::string()
                          : fmt::format("{} GB {}, {} GB/s", row.memory_gb, row.memory, row.memory_gbs)},
      {"form_factor", say(language, "form", "形态"), row.form_factor},
      {"pcie", "PCIe",
       row.pcie_generation == 0 ? std::string()
                                : fmt::format("{}.0 x{}", row.pcie_generation, row.pcie_lanes)},
      {"nvlink", "NVLink", links},
      {"power", say(language, "power", "功耗"), number_or_empty(row.tdp_w, "W")},
      {"mig_slices", say(language, "MIG slices", "MIG 切片数"), slices},
      {"pci_ids", "PCI id", join(row.pci_ids)},
      {"note", say(language, "beware", "注意"), row.note},
  };
  sheet.facts.insert(sheet.facts.end(), more.begin(), more.end());
  sheet.source = row.source;
  return sheet;
}

/// A GPU that is known by its chip or compute capability alone.
FactSheet kind_sheet(const Compat& compat, const rules::GpuKind& gpu, const std::string& words,
                     Language language) {
  FactSheet sheet;
  sheet.kind = "gpu";
  sheet.id = gpu.name.empty() ? gpu.cc : gpu.name;
  sheet.heading = gpu.name.empty() ? words : fmt::format("{} ({})", gpu.name, words);
  add_needs(sheet, compat, gpu, language);
  if (!gpu.rows.empty()) sheet.source = gpu.rows.front().source;
  return sheet;
}

std::vector<FactSheet> gpu_sheets(const Compat& compat, const std::string& words, Language language) {
  std::string text = base::lower(words);
  if (const auto id = behind(text, "10de:")) text = *id;
  std::string cc;
  if (const auto sm = behind(text, "sm_")) {
    if (base::parse_int(*sm).value_or(0) >= 10) cc = sm->substr(0, sm->size() - 1) + "." + sm->back();
  } else if (const auto capability = behind(text, "compute capability")) {
    cc = *capability;
  }
  const bool is_id = text.size() == 4 && base::parse_hex(text).has_value();
  if (is_id && compat.board(text, "") != nullptr)
    return {board_sheet(compat, *compat.board(text, ""), language)};
  const rules::GpuKind kind = rules::gpu_kind(compat, rules::GpuIds{is_id ? text : "", "", cc});
  if (kind.known()) return {kind_sheet(compat, kind, words, language)};
  // "H100", "RTX 4090": every word must stand in the name, and a model has a number
  if (text.find_first_of("0123456789") == std::string::npos) return {};
  const std::vector<std::string_view> parts = base::words(text);
  std::vector<FactSheet> sheets;
  for (const catalog::GpuBoardRow& row : compat.boards) {
    const std::string name = " " + base::lower(row.name + " " + row.id) + " ";
    const bool all = std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
      const std::size_t at = name.find(part);
      return part == "nvidia" || (at != std::string::npos && (name[at - 1] == ' ' || name[at - 1] == '-'));
    });
    if (all && !parts.empty() && sheets.size() < kMostSheets)
      sheets.push_back(board_sheet(compat, row, language));
  }
  return sheets;
}

}  // namespace

std::vector<FactSheet> compat_sheets(const std::string& words, const catalog::Catalog& catalog,
                                     Language language, std::string_view today) {
  const Compat& compat = catalog.compat();
  if (const auto cuda = behind(words, "cuda")) {
    const auto rows = rules::cuda_rows(compat, *cuda);
    if (!rows.empty() && cuda->find('.') != std::string::npos)
      return {cuda_sheet(compat, *rows.front(), language)};
    if (!rows.empty()) return {cuda_sheet(compat, *rows.back(), language)};
  }
  const std::string driver = behind(words, "driver").value_or(words);
  if (const auto branch = rules::driver_branch(driver)) {
    if (const DriverBranchRow* row = compat.branch(*branch))
      return {driver_sheet(compat, driver, *row, language, today)};
  }
  return gpu_sheets(compat, words, language);
}

}  // namespace gpuwright::app
