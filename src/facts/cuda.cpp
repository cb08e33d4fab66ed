// CUDA toolkits, and libraries and frameworks that were built against one. Source: CUDA installation guide
// (version.json, version.txt), PEP 376 (NAME-VERSION.dist-info).
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"
#include "kit/json.h"

#include <algorithm>
#include <array>

namespace gpuwright::facts {

namespace {

using List = std::vector<std::string>;
using Libraries = std::vector<model::LibraryFacts>;

constexpr std::size_t kMostLibraries = 64;

Field<std::string> toolkit_version(Probe& probe, const std::string& folder) {
  const auto json = probe.text(folder + "/version.json");
  if (json.known()) {
    return Probe::read_as<std::string>(json, [](const std::string& text) -> std::optional<std::string> {
      const auto root = kit::parse_json(text, "version.json");
      if (!root || (*root)["cuda"]["version"].text().empty()) return std::nullopt;
      return base::printable((*root)["cuda"]["version"].text(), 40);
    });
  }
  // Toolkits before 11.1: "CUDA Version 10.2.89".
  return Probe::read_as<std::string>(probe.text(folder + "/version.txt"),
                                     [](const std::string& text) -> std::optional<std::string> {
                                       const auto parts = base::words(text);
                                       if (parts.size() < 3) return std::nullopt;
                                       return base::printable(parts[2], 40);
                                     });
}

void collect_toolkits(Probe& probe, model::CudaFacts& cuda) {
  cuda.default_toolkit = probe.link_name("/usr/local/cuda");
  if (cuda.default_toolkit.known() && cuda.default_toolkit.value() == "cuda") {  // /etc/alternatives/cuda
    const auto next = probe.link_name("/etc/alternatives/cuda");
    if (next.known()) cuda.default_toolkit = next;
  }
  const auto names = probe.names("/usr/local");
  if (!names.known()) {
    cuda.toolkits = Probe::as_absent<std::vector<model::ToolkitFacts>>(names);
    return;
  }
  std::vector<model::ToolkitFacts> toolkits;
  for (const std::string& name : names.value()) {
    if (!name.starts_with("cuda-") || name.find_first_of("0123456789") != 5) continue;
    model::ToolkitFacts toolkit;
    toolkit.path = probe.found("/usr/local/" + name, "/usr/local");
    toolkit.version = toolkit_version(probe, toolkit.path.value());
    if (!toolkit.version.known()) toolkit.version = Probe::derived(name.substr(5), toolkit.path);
    // A folder that an uninstalled toolkit left behind has no compiler.
    toolkits.push_back(std::move(toolkit));
  }
  cuda.toolkits = Probe::derived(std::move(toolkits), names);
}

/// A shared library whose file name carries the version: libcudnn.so.9.8.0, libnccl.so.2.25.1. Nothing for
/// other files, and for the link libX.so.N.
std::optional<model::LibraryFacts> shared_library_of(Probe& probe, const std::string& folder,
                                                     const std::string& file) {
  struct Wanted {
    std::string_view file;
    const char* name;
  };
  constexpr std::array<Wanted, 3> kWanted = {
      {{"libcudnn.so.", "cudnn"}, {"libnccl.so.", "nccl"}, {"libnvinfer.so.", "tensorrt"}}};
  const auto wanted = std::find_if(kWanted.begin(), kWanted.end(),
                                   [&](const Wanted& one) { return file.starts_with(one.file); });
  if (wanted == kWanted.end()) return std::nullopt;
  const std::string version = file.substr(wanted->file.size());
  if (std::count(version.begin(), version.end(), '.') < 2) return std::nullopt;
  const std::string path = folder + "/" + file;
  model::LibraryFacts library;
  library.name = probe.found(std::string(wanted->name), path);
  library.path = Probe::derived(path, library.name);
  library.version = Probe::derived(version, library.name);
  library.cuda =
      Field<std::string>(Absent{AbsentReason::Unsupported}, probe.note(path, "the file name does not tell"));
  return library;
}

void collect_shared_libraries(Probe& probe, Libraries& libraries) {
  constexpr std::array<const char*, 3> kFolders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                                   "/usr/lib64"};
  for (const char* folder : kFolders) {
    const auto names = probe.source().list_directory(folder);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (libraries.size() >= kMostLibraries) return;
      if (auto library = shared_library_of(probe, folder, name)) libraries.push_back(std::move(*library));
    }
  }
}

/// "torch-2.6.0+cu124.dist-info" and "nvidia_cudnn_cu12-9.1.0.70.dist-info".
std::optional<model::LibraryFacts> package_of(Probe& probe, const std::string& folder,
                                              const std::string& name) {
  constexpr std::string_view kEnding = ".dist-info";
  constexpr std::array<std::string_view, 9> kFrameworks = {"torch",
                                                           "tensorflow",
                                                           "jaxlib",
                                                           "cupy_cuda12x",
                                                           "vllm",
                                                           "triton",
                                                           "nvidia_cudnn_cu12",
                                                           "nvidia_cudnn_cu13",
                                                           "nvidia_nccl_cu12"};
  if (!name.ends_with(kEnding)) return std::nullopt;
  const std::string stem = name.substr(0, name.size() - kEnding.size());
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string::npos) return std::nullopt;
  const std::string package = stem.substr(0, dash), version = stem.substr(dash + 1);
  if (std::find(kFrameworks.begin(), kFrameworks.end(), package) == kFrameworks.end()) return std::nullopt;
  model::LibraryFacts library;
  library.name = probe.found(package, folder + "/" + name);
  library.path = Probe::derived(folder, library.name);
  const std::size_t plus = version.find('+');
  library.version = Probe::derived(base::printable(version.substr(0, plus), 40), library.name);
  const std::string build = plus == std::string::npos ? std::string() : version.substr(plus + 1);
  // "cu124" is CUDA 12.4; from PyPI the wheel's tag is silent.
  if (build.starts_with("cu") && build.size() >= 5 && base::parse_int(build.substr(2))) {
    const std::string digits = build.substr(2);
    library.cuda = Probe::derived(digits.substr(0, digits.size() - 1) + "." + digits.back(), library.name);
  } else {
    library.cuda = Field<std::string>(Absent{AbsentReason::Unsupported},
                                      probe.note(folder + "/" + name, "the version does not name the CUDA"));
  }
  return library;
}

/// Folders where Python keeps packages for everybody. Environments of users are theirs.
List package_folders(Probe& probe) {
  List folders = {"/usr/lib/python3/dist-packages"};
  for (const char* top : {"/usr/local/lib", "/usr/lib", "/usr/lib64", "/opt/conda/lib"}) {
    const auto names = probe.source().list_directory(top);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.starts_with("python3.")) continue;
      folders.push_back(std::string(top) + "/" + name + "/dist-packages");
      folders.push_back(std::string(top) + "/" + name + "/site-packages");
    }
  }
  return folders;
}

void collect_python_packages(Probe& probe, Libraries& libraries) {
  for (const std::string& folder : package_folders(probe)) {
    const auto names = probe.source().list_directory(folder);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (libraries.size() >= kMostLibraries) return;
      auto library = package_of(probe, folder, name);
      if (library) libraries.push_back(std::move(*library));
    }
  }
}

}  // namespace

void collect_cuda(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  collect_toolkits(probe, machine.cuda);
  Libraries libraries;
  collect_shared_libraries(probe, libraries);
  collect_python_packages(probe, libraries);
  machine.cuda.libraries = probe.found(std::move(libraries), "library folders and Python's package folders");
}

}  // namespace gpuwright::facts
