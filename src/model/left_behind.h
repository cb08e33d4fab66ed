// A process of ours that waits in the kernel and cannot be ended: a call of a hanging driver, a file of a
// sick device. It goes when the driver answers or the machine restarts; until then nothing more is asked
// there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace gpuwright::model {

struct LeftBehind {
  std::string what;  ///< what it asked: "GPU 3", "NVML", a path
  std::string pci;   ///< "0000:3b:00.0", where it is about a GPU and known
  std::int64_t pid = 0;
  std::int64_t since_ms = 0;  ///< unix time
};

}  // namespace gpuwright::model
