// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/hand.h"

#include "host/commands.h"

namespace gpuwright::host {

base::Result<CommandAnswer> Hand::run(const std::vector<std::string>& argv,
                                      std::chrono::milliseconds deadline) {
  auto answer = act(argv, deadline);
  deeds_.push_back(Deed{argv, answer.ok()});
  return answer;
}

base::Result<CommandAnswer> LiveHand::act(const std::vector<std::string>& argv,
                                          std::chrono::milliseconds deadline) {
  return run_command(argv, deadline);
}

base::Result<CommandAnswer> RefusingHand::act(const std::vector<std::string>& argv,
                                              std::chrono::milliseconds /*deadline*/) {
  return base::make_error(base::ErrorKind::Conflict, "nothing is changed", argv.empty() ? "" : argv.front());
}

}  // namespace gpuwright::host
