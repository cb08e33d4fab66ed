// Installed kernels, and what the driver has for each of them: the next boot may be another kernel. Source:
// dkms(8), modules.dep(5), modinfo(8), kernel Documentation/kbuild/modules.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "parse/driver_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;

constexpr std::size_t kMostKernels = 12;
constexpr std::array<std::string_view, 4> kModuleEndings = {".ko", ".ko.xz", ".ko.zst", ".ko.gz"};

bool is_module(std::string_view file, std::string_view name) {
  return std::any_of(kModuleEndings.begin(), kModuleEndings.end(), [&](std::string_view ending) {
    return file.size() == name.size() + ending.size() && file.starts_with(name) && file.ends_with(ending);
  });
}

/// Paths below /lib/modules/RELEASE that hold the module, from modules.dep and from where DKMS puts it.
List paths_of_module(Probe& probe, const std::string& release, const Field<std::string>& dependencies,
                     std::string_view module) {
  List paths;
  const auto add = [&paths](std::string path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end() && paths.size() < 16)
      paths.push_back(std::move(path));
  };
  if (dependencies.known()) {
    for (const std::string_view line : base::lines(dependencies.value())) {
      const std::string_view path = line.substr(0, line.find(':'));
      const std::size_t slash = path.rfind('/');
      if (slash != std::string_view::npos && is_module(path.substr(slash + 1), module))
        add(base::printable(path));
    }
  }
  constexpr std::array<const char*, 11> kFolders = {"updates/dkms",
                                                    "updates",
                                                    "extra",
                                                    "extra/nvidia",
                                                    "weak-updates",
                                                    "weak-updates/nvidia",
                                                    "kernel/drivers/video",
                                                    "kernel/drivers/infiniband/core",
                                                    "extra/mlnx-ofa_kernel/drivers/infiniband/core",
                                                    "updates/mlnx-ofa_kernel/drivers/infiniband/core",
                                                    "updates/drivers/infiniband/core"};
  for (const char* folder : kFolders) {
    const auto names = probe.source().list_directory(fmt::format("/lib/modules/{}/{}", release, folder));
    if (!names) continue;
    for (const std::string& name : *names) {
      if (is_module(name, module)) add(fmt::format("{}/{}", folder, name));
    }
  }
  return paths;
}

/// What DKMS has for each kernel: "installed", "built", or "added" for none. From its tree where it can be
/// read: the tool is a slow script.
class Dkms {
 public:
  explicit Dkms(Probe& probe) : probe_(probe) {
    const auto sources = probe.names("/var/lib/dkms");
    for (const std::string& name : model::each(sources)) {
      if (parse::is_nvidia_module_source(name)) read_tree("/var/lib/dkms/" + name);
    }
    if (!sources.known()) {
      read_status(probe.said({"dkms", "status"}, std::chrono::seconds(20)));
    } else if (!added_.known()) {
      added_ = probe.absent<std::string>(AbsentReason::NotFound, "/var/lib/dkms", "holds no nvidia module");
    }
  }

  Field<std::string> of(const std::string& release) {
    const auto known = states_.find(release);
    if (known != states_.end()) return known->second;
    if (added_.known()) return added_;
    if (added_.provenance() != 0) return added_;
    return probe_.absent<std::string>(AbsentReason::NotFound, "/var/lib/dkms/nvidia",
                                      "DKMS has no nvidia module");
  }

 private:
  void read_tree(const std::string& folder) {
    const auto versions = probe_.names(folder);
    for (const std::string& entry : model::each(versions)) {
      // "kernel-6.8.0-60-generic-x86_64" is a link to what is installed.
      if (entry.starts_with("kernel-")) {
        const std::size_t dash = entry.rfind('-');
        states_[entry.substr(7, dash - 7)] = Probe::derived(std::string("installed"), versions);
        if (!added_.known()) added_ = Probe::derived(std::string("added"), versions);
        continue;
      }
      added_ = Probe::derived(std::string("added"), versions);
      const auto kernels = probe_.names(folder + "/" + entry);
      for (const std::string& kernel : model::each(kernels)) {
        if (kernel != "source" && kernel != "build")
          states_.emplace(kernel, Probe::derived(std::string("built"), kernels));
      }
    }
  }

