// A temperature added to a power means nothing.
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

using gpuwright::base::Celsius;
using gpuwright::base::Watts;
#ifdef CONTROL
auto sum = Watts{300.0} + Watts{50.0};
#else
auto sum = Watts{300.0} + Celsius{50.0};
#endif
