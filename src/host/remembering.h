// A source that asks each question once: evidence and facts read the same files and commands, and NVML is
// slow to answer. Small answers are kept; large files are read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/source.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::host {

class Remembering final : public Source {
 public:
  explicit Remembering(std::unique_ptr<Source> inner) : inner_(std::move(inner)) {}

  bool live() const override { return inner_->live(); }
  base::Result<std::string> read_file(const std::string& path, std::size_t limit) override;
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override;
  base::Result<std::string> read_link(const std::string& path) override;
  void expect(const std::vector<ToolCall>& calls) override;
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
  base::Result<base::FileStatus> status_of(const std::string& path) override {
    return inner_->status_of(path);
  }
  base::Result<std::string> gpu_answers() override;
  base::Result<std::string> device_holders() override { return inner_->device_holders(); }
  std::vector<Unanswered> unanswered() override { return inner_->unanswered(); }
  std::vector<model::LeftBehind> left_behind() override { return inner_->left_behind(); }
  std::vector<std::pair<std::string, std::string>> further_texts() override {
    return inner_->further_texts();
  }
  base::Result<KernelLog> kernel_log() override { return inner_->kernel_log(); }

 private:
  std::unique_ptr<Source> inner_;
  std::map<std::string, base::Result<std::string>> files_;
  std::map<std::string, base::Result<std::vector<std::string>>> folders_;
  std::map<std::string, base::Result<std::string>> links_;
  std::map<std::string, base::Result<CommandAnswer>> commands_;
  std::optional<base::Result<std::string>> gpus_;
};

}  // namespace gpuwright::host
