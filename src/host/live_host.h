// The machine itself, or a mounted disk of one (`--sysroot DIR`): there, links are resolved inside DIR and
// never lead out of it, and no command is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/source.h"

#include <string>

namespace gpuwright::host {

class LiveHost final : public Source {
 public:
  LiveHost() = default;
  /// A machine's files below `root`; "" or "/" is the machine itself.
  explicit LiveHost(std::string root);

  bool live() const override { return root_.empty(); }
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override;
  base::Result<std::string> read_link(const std::string& path) override;
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
  base::Result<std::string> gpu_answers() override;
  base::Result<KernelLog> kernel_log() override;

 private:
  /// Reads through a child with a deadline: what may sleep in the kernel must not take us with it.
  base::Result<std::unique_ptr<base::ByteStream>> open_in_child(const std::string& path);
  enum class LastLink { Follow, Keep };
  /// The path to open for a path on that machine. Malformed for a loop of links.
  base::Result<std::string> resolve(const std::string& path, LastLink last) const;
  std::string root_;
};

}  // namespace gpuwright::host
