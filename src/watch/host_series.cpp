// The list, and what readers share.
// SPDX-License-Identifier: Apache-2.0
#include "watch/host_series.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gpuwright::watch {

const std::vector<HostReader>& host_readers() {
  static const std::vector<HostReader> kReaders = {
      {"disks", read_disks},           {"memory", read_memory},
      {"network", read_network},       {"numa", read_numa},
      {"pcie", read_pcie_errors},      {"pressure", read_pressure},
      {"processors", read_processors}, {"rdma", read_rdma},
  };
  return kReaders;
}

std::string HostLook::text(const std::string& path) const {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  auto read = files_.read_file(path, kMost);
  return read ? std::move(*read) : std::string();
}

const std::vector<std::string>& HostLook::devices(const char* kind, Find find) {
  constexpr std::int64_t kRounds = 12;
  Devices& known = devices_[kind];
  if (known.made == 0 || round_ + 1 - known.made >= kRounds) {
    known.made = round_ + 1;
    known.names = find(*this);
  }
  return known.names;
}

void HostLook::add(const char* family, std::string labels, double value) {
  constexpr std::size_t kMostSeries = 4096;
  if (found_.size() < kMostSeries) found_.push_back({family, std::move(labels), value});
}

std::vector<model::HostSeries> HostLook::take() {
  ++round_;
  return std::exchange(found_, {});
}

std::string label_part(std::string_view key, std::string_view value) {
  constexpr std::size_t kMost = 64;
  std::string text(value.substr(0, kMost));
  for (char& c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view("._:@-").find(c) != std::string_view::npos;
    if (!kept) c = '_';
  }
  return std::string(key) + "=\"" + text + "\"";
}

}  // namespace gpuwright::watch
