// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/history_path.h"

#include <unistd.h>

#include <cstdlib>

namespace gpuwright::app {

namespace {

constexpr const char* kShared = "/var/lib/gpuwright/history.db";

/// The variable where it names an absolute path, and what stands behind it; else empty.
std::string below(const char* variable, const char* rest) {
  const char* folder = std::getenv(variable);
  if (folder == nullptr || *folder != '/') return {};
  const std::string path = folder;
  return path.substr(0, path.find(':')) + rest;  // systemd may name several
}

std::string own() {
  const std::string state = below("XDG_STATE_HOME", "/gpuwright/history.db");
  return state.empty() ? below("HOME", "/.local/state/gpuwright/history.db") : state;
}

}  // namespace

std::string history_to_write() {
  std::string service = below("STATE_DIRECTORY", "/history.db");
  if (!service.empty()) return service;
  const std::string mine = ::geteuid() == 0 ? std::string() : own();
  return mine.empty() ? kShared : mine;
}

std::string history_to_read() {
  const std::string mine = ::geteuid() == 0 ? std::string() : own();
  return !mine.empty() && ::access(mine.c_str(), F_OK) == 0 ? mine : kShared;
}

}  // namespace gpuwright::app
