// `gpuwright explain`: the catalog entry behind an id, a code or an error text.
// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.h"
#include "app/knowledge.h"

namespace gpuwright::app {

int run_explain(const std::vector<std::string>& arguments, const Console& console) {
  CommandLine line("explain", "Explain a code, cause, signal or error text.");
  if (const std::optional<int> code = line.parse(arguments, console)) return *code;
  return kUsage;
}

}  // namespace gpuwright::app
