// SPDX-License-Identifier: Apache-2.0
#include "rules/check_compat.h"

#include "base/day.h"
#include "base/text.h"
#include "rules/compat_software.h"
#include "rules/compatibility.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::rules {

namespace {

using catalog::Compat;
using model::Field;
using model::LibraryFacts;
using model::Machine;
using model::PciFunction;
using model::ToolkitFacts;

const Compat& tables(const Situation& situation) {
  return situation.catalog.compat();
}

/// A kind of GPU on this machine, and the first that is of it.
struct Kind {
  GpuKind gpu;
  const PciFunction* function = nullptr;
  bool answers = false;  ///< the driver reports one of them
};

/// "16c1" of "10de:16c1".
std::string subsystem_device(const PciFunction& function) {
  const std::string both = model::key_text(function.subsystem);
  const std::size_t colon = both.find(':');
  return colon == std::string::npos ? std::string() : both.substr(colon + 1);
}

bool reported(const Machine& machine, const PciFunction& function) {
  const auto& gpus = model::each(machine.gpus);
  const std::string address = model::key_text(function.address);
  return !address.empty() && std::any_of(gpus.begin(), gpus.end(), [&](const model::GpuFacts& gpu) {
    return base::equals_ignoring_case(model::key_text(gpu.report.pci), address);
  });
}

/// The kinds of GPU on the bus, in the order of their addresses. A GPU that no table knows is left out.
std::vector<Kind> kinds(const Situation& situation) {
  std::vector<Kind> out;
  for (const PciFunction& function : model::each(situation.machine.pci)) {
    const bool of_a_guest = model::key_text(function.driver) == "vfio-pci";
    if (!is_gpu(function) || of_a_guest) continue;
    Kind kind;
    kind.gpu =
        gpu_kind(tables(situation), GpuIds{model::key_text(function.device), subsystem_device(function), ""});
    kind.function = &function;
    kind.answers = reported(situation.machine, function);
    if (!kind.gpu.known()) continue;
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Kind& one) { return one.gpu.name == kind.gpu.name; });
    if (same == out.end()) {
      out.push_back(std::move(kind));
    } else {
      same->answers = same->answers || kind.answers;
    }
  }
  return out;
}

std::vector<GpuKind> gpus_of(const std::vector<Kind>& kinds) {
  std::vector<GpuKind> out;
  out.reserve(kinds.size());
  for (const Kind& kind : kinds) out.push_back(kind.gpu);
  return out;
}

/// The version of the driver: of the module that runs, else of the libraries that lie there.
const Field<std::string>& driver_version(const Machine& machine) {
  return machine.driver.loaded_version.known() ? machine.driver.loaded_version
                                               : machine.driver.libnvidia_ml_version;
}

std::string today(const Situation& situation) {
  return situation.today_s == 0 ? std::string() : base::day_text(situation.today_s);
}

/// The CUDA of the driver's own branch: what nvidia-smi shows.
std::string own_cuda(const Compat& compat, const std::string& driver) {
  const auto branch = driver_branch(driver);
  const catalog::DriverBranchRow* row = branch ? compat.branch(*branch) : nullptr;
  return row == nullptr ? std::string() : row->max_cuda;
}

/// What every event of compatibility says of its reason.
void explain(Failure& failure, const CompatAnswer& answer) {
  if (!answer.needs.empty()) failure.with("needs", answer.needs);
  if (!answer.bridge.empty()) failure.with("bridge", answer.bridge);
  if (!answer.rows.empty() && !answer.rows.back().as_of.empty())
    failure.with("as_of", answer.rows.back().as_of);
  failure.with("reason", reason_word(answer.reason));
}

/// The whole machine may use cuda-compat: all its GPUs are data-centre boards. Nothing when one is unknown.
std::optional<bool> data_centre(const std::vector<Kind>& kinds) {
  std::optional<bool> all;
  for (const Kind& kind : kinds) {
    if (!kind.gpu.data_centre) return std::nullopt;
    all = all.value_or(true) && *kind.gpu.data_centre;
  }
  return all;
}

std::string sm(const std::string& cc) {
  return "sm_" + base::replace_all(cc, ".", "");
}

/// "/usr/local/cuda-12.4" ends with the name where /usr/local/cuda leads; a sole toolkit is the default, too.
bool is_default(const model::CudaFacts& cuda, const ToolkitFacts& toolkit) {
  if (model::each(cuda.toolkits).size() == 1) return true;
  const std::string name = model::key_text(cuda.default_toolkit);
  return !name.empty() && model::key_text(toolkit.path).ends_with("/" + name.substr(name.rfind('/') + 1));
}