  /// "nvidia/550.54.15, 6.5.0-18-generic, x86_64: installed"; older versions write "nvidia, 550.54.15, ...".
  void read_status(const Field<std::string>& status) {
    added_ = status.known() ? Field<std::string>() : status;
    if (!status.known()) return;
    for (const std::string_view line : base::lines(status.value())) {
      if (!parse::is_nvidia_module_source(line.substr(0, line.find_first_of("/,")))) continue;
      const std::size_t colon = line.rfind(": ");
      if (colon == std::string_view::npos) continue;
      const auto parts = base::split(line.substr(0, colon), ',');
      const std::string state(base::trim(line.substr(colon + 2, line.substr(colon + 2).find(' '))));
      const std::size_t kernel_at = base::contains(parts[0], "/") ? 1 : 2;
      const auto value = probe_.found(state, "dkms status", line);
      if (parts.size() > kernel_at) {
        states_[std::string(base::trim(parts[kernel_at]))] = value;
      } else {
        added_ = value;
      }
    }
  }

  Probe& probe_;
  std::map<std::string, Field<std::string>> states_;
  Field<std::string> added_;
};

void read_module_information(Probe& probe, model::KernelFacts& kernel) {
  if (!kernel.nvidia_modules.known() || kernel.nvidia_modules.value().empty()) {
    kernel.module_version = probe.absent<std::string>(AbsentReason::NotFound, "/lib/modules/" + kernel.key(),
                                                      "holds no nvidia.ko");
    kernel.module_license = kernel.module_signer = kernel.module_version;
    return;
  }
  auto information = probe.said({"modinfo", "-k", kernel.key(), "nvidia"});
  const bool runs = kernel.running.known() && kernel.running.value();
  if (!information.known() && runs) information = probe.said({"modinfo", "nvidia"});
  kernel.module_version = probe.value_of(information, "version");
  kernel.module_license = probe.value_of(information, "license");
  kernel.module_signer = probe.value_of(information, "signer");
  if (information.known() || !runs || probe.source().live()) return;
  // A recording may hold single fields alone.
  const auto field = [&probe](const char* name, Field<std::string>& fact) {
    const auto told = probe.said({"modinfo", "-F", name, "nvidia"});
    if (told.known()) fact = Probe::derived(base::printable(base::trim(told.value()), 200), told);
  };
  field("version", kernel.module_version);
  field("license", kernel.module_license);
  field("signer", kernel.module_signer);
}

bool is_of_rdma_stack(std::string_view file) {
  constexpr std::array<std::string_view, 5> kStack = {"ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib",
                                                      "mlx_compat"};
  return std::any_of(kStack.begin(), kStack.end(),
                     [file](std::string_view name) { return is_module(file, name); });
}

/// Modules of the RDMA stack that modprobe would load: depmod lists of two of one name only the one it
/// prefers.
Field<List> rdma_modules_of(const Field<std::string>& dependencies) {
  return Probe::read_as<List>(dependencies, [](const std::string& text) {
    List paths;
    for (const std::string_view line : base::lines(text)) {
      const std::string_view path = line.substr(0, line.find(':'));
      if (is_of_rdma_stack(path.substr(path.rfind('/') + 1)) && paths.size() < 16)
        paths.push_back(base::printable(path));
    }
    return std::optional(paths);
  });
}

/// Where nobody kept modules.dep: what modinfo says that modprobe would load.
Field<List> told_rdma_modules(Probe& probe, const std::string& release, const Field<List>& not_told) {
  List paths;
  const std::string top = "/lib/modules/" + release + "/";
  for (const char* module : {"ib_core", "ib_uverbs", "mlx5_core", "mlx5_ib"}) {
    for (const char* option : {"modinfo -n ", "modinfo "}) {
      const std::string text = probe.written(std::string(option) + module);
      const std::size_t at = text.find(top);
      if (at == std::string::npos) continue;
      paths.push_back(base::printable(text.substr(at + top.size(), text.find('\n', at) - at - top.size())));
      break;
    }
  }
  return paths.empty() ? not_told : probe.found(std::move(paths), "modinfo");
}

