// Where the package manager gets NVIDIA's packages, and whether it has the key of each source. Source:
// sources.list(5) (one-line and deb822 style), dnf.conf(5), NVIDIA's note on the CUDA repository key.
// SPDX-License-Identifier: Apache-2.0
#include "facts/collector.h"

#include <array>

namespace gpuwright::facts {

namespace {

using Repositories = std::vector<model::RepositoryFacts>;

bool is_ours(std::string_view address) {
  return base::contains(address, "developer.download.nvidia.") ||
         base::contains(address, "nvidia.github.io") || base::contains(address, "linux.mellanox.com");
}

class Reader {
 public:
  explicit Reader(Probe& probe) : probe_(probe) {}
  Repositories found;

  /// deb [arch=amd64 signed-by=/usr/share/keyrings/cuda-archive-keyring.gpg] https://... /
  void one_line(const std::string& path) {
    const auto text = probe_.text(path);
    if (!text.known()) return;
    for (const std::string_view line : base::lines(text.value())) {
      const std::string_view trimmed = base::trim(line);
      const std::size_t at = trimmed.find("http");
      if (!trimmed.starts_with("deb") || at == std::string_view::npos || !is_ours(trimmed)) continue;
      const std::size_t key = trimmed.find("signed-by=");
      add(path, trimmed.substr(at, trimmed.find(' ', at) - at),
          key == std::string_view::npos
              ? "none"
              : std::string(trimmed.substr(key + 10, trimmed.find_first_of(" ]", key) - key - 10)),
          trimmed);
    }
  }

  /// deb822: stanzas of "URIs:" and "Signed-By:"; dnf: "baseurl=" and "gpgkey=".
  void stanzas(const std::string& path, std::string_view address_key, std::string_view key_key) {
    const auto text = probe_.text(path);
    if (!text.known()) return;
    std::string address, key = "none";
    const auto flush = [&] {
      if (is_ours(address)) add(path, address, key, address);
      address.clear();
      key = "none";
    };
    for (const std::string_view line : base::lines(text.value())) {
      const std::string_view trimmed = base::trim(line);
      if (trimmed.empty() || trimmed.front() == '[') flush();
      if (trimmed.starts_with(address_key)) address = base::trim(trimmed.substr(address_key.size()));
      if (trimmed.starts_with(key_key)) key = base::trim(trimmed.substr(key_key.size()));
    }
    flush();
  }

 private:
  void add(const std::string& path, std::string_view address, const std::string& key, std::string_view line) {
    if (found.size() >= 64) return;
    model::RepositoryFacts repository;
    repository.path = probe_.found(path, path, line);
    repository.address = Probe::derived(base::printable(address, 200), repository.path);
    repository.key_file = Probe::derived(base::printable(key, 200), repository.path);
    if (key.starts_with('/')) {
      repository.has_key = probe_.presence(key);
    } else {
      repository.has_key = Field<bool>(Absent{AbsentReason::Unsupported},
                                       probe_.note(path, "the line names no key file of its own"));
    }
    found.push_back(std::move(repository));
  }

  Probe& probe_;
};

}  // namespace

void collect_repositories(Probe& probe, const catalog::Catalog& /*catalog*/, model::Machine& machine) {
  Reader reader(probe);
  reader.one_line("/etc/apt/sources.list");
  bool any = false;
  for (const char* folder : {"/etc/apt/sources.list.d", "/etc/yum.repos.d", "/etc/zypp/repos.d"}) {
    const auto names = probe.source().list_directory(folder);
    if (!names) continue;
    any = true;
    for (const std::string& name : *names) {
      const std::string path = std::string(folder) + "/" + name;
      if (name.ends_with(".list")) reader.one_line(path);
      if (name.ends_with(".sources")) reader.stanzas(path, "URIs:", "Signed-By:");
      if (name.ends_with(".repo")) reader.stanzas(path, "baseurl=", "gpgkey=");
    }
  }
  if (!any && reader.found.empty()) {
    machine.driver.repositories = probe.absent<Repositories>(
        AbsentReason::NotFound, "/etc/apt/sources.list.d", "no sources of apt, dnf or zypper there");
    return;
  }
  machine.driver.repositories = probe.found(std::move(reader.found), "/etc/apt, /etc/yum.repos.d");
}

}  // namespace gpuwright::facts