struct CudaNeed {
  const Field<std::string>& place;  ///< the fact that names the CUDA
  std::string what;                 ///< "/usr/local/cuda-13.0", "torch 2.11.0"
  std::string cuda;
};

/// Raises `signal` when the driver cannot run that CUDA.
CompatAnswer judge_cuda_need(Look& look, const Situation& situation, const std::vector<Kind>& kinds,
                             const CudaNeed& need, const char* signal) {
  const Field<std::string>& driver = driver_version(situation.machine);
  CompatAnswer answer =
      driver_runs_cuda(tables(situation), {driver.value(), need.cuda, data_centre(kinds), false});
  if (answer.fit != Fit::No) return answer;
  explain(look.fails(signal)
              .with("what", need.what)
              .with("cuda", need.cuda)
              .with("driver", driver.value())
              .with("supported", own_cuda(tables(situation), driver.value()))
              .proof(driver)
              .proof(need.place),
          answer);
  return answer;
}

void judge_toolkit(Look& look, const Situation& situation, const std::vector<Kind>& all,
                   const ToolkitFacts& toolkit) {
  const bool first = is_default(situation.machine.cuda, toolkit);
  const std::string& cuda = toolkit.version.value();
  const CompatAnswer answer =
      judge_cuda_need(look, situation, all, {toolkit.version, model::key_text(toolkit.path), cuda},
                      first ? "compat.cuda_needs_newer_driver" : "compat.toolkit_unusable");
  if (answer.reason == CompatReason::DriverMinorVersion && first) {
    explain(look.fails("compat.toolkit_limited")
                .with("cuda", cuda)
                .with("driver", driver_version(situation.machine).value())
                .proof(toolkit.version),
            answer);
  }
  for (const Kind& kind : all) {
    const CompatAnswer compiles = cuda_compiles_for(tables(situation), cuda, kind.gpu.cc);
    if (compiles.fit != Fit::No || !first) continue;
    const bool old = compiles.reason == CompatReason::CompilerTooOldForGpu;
    explain(look.fails(old ? "compat.toolkit_too_old_for_gpu" : "compat.toolkit_dropped_gpu")
                .with("cuda", cuda)
                .with("gpu", kind.gpu.name)
                .with("sm", sm(kind.gpu.cc))
                .proof(toolkit.version)
                .proof(kind.function->device),
            compiles);
  }
}

/// "torch" or "tensorflow" with all that was found of it.
struct Framework {
  std::string name;
  const LibraryFacts* library = nullptr;
  std::string version;
  std::string cuda;  ///< of the build; empty: not recorded
};

std::optional<Framework> framework(const Compat& compat, const LibraryFacts& library) {
  Framework found;
  found.name = model::key_text(library.name);
  found.library = &library;
  found.version = model::key_text(library.version);
  found.cuda = model::key_text(library.cuda);
  if (found.version.empty()) return std::nullopt;
  if (found.name == "torch") {
    const catalog::TorchRow* row = torch_row(compat, {found.version, found.cuda, "x86_64"});
    if (row != nullptr) found.cuda = row->cuda;
    return found;
  }
  if (found.name != "tensorflow") return std::nullopt;
  const catalog::TensorflowRow* row = tensorflow_row(compat, found.version);
  if (row != nullptr) found.cuda = row->cuda;
  return found;
}

void judge_framework_gpu(Look& look, const Situation& situation, const Framework& one, const Kind& kind) {
  const std::string machine = model::key_text(situation.machine.os.architecture);
  const TorchBuild build{one.version, one.cuda, machine.empty() ? "x86_64" : machine};
  const CompatAnswer answer = one.name == "torch"
                                  ? torch_runs_on(tables(situation), build, kind.gpu.cc)
                                  : tensorflow_runs_on(tables(situation), one.version, kind.gpu.cc);
  if (answer.fit != Fit::No && answer.reason != CompatReason::BuildHasPtxOnly) return;
  const catalog::TorchRow* row = one.name == "torch" ? torch_row(tables(situation), build) : nullptr;
  Failure failure =
      look.fails(answer.fit == Fit::No ? "compat.framework_lacks_gpu" : "compat.framework_ptx_only");
  failure.with("what", one.name + " " + one.version)
      .with("cuda", one.cuda)
      .with("gpu", kind.gpu.name)
      .with("sm", sm(kind.gpu.cc))
      .proof(one.library->version)
      .proof(kind.function->device);
  if (row != nullptr && !row->cc_x86_64.empty()) failure.with("archs", base::join(row->cc_x86_64, " "));
  explain(failure, answer);
}