/// Whether a repository has the headers of the running kernel; asked only where it has none, for it takes a
/// second.
Field<std::string> headers_package_of(Probe& probe, const model::KernelFacts& kernel) {
  const bool runs = kernel.running.known() && kernel.running.value();
  if (!runs || !kernel.has_headers.known() || kernel.has_headers.value())
    return probe.absent<std::string>(AbsentReason::Unsupported, "repositories",
                                     "are asked only where the running kernel has no headers");
  const auto apt = probe.said({"apt-cache", "policy", "linux-headers-" + kernel.key()});
  if (apt.known() || apt.reason() != AbsentReason::NotFound) {
    // No such package at all: apt-cache prints nothing. Known and not to be had: "Candidate: (none)".
    return Probe::read_as<std::string>(apt, [](const std::string& text) {
      const bool has = base::contains(text, "Candidate: ") && !base::contains(text, "Candidate: (none)");
      return std::optional<std::string>(has ? "available" : "none");
    });
  }
  // dnf fails where nothing matches; zypper says so.
  const auto answer = probe.source().run(
      {"dnf", "-C", "-q", "list", "--available", "kernel-devel-" + kernel.key()}, std::chrono::seconds(20));
  if (!answer)
    return probe.absent<std::string>(reason_of(answer.error().kind), "dnf", answer.error().message);
  if (answer->timed_out) return probe.absent<std::string>(AbsentReason::TimedOut, "dnf", "no answer: killed");
  if (base::contains(answer->output, "kernel-devel"))
    return probe.found(std::string("available"), "dnf list", answer->output);
  const std::string said = answer->errors + answer->output;
  if (base::contains(said, "No matching") || base::contains(said, "no match"))
    return probe.found(std::string("none"), "dnf list", said);
  return probe.absent<std::string>(AbsentReason::Unsupported, "dnf list", said);
}

model::KernelFacts kernel_of(Probe& probe, const std::string& release, const model::OsFacts& os, Dkms& dkms) {
  const std::string folder = "/lib/modules/" + release;
  model::KernelFacts kernel;
  kernel.release = probe.found(release, folder);
  kernel.running = Probe::read_as<bool>(
      os.kernel, [&release](const std::string& running) { return std::optional(running == release); });
  const auto build = probe.names(folder + "/build");
  // Of a machine that was only told of, what was not told is not absent.
  const bool untold = !probe.source().live() && !build.known() && build.reason() == AbsentReason::Unsupported;
  kernel.has_headers = untold ? Probe::as_absent<bool>(build)
                       : build.known() || build.reason() != AbsentReason::NotFound
                           ? Probe::derived(build.known() && !build.value().empty(), build)
                           : Field<bool>(false, build.provenance());
  const auto dependencies = probe.text(folder + "/modules.dep", Probe::kLarge);
  kernel.nvidia_modules = probe.found(paths_of_module(probe, release, dependencies, "nvidia"), folder);
  const List rdma = paths_of_module(probe, release, dependencies, "ib_core");
  kernel.duplicate_modules = probe.found(rdma.size() > 1 ? rdma : List(), folder);
  kernel.rdma_modules = rdma_modules_of(dependencies);
  if (!kernel.rdma_modules.known())
    kernel.rdma_modules = told_rdma_modules(probe, release, kernel.rdma_modules);
  kernel.headers_package = headers_package_of(probe, kernel);
  kernel.dkms = dkms.of(release);
  read_module_information(probe, kernel);
  return kernel;
}

}  // namespace

void collect_kernels(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  auto releases = probe.names("/lib/modules");
  if (!releases.known()) releases = probe.names("/usr/lib/modules");
  if (!releases.known()) {
    machine.driver.kernels = Probe::as_absent<std::vector<model::KernelFacts>>(releases);
    return;
  }
  List newest = releases.value();
  std::erase_if(newest, [](const std::string& name) {
    return name.empty() || name.front() < '0' || name.front() > '9';
  });
  std::sort(newest.begin(), newest.end(),
            [](const std::string& a, const std::string& b) { return base::compare_versions(a, b) > 0; });
  if (newest.size() > kMostKernels) newest.resize(kMostKernels);
  Dkms dkms(probe);
  std::vector<model::KernelFacts> kernels;
  for (const std::string& release : newest) kernels.push_back(kernel_of(probe, release, machine.os, dkms));
  machine.driver.kernels = Probe::derived(std::move(kernels), releases);
}

}  // namespace gpuwright::facts
