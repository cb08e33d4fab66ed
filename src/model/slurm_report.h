// What Slurm says about nodes and jobs: sinfo, scontrol, squeue. Tables cut the reason to 20 characters,
// scontrol prints all of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"

#include <string>
#include <vector>

namespace gpuwright::model {

struct SlurmNode {
  std::string name;  ///< "n1", or a list "n[1-4]" as printed
  std::string
      state;  ///< as printed in lower case ("drain", "down*", "idle+drain"); empty where the table has none
  std::string reason;  ///< empty: none given
  std::string since;
  std::vector<std::string> partitions;  ///< of `scontrol show node`
  Evidence evidence;                    ///< the reason's line, else the state's
};

struct SlurmJob {
  std::string id;
  std::string state;   ///< "PENDING", "R", ...
  std::string reason;  ///< "ReqNodeNotAvail, UnavailableNodes:n1"
  std::string nodes;   ///< "n1", "n[1-4]"; empty where the table has none
  Evidence evidence;
};

}  // namespace gpuwright::model
