// Choosing what to look at; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/looking.h"

#include "base/files.h"
#include "base/text.h"
#include "host/remembering.h"

#include <fmt/core.h>

namespace gpuwright::app {

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\x1b[K", console_.err);
}

void ProgressLine::show(const std::string& text) {
  if (!console_.progress) return;
  std::fputs(("\r\x1b[K" + base::printable(text, 78)).c_str(), console_.err);
  std::fflush(console_.err);
  shown_ = true;
}

base::Result<std::unique_ptr<host::Source>> open_host(const std::string& sysroot,
                                                      const host::LiveLimits& limits) {
  if (!sysroot.empty()) {
    GPUWRIGHT_TRY(const auto kind, base::kind_behind(sysroot));
    if (kind != base::FileKind::Directory)
      return base::make_error(base::ErrorKind::Unsupported, "is not a folder", sysroot);
  }
  return std::unique_ptr<host::Source>(
      std::make_unique<host::Remembering>(std::make_unique<host::LiveHost>(sysroot, limits)));
}

base::Result<host::Inputs> gather_quickly(const std::string& sysroot, const host::LiveLimits& limits) {
  GPUWRIGHT_TRY(auto machine, open_host(sysroot, limits));
  host::Inputs inputs = host::collect_evidence(*machine, host::quick_evidence_list());
  inputs.machines.push_back(std::move(machine));
  return inputs;
}

host::Inputs look_at(host::Source& source, const Console& console) {
  ProgressLine line(console);
  return host::collect_evidence(source,
                                [&line](const host::EvidenceItem& item, std::size_t at, std::size_t of) {
                                  line.show(fmt::format("reading {}/{}: {}", at + 1, of, item.what));
                                });
}

base::Result<host::Inputs> gather(const std::vector<std::string>& paths, const std::string& sysroot,
                                  const Console& console) {
  if (!paths.empty() && sysroot.empty()) return host::open_inputs(paths);
  GPUWRIGHT_TRY(auto machine, open_host(sysroot));
  host::Inputs all = look_at(*machine, console);
  all.machines.push_back(std::move(machine));
  if (paths.empty()) return all;
  GPUWRIGHT_TRY(auto named, host::open_inputs(paths));
  for (auto& document : named.documents) all.documents.push_back(std::move(document));
  for (auto& other : named.machines) all.machines.push_back(std::move(other));
  for (auto& reason : named.could_not_look) all.could_not_look.push_back(std::move(reason));
  return all;
}

}  // namespace gpuwright::app
