// A failure must be looked at.
// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#pragma GCC diagnostic error "-Wunused-result"
gpuwright::base::Status save();
#ifdef CONTROL
bool call() {
  return save().ok();
}
#else
void call() {
  save();
}
#endif
