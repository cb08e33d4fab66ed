// A quantity gives up its unit only where one asks for it by name.
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#ifdef CONTROL
double percent = gpuwright::base::Percent{40.0}.count();
#else
double percent = gpuwright::base::Percent{40.0};
#endif
