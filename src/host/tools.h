// The machine's tools, several beside each other. One that sleeps in the kernel (lspci at a dead device) is
// left behind and remembered, so that later runs do not add to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/process.h"
#include "base/result.h"
#include "host/claims.h"
#include "host/source.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::host {

class Tools {
 public:
  explicit Tools(Claims claims = Claims::of_this_user()) : claims_(std::move(claims)) {}

  /// Starts it; what it says, or why it does not run, is told by run().
  void start(const ToolCall& call);
  /// Waits for what was started with this argv, or starts it now; not beyond `until`. TimedOut where the same
  /// call of an earlier run still sleeps in the kernel.
  base::Result<CommandAnswer> run(const ToolCall& call, std::chrono::steady_clock::time_point until);

 private:
  struct Started {
    base::Result<std::size_t> number;
    Claim claim;
    std::chrono::steady_clock::time_point since;
  };
  base::Processes processes_;
  Claims claims_;
  std::map<std::string, Started> started_;  ///< by command_slug
};

}  // namespace gpuwright::host
