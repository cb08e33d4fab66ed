// An NVSwitch error number is no GPU error number: SXid 79 and Xid 79 have nothing in common.
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

using gpuwright::base::Sxid;
using gpuwright::base::Xid;
#ifdef CONTROL
bool same = Xid{79} == Xid{79};
#else
bool same = Xid{79} == Sxid{79};
#endif
