// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/commands.h"

#include "base/process.h"

namespace gpuwright::host {

base::Result<CommandAnswer> run_command(const std::vector<std::string>& argv,
                                        std::chrono::milliseconds deadline) {
  base::ProcessOptions options;
  options.deadline = deadline;
  GPUWRIGHT_TRY(auto result, base::run_process(argv, options));
  CommandAnswer answer;
  answer.status = result.status;
  answer.signal = result.signal;
  answer.timed_out = result.timed_out;
  answer.output_cut = result.output_cut;
  answer.output = std::move(result.output);
  answer.errors = std::move(result.errors);
  return answer;
}

}  // namespace gpuwright::host
