// A real Prometheus for one test: on loopback, stopped by its process id.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/node.h"

#include "support/background.h"
#include "support/run.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::tests {

class Prometheus {
 public:
  /// Whether Debian's prometheus is there; a test without it is skipped.
  static bool installed();

  /// Starts it with this configuration and waits until it is ready. `data`: blocks to begin with; else empty.
  explicit Prometheus(const std::string& config, const std::vector<std::string>& flags = {},
                      const std::string& data = {});

  int port() const { return port_; }
  std::string url(const std::string& path = {}) const;
  /// The answer's "data" of /api/v1/query; `time` in Unix seconds, empty: now. An error in Prometheus' words.
  base::Result<kit::Node> query(const std::string& expression, const std::string& time = {}) const;
  /// The answer's first value; empty while there is none.
  std::string value(const std::string& expression) const;
  /// Whether it has that value before the time is over.
  bool becomes(const std::string& expression, const std::string& value,
               std::chrono::seconds limit = std::chrono::seconds(25)) const;
  std::string said() const { return program_->said(); }

 private:
  TempFolder folder_;
  int port_ = 0;
  std::unique_ptr<Background> program_;
};

/// Scrapes these targets every second.
std::string scrape_config(const std::vector<std::string>& targets);

}  // namespace gpuwright::tests
