// The files of the machine, or of a mounted disk of one: there, links are resolved inside it and never lead
// out of it. Whoever reads here sleeps as long as the kernel does: see reader.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gpuwright::host {

class LocalFiles {
 public:
  /// A machine's files below `root`; "" or "/" is this machine itself.
  explicit LocalFiles(std::string root);

  const std::string& root() const { return root_; }
  base::Result<base::Fd> open(const std::string& path) const;
  base::Result<std::string> read_file(const std::string& path, std::size_t limit) const;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) const;
  base::Result<std::string> read_link(const std::string& path) const;
  base::Result<base::FileStatus> status_of(const std::string& path) const;

 private:
  enum class LastLink { Follow, Keep };
  /// The path to open for a path on that machine. Malformed for a loop of links.
  base::Result<std::string> resolve(const std::string& path, LastLink last) const;
  std::string root_;
};

}  // namespace gpuwright::host
