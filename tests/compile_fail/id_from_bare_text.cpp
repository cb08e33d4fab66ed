// Any text is not a cause.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <string>

void report(const gpuwright::base::CauseId& cause);
#ifdef CONTROL
void call() {
  report(gpuwright::base::CauseId{std::string("gpu-lost-from-bus")});
}
#else
void call() {
  report(std::string("gpu-lost-from-bus"));
}
#endif
