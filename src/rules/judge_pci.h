// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

namespace gpuwright::rules {

extern const Judge kJudge_pci;

}  // namespace gpuwright::rules
