// The second way to touch a machine: a Source reads, a Hand changes. Every change goes through one, so that
// it is recorded, and can be shown instead of done.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/source.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::host {

/// One change that was asked for.
struct Deed {
  std::vector<std::string> argv;
  bool done = false;  ///< false: refused, or it could not be started
};

class Hand {
 public:
  virtual ~Hand() = default;
  /// Runs a tool that changes the machine. Errors: Conflict (this hand refuses), NotFound (no such tool),
  /// Denied, Io. A tool that fails is an answer.
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv, std::chrono::milliseconds deadline);
  /// All that was asked for, in order.
  const std::vector<Deed>& deeds() const { return deeds_; }

 private:
  virtual base::Result<CommandAnswer> act(const std::vector<std::string>& argv,
                                          std::chrono::milliseconds deadline) = 0;
  std::vector<Deed> deeds_;
};

/// Changes this machine. The tool runs as base::run_process runs it: no shell, nothing of our environment.
class LiveHand final : public Hand {
  base::Result<CommandAnswer> act(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
};

/// Changes nothing: refuses everything with a Conflict.
class RefusingHand final : public Hand {
  base::Result<CommandAnswer> act(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
};

}  // namespace gpuwright::host
