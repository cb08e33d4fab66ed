// A bare number is no power: which unit would it have?
// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#ifdef CONTROL
gpuwright::base::Watts limit{700.0};
#else
gpuwright::base::Watts limit = 700.0;
#endif
