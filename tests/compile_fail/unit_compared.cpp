// Bytes and bytes per second do not compare.
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

using gpuwright::base::Bytes;
using gpuwright::base::BytesPerSecond;
#ifdef CONTROL
bool more = Bytes{2} > Bytes{1};
#else
bool more = Bytes{2} > BytesPerSecond{1.0};
#endif