/// The CUDA that a cuDNN was built for: told, or in the name of its wheel.
std::string cudnn_cuda(const LibraryFacts& library) {
  const std::string name = model::key_text(library.name);
  const std::size_t at = name.rfind("_cu");
  return at == std::string::npos ? model::key_text(library.cuda) : name.substr(at + 3);
}

bool is_cudnn(const LibraryFacts& library) {
  return base::contains(model::key_text(library.name), "cudnn");
}

/// The CUDA of the default toolkit; empty when none is known.
std::string default_cuda(const Machine& machine) {
  for (const ToolkitFacts& toolkit : model::each(machine.cuda.toolkits))
    if (is_default(machine.cuda, toolkit)) return model::key_text(toolkit.version);
  return {};
}

std::string major_of(const std::string& version) {
  return version.substr(0, version.find('.'));
}

void judge_cudnn(Look& look, const Situation& situation, const std::vector<Kind>& all,
                 const LibraryFacts& library) {
  const std::string& version = library.version.value();
  const std::string built_for = cudnn_cuda(library);
  const std::string toolkit = default_cuda(situation.machine);
  const bool of_system = model::key_text(library.name) == "cudnn";
  if (of_system && !built_for.empty() && !toolkit.empty() && major_of(built_for) != major_of(toolkit)) {
    look.fails("compat.cudnn_other_cuda")
        .with("cudnn", version)
        .with("built_for", built_for)
        .with("cuda", toolkit)
        .with("cuda_major", major_of(toolkit))
        .proof(library.version);
  }
  for (const Kind& kind : all) {
    // A wheel names its CUDA's major alone: the newest release of it decides about the GPU.
    const std::string cuda = built_for.find('.') == std::string::npos ? std::string() : built_for;
    const CompatAnswer answer = cudnn_fits(tables(situation), {version, cuda, kind.gpu.cc});
    const bool lacks =
        answer.reason == CompatReason::CudnnDroppedGpu || answer.reason == CompatReason::CudnnTooOldForGpu;
    if (!lacks) continue;
    explain(look.fails("compat.cudnn_lacks_gpu")
                .with("cudnn", version)
                .with("gpu", kind.gpu.name)
                .with("sm", sm(kind.gpu.cc))
                .proof(library.version)
                .proof(kind.function->device),
            answer);
  }
}

}  // namespace

model::Verdict check_branch_life(Look look, const Situation& situation) {
  const Field<std::string>& fact = driver_version(situation.machine);
  if (!has_gpu(situation.machine) || situation.today_s == 0) return look.not_applicable();
  const std::string* driver = look.need(fact);
  if (driver == nullptr) return look.conclude();
  const CompatAnswer answer =
      branch_life(tables(situation), *driver, today(situation), gpus_of(kinds(situation)));
  const bool ended = answer.fit == Fit::No;
  if (!ended && answer.reason != CompatReason::BranchEndsSoon) return look.conclude();
  const catalog::DriverBranchRow* row = tables(situation).branch(driver_branch(*driver).value_or(0));
  Failure failure = look.fails(ended ? "compat.branch_ended" : "compat.branch_ends_soon");
  failure.with("driver", *driver).with("branch", major_of(*driver)).proof(fact);
  if (row != nullptr && !row->eol.empty()) failure.with("ended", row->eol);
  explain(failure, answer);
  return look.conclude();
}

model::Verdict check_driver_runs_gpus(Look look, const Situation& situation) {
  const Machine& machine = situation.machine;
  if (!has_gpu(machine)) return look.not_applicable();
  const Field<std::string>& fact = driver_version(machine);
  const std::string* driver = look.need(fact);
  if (driver == nullptr || look.need(machine.pci) == nullptr) return look.conclude();
  for (const Kind& kind : kinds(situation)) {
    const CompatAnswer answer = driver_supports_gpu(tables(situation), *driver, kind.gpu);
    // One that answers is supported, whatever the tables say.
    if (answer.fit != Fit::No || kind.answers) continue;
    const bool old = answer.reason == CompatReason::BranchTooOldForGpu;
    explain(look.fails(old ? "compat.driver_too_old_for_gpu" : "compat.driver_dropped_gpu")
                .with("gpu", kind.gpu.name)
                .with("arch", kind.gpu.arch)
                .with("driver", *driver)
                .with("branch", answer.needs)
                .proof(fact)
                .proof(kind.function->device),
            answer);
  }
  return look.conclude();
}

