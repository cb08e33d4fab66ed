// Links that stay inside; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/local_files.h"

#include "base/text.h"

#include <deque>
#include <utility>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

constexpr int kMaxLinks = 40;  // as the kernel's own limit

std::deque<std::string> parts_of(const std::string& path) {
  std::deque<std::string> parts;
  for (const auto part : base::split(path, '/')) {
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  return parts;
}

}  // namespace

LocalFiles::LocalFiles(std::string root) : root_(std::move(root)) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

Result<std::string> LocalFiles::resolve(const std::string& path, LastLink last) const {
  if (root_.empty()) return path;
  std::deque<std::string> ahead = parts_of(path);
  std::vector<std::string> behind;
  int links = 0;
  while (!ahead.empty()) {
    const std::string part = ahead.front();
    ahead.pop_front();
    if (part == "..") {
      if (!behind.empty()) behind.pop_back();  // ".." of the root is the root
      continue;
    }
    behind.push_back(part);
    if (ahead.empty() && last == LastLink::Keep) break;
    const auto target = base::read_link(root_ + "/" + base::join(behind, "/"));
    if (!target) continue;  // not a link
    if (++links > kMaxLinks) return make_error(ErrorKind::Malformed, "too many links", path);
    behind.pop_back();
    if (target->starts_with('/')) behind.clear();
    const auto detour = parts_of(*target);
    ahead.insert(ahead.begin(), detour.begin(), detour.end());
  }
  return root_ + "/" + base::join(behind, "/");
}

Result<base::Fd> LocalFiles::open(const std::string& path) const {
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Follow));
  auto fd = base::open_for_reading(real);
  if (!fd) return make_error(fd.error().kind, fd.error().message, path);
  return fd;
}

Result<std::string> LocalFiles::read_file(const std::string& path, std::size_t limit) const {
  GPUWRIGHT_TRY(auto fd, open(path));
  base::FileStream stream(std::move(fd), path);
  auto text = base::read_all(stream, limit);
  if (!text) return make_error(text.error().kind, text.error().message, path);
  return text;
}

Result<std::vector<std::string>> LocalFiles::list_directory(const std::string& path) const {
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Follow));
  auto names = base::list_directory(real);
  if (!names) return make_error(names.error().kind, names.error().message, path);
  return names;
}

Result<std::string> LocalFiles::read_link(const std::string& path) const {
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Keep));
  auto target = base::read_link(real);
  if (!target) return make_error(target.error().kind, target.error().message, path);
  return target;
}

Result<base::FileStatus> LocalFiles::status_of(const std::string& path) const {
  GPUWRIGHT_TRY(const auto real, resolve(path, LastLink::Keep));
  auto status = base::status_of(real);
  if (!status) return make_error(status.error().kind, status.error().message, path);
  return status;
}

}  // namespace gpuwright::host
