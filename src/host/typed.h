// What people type instead of copying files: `cat`, `ls -l`, `stat`, `find`, `lspci`, `modinfo`, `dkms
// status` and `ibstat` tell of files and folders. A machine that a person wrote down answers with what they
// told where the file itself was not kept, so that collectors need not know how it was looked at. Source:
// ls(1), stat(1), lspci(8), modinfo(8), dkms(8), ibstat(8).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::host {

/// The name under which a person kept a command's answer, in one form: "%2f", "/" and blanks are "_", and
/// what only says by whom a tool is started ("sudo", "microk8s", "k3s"; "oc" for "kubectl") is gone.
std::string spoken_name(std::string_view folder);

class Typed {
 public:
  /// Names as spoken_name() gives them, and what was printed.
  explicit Typed(const std::vector<std::pair<std::string, std::string>>& said);

  /// Paths are normal (normal_path). Nothing where nobody told.
  std::optional<std::string> file(const std::string& path) const;
  std::optional<std::string> link(const std::string& path) const;
  std::optional<base::FileStatus> status(const std::string& path) const;
  /// Names that were told of; perhaps not all.
  std::vector<std::string> names(const std::string& folder) const;
  /// The part of the tree in which the path lies, where only some of it was told: that it is not there means
  /// nothing. Empty elsewhere.
  std::string part_of(const std::string& path) const;

 private:
  void add_file(const std::string& path, std::string text);
  void read_listing(const std::string& name, std::string_view text);
  void read_listed_paths(const std::vector<std::string_view>& words);
  void read_long_line(std::string_view line, const std::string& folder);
  void read_stat(std::string_view text);
  void read_grep(const std::string& name, std::string_view text);
  void read_cpu(std::string_view text);
  void read_paths(std::string_view text);
  void read_module(std::string_view text);
  void read_dkms(std::string_view text);
  void read_pci(std::string_view text);
  void read_pci_detail(std::string_view line, const std::string& folder);
  void add_to_group(const std::string& folder, const std::string& group);
  void read_rdma(std::string_view text);

  std::map<std::string, std::string> cats_;  ///< by the name of the command
  std::map<std::string, std::string> files_, links_, listed_;
  std::map<std::string, base::FileStatus> statuses_;
  std::set<std::string> partly_;
};

}  // namespace gpuwright::host