model::Verdict check_open_modules(Look look, const Situation& situation) {
  const Machine& machine = situation.machine;
  if (!has_gpu(machine)) return look.not_applicable();
  const std::string* flavour = look.need(machine.driver.flavour);
  const std::string* driver = look.need(machine.driver.loaded_version);
  if (flavour == nullptr || driver == nullptr || look.need(machine.pci) == nullptr) return look.conclude();
  if (*flavour == "open") return look.conclude();
  for (const Kind& kind : kinds(situation)) {
    const CompatAnswer answer = flavour_fits(tables(situation), *driver, Flavour::Proprietary, kind.gpu);
    const bool works_all_the_same = answer.reason == CompatReason::OpenNeeded && kind.answers;
    if (answer.reason != CompatReason::OpenRecommended && !works_all_the_same) continue;
    explain(look.fails("compat.open_modules_recommended")
                .with("gpu", kind.gpu.name)
                .with("arch", kind.gpu.arch)
                .with("flavour", *flavour)
                .with("driver", *driver)
                .proof(machine.driver.flavour)
                .proof(kind.function->device),
            answer);
  }
  return look.conclude();
}

model::Verdict check_cuda_toolkits(Look look, const Situation& situation) {
  const Machine& machine = situation.machine;
  if (!has_gpu(machine) || (machine.cuda.toolkits.known() && machine.cuda.toolkits.value().empty()))
    return look.not_applicable();
  if (look.need(driver_version(machine)) == nullptr || look.need(machine.cuda.toolkits) == nullptr)
    return look.conclude();
  const std::vector<Kind> all = kinds(situation);
  for (const ToolkitFacts& toolkit : machine.cuda.toolkits.value())
    if (look.need(toolkit.version) != nullptr) judge_toolkit(look, situation, all, toolkit);
  return look.conclude();
}

model::Verdict check_cudnn(Look look, const Situation& situation) {
  const Machine& machine = situation.machine;
  const auto& libraries = model::each(machine.cuda.libraries);
  const bool any = std::any_of(libraries.begin(), libraries.end(), is_cudnn);
  if (!has_gpu(machine) || (machine.cuda.libraries.known() && !any)) return look.not_applicable();
  if (look.need(machine.cuda.libraries) == nullptr) return look.conclude();
  const std::vector<Kind> all = kinds(situation);
  for (const LibraryFacts& library : libraries)
    if (is_cudnn(library) && look.need(library.version) != nullptr)
      judge_cudnn(look, situation, all, library);
  return look.conclude();
}

model::Verdict check_frameworks(Look look, const Situation& situation) {
  const Machine& machine = situation.machine;
  std::vector<Framework> found;
  for (const LibraryFacts& library : model::each(machine.cuda.libraries))
    if (auto one = framework(tables(situation), library)) found.push_back(std::move(*one));
  if (!has_gpu(machine) || (machine.cuda.libraries.known() && found.empty())) return look.not_applicable();
  if (look.need(machine.cuda.libraries) == nullptr || look.need(driver_version(machine)) == nullptr)
    return look.conclude();
  const std::vector<Kind> all = kinds(situation);
  for (const Framework& one : found) {
    if (one.cuda.empty()) {
      look.need(one.library->cuda);  // notes why its CUDA is not known
      continue;
    }
    judge_cuda_need(look, situation, all, {one.library->version, one.name + " " + one.version, one.cuda},
                    "compat.framework_needs_newer_driver");
    for (const Kind& kind : all) judge_framework_gpu(look, situation, one, kind);
  }
  return look.conclude();
}

model::Verdict check_distribution(Look look, const Situation& situation) {
  const model::OsFacts& os = situation.machine.os;
  if (!has_gpu(situation.machine)) return look.not_applicable();
  const std::string* id = look.need(os.id);
  const std::string* version = look.need(os.version);
  if (id == nullptr || version == nullptr) return look.conclude();
  const CompatAnswer answer = os_fits(tables(situation), {*id, *version, today(situation)});
  const bool outside = answer.reason == CompatReason::OsNotInGuide;
  if (!outside && answer.reason != CompatReason::OsEnded) return look.conclude();
  const catalog::OsRow* row = os_row(tables(situation), *id, *version);
  Failure failure = look.fails(outside ? "compat.os_not_in_guide" : "compat.os_ended");
  failure.with("os", *id + " " + *version).proof(os.id).proof(os.version);
  if (row != nullptr && !row->eol.empty()) failure.with("ended", row->eol);
  explain(failure, answer);
  return look.conclude();
}

}  // namespace gpuwright::rules
