// The driver is many pieces that must be of one version: module source in DKMS, module file, loaded module,
// libraries, packages. Each tool shows one of them. Source: dkms(8), lsmod(8) and proc(5), modinfo(8),
// dpkg(1), rpm(8), docker info.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/driver_formats.h"

#include <array>
#include <map>
#include <optional>
#include <string>

namespace gpuwright::parse {
namespace {

using model::Event;
using model::EventLevel;

constexpr std::size_t kMaxRows = 2'000;

Event fact(const char* signal, const char* format, model::Evidence evidence) {
  Event event;
  event.signal = signal;
  event.signature = format;
  event.level = EventLevel::Context;
  event.evidence.push_back(std::move(evidence));
  return event;
}

/// One row: "name/version[, kernel, arch]: state" or "name, version[, kernel, arch]: state".
std::optional<std::map<std::string, std::string>> dkms_row(std::string_view line) {
  const std::size_t colon = line.rfind(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string state = base::lower(base::trim(line.substr(colon + 2)));
  const std::size_t state_end = state.find_first_of(" (");
  auto pieces = base::split(line.substr(0, colon), ',');
  for (auto& piece : pieces) piece = base::trim(piece);
  const std::size_t slash = pieces.front().find('/');
  std::string name, version;
  std::size_t next = 1;
  if (slash != std::string_view::npos) {
    name = pieces.front().substr(0, slash);
    version = pieces.front().substr(slash + 1);
  } else if (pieces.size() > 1) {
    name = pieces[0];
    version = pieces[1];
    next = 2;
  }
  if (!is_nvidia_module_source(name) || version.empty()) return std::nullopt;
  std::map<std::string, std::string> row = {{"version", version}, {"state", state.substr(0, state_end)}};
  if (next < pieces.size()) row["kernel"] = std::string(pieces[next]);
  return row;
}

constexpr std::array<std::string_view, 11> kModules = {
    "nvidia",           "nvidia_uvm", "nvidia_drm",  "nvidia_modeset", "nvidia_peermem", "nvidia_fs",
    "nvidia_vgpu_vfio", "nouveau",    "nv_peer_mem", "gdrdrv",         "vfio_pci"};

bool is_nvidia_package(std::string_view name) {
  return name.substr(0, 7) == "nvidia-" || name.substr(0, 9) == "libnvidia" ||
         base::contains(name, "kmod-nvidia") || base::contains(name, "linux-modules-nvidia");
}

/// "ii  name:arch  version  arch  text".
std::optional<Event> dpkg_row(std::string_view line, const model::Evidence& evidence) {
  const auto words = base::words(line);
  if (words.size() < 3 || words[0].size() < 2 || words[0].size() > 3) return std::nullopt;
  const std::string_view package = words[1].substr(0, words[1].find(':'));
  if (!is_nvidia_package(package)) return std::nullopt;
  Event event = fact("driver.package", "packages", evidence);
  event.params = {{"package", std::string(package)},
                  {"version", base::upstream_version(words[2])},
                  {"state", std::string(words[0])}};
  return event;
}

/// "name-version-release.arch": the version begins at the last dash but one.
std::optional<Event> rpm_row(std::string_view line, const model::Evidence& evidence) {
  const std::string_view text = base::trim(line);
  if (!is_nvidia_package(text) || text.find(' ') != std::string_view::npos) return std::nullopt;
  const std::size_t release = text.rfind('-');
  if (release == std::string_view::npos || release == 0) return std::nullopt;
  const std::size_t version = text.rfind('-', release - 1);
  if (version == std::string_view::npos) return std::nullopt;
  const std::string number = base::upstream_version(text.substr(version + 1, release - version - 1));
  if (number.empty()) return std::nullopt;
  Event event = fact("driver.package", "packages", evidence);
  event.params = {{"package", std::string(text.substr(0, version))}, {"version", number}, {"state", "ii"}};
  return event;
}

}  // namespace

bool is_nvidia_module_source(std::string_view name) {
  return name == "nvidia" || name == "nvidia-srv" || name == "nvidia-open" || name == "nvidia-current" ||
         name == "nvidia-current-open" || name == "nvidia-kernel";
}

bool parse_dkms_status(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                       model::Observations& out) {
  bool found = false;
  const auto lines = base::lines(block);
  for (std::size_t i = 0; i < lines.size() && i < kMaxRows; ++i) {
    auto row = dkms_row(lines[i]);
    if (!row) continue;
    Event event = fact("driver.dkms_entry", "dkms-status", block_evidence(context, i, lines[i]));
    event.params = std::move(*row);
    out.events.push_back(std::move(event));
    found = true;
  }
  return found;
}

bool parse_lsmod(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                 model::Observations& out) {
  bool found = false;
  const auto lines = base::lines(block);
  for (std::size_t i = 0; i < lines.size() && i < kMaxRows; ++i) {
    const auto words = base::words(lines[i]);
    if (words.size() < 3 || !base::parse_int(words[1]) || !base::parse_int(words[2])) continue;
    found = true;
    for (const std::string_view module : kModules) {
      if (words[0] != module) continue;
      Event event = fact("driver.kernel_module", "lsmod", block_evidence(context, i, lines[i]));
      event.params = {{"module", std::string(module)}, {"used_by", std::string(words[2])}};
      out.events.push_back(std::move(event));
    }
  }
  return found;
}

bool parse_modinfo(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                   model::Observations& out) {
  const auto lines = base::lines(block);
  std::map<std::string, std::string> values;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < lines.size() && i < 400; ++i) {
    const auto [key, value] = key_and_value(lines[i]);
    if (key == "filename" && !first && base::contains(value, "/nvidia.ko")) first = i;
    if (first) values.emplace(std::string(key), std::string(value));
  }
  if (!first) return false;
  Event event = fact("driver.module_file", "modinfo", block_evidence(context, *first, lines[*first]));
  event.params["version"] = values["version"];
  event.params["signer"] = values["signer"];
  const std::string& license = values["license"];
  if (!license.empty()) event.params["flavour"] = base::contains(license, "GPL") ? "open" : "proprietary";
  const auto magic = base::words(values["vermagic"]);
  if (!magic.empty()) event.params["kernel"] = std::string(magic.front());
  out.events.push_back(std::move(event));
  return true;
}

bool parse_packages(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                    model::Observations& out) {
  bool found = false;
  const auto lines = base::lines(block);
  for (std::size_t i = 0; i < lines.size() && i < kMaxRows; ++i) {
    const model::Evidence evidence = block_evidence(context, i, lines[i]);
    auto row = dpkg_row(lines[i], evidence);
    if (!row) row = rpm_row(lines[i], evidence);
    if (!row) continue;
    out.events.push_back(std::move(*row));
    found = true;
  }
  return found;
}

bool parse_docker_info(std::string_view block, const BlockContext& context, const catalog::Catalog&,
                       model::Observations& out) {
  bool found = false;
  const auto lines = base::lines(block);
  const bool device = base::contains(block, "cdi: nvidia.com/");
  for (std::size_t i = 0; i < lines.size() && i < kMaxRows; ++i) {
    const auto [key, value] = key_and_value(lines[i]);
    if (key != "Runtimes") continue;
    Event event = fact("container.runtimes", "docker-info", block_evidence(context, i, lines[i]));
    event.params["runtimes"] = base::printable(value, 200);
    event.params["nvidia"] = device || base::contains(value, "nvidia") ? "yes" : "no";
    out.events.push_back(std::move(event));
    found = true;
  }
  return found;
}

}  // namespace gpuwright::parse
