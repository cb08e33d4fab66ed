// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/kubelet_logs.h"

#include "base/text.h"

namespace gpuwright::parse {

namespace {

constexpr std::size_t kMostName = 600;
constexpr std::size_t kParts = 3;

/// Names of Kubernetes are DNS labels and subdomains: they hold no underscore.
bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  constexpr std::size_t kMost = 253;
  return !text.empty() && text.size() <= kMost && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::optional<PodLogName> read_container_log_name(std::string_view name) {
  constexpr std::string_view kEnd = ".log";
  constexpr std::size_t kId = 64;
  if (name.size() > kMostName || !name.ends_with(kEnd)) return std::nullopt;
  name.remove_suffix(kEnd.size());
  const auto parts = base::split(name, '_');
  if (parts.size() != kParts || parts[2].size() < kId + 2) return std::nullopt;
  const std::string_view id = parts[2].substr(parts[2].size() - kId);
  const std::string_view container = parts[2].substr(0, parts[2].size() - kId - 1);
  if (parts[2][container.size()] != '-' || !is_name(id)) return std::nullopt;
  if (!is_name(parts[0]) || !is_name(parts[1]) || !is_name(container)) return std::nullopt;
  PodLogName read;
  read.pod = std::string(parts[0]);
  read.pod_namespace = std::string(parts[1]);
  read.container = std::string(container);
  read.container_id = std::string(id);
  return read;
}

std::optional<PodLogName> read_pod_log_name(std::string_view name) {
  if (name.size() > kMostName) return std::nullopt;
  const auto parts = base::split(name, '_');
  if (parts.size() != kParts || !is_name(parts[0]) || !is_name(parts[1]) || !is_name(parts[2]))
    return std::nullopt;
  PodLogName read;
  read.pod_namespace = std::string(parts[0]);
  read.pod = std::string(parts[1]);
  read.pod_uid = std::string(parts[2]);
  return read;
}

}  // namespace gpuwright::parse
