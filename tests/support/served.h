// `gpuwright serve` on a simulated node, for one test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kit/http_client.h"

#include "support/background.h"
#include "support/run.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::tests {

class Served {
 public:
  /// Starts it on a free port and waits until it is ready; without a history where `options` name none.
  explicit Served(const std::string& scenario, const std::vector<std::string>& options = {});

  int port() const { return port_; }
  pid_t pid() const { return program_->pid(); }
  std::string url(const std::string& path) const;
  /// The answer; status 0 and why in the body where there was none.
  kit::HttpAnswer get(const std::string& path, const kit::HttpHeaders& headers = {}) const;
  /// Asks for /metrics until they hold that, or the time is over.
  bool metrics_tell(const std::string& text, std::chrono::seconds limit = std::chrono::seconds(15)) const;
  /// The value of a series as printed; empty where there is none.
  std::string value(const std::string& series) const;
  std::string said() const { return program_->said(); }
  /// Asks for that path until the answer holds that, or the time is over.
  bool tells(const std::string& path, const std::string& text,
             std::chrono::seconds limit = std::chrono::seconds(30)) const;
  int stop(int signal = SIGTERM) { return program_->stop(signal); }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
  int port_ = 0;
  std::unique_ptr<Background> program_;
};

}  // namespace gpuwright::tests
