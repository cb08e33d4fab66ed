// The machine itself, or a mounted disk of one (`--sysroot DIR`): there, links are resolved inside DIR and
// never lead out of it, and no command is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/local_files.h"
#include "host/nvml_worker.h"
#include "host/reader.h"
#include "host/source.h"

#include <cstddef>
#include <memory>
#include <string>

namespace gpuwright::host {

/// How long the machine may keep us waiting, and how much of its log is read.
struct LiveLimits {
  ReaderLimits reader;
  NvmlDeadlines nvml;
  std::size_t kernel_log = std::size_t{64} << 20;  ///< bytes of the newest lines
};

class LiveHost final : public Source {
 public:
  LiveHost() : LiveHost("") {}
  /// A machine's files below `root`; "" or "/" is the machine itself. What may sleep in the kernel (reader.h)
  /// is read by a child, forked at the first such question.
  explicit LiveHost(std::string root, const LiveLimits& limits = {});

  bool live() const override { return files_.root().empty(); }
  base::Result<std::string> read_file(const std::string& path, std::size_t limit) override;
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override;
  base::Result<std::string> read_link(const std::string& path) override;
  base::Result<base::FileStatus> status_of(const std::string& path) override;
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
  base::Result<std::string> gpu_answers() override;
  base::Result<std::string> device_holders() override;
  base::Result<KernelLog> kernel_log() override;

 private:
  LocalFiles files_;
  LiveLimits limits_;
  std::unique_ptr<Reader> reader_;
};

}  // namespace gpuwright::host
