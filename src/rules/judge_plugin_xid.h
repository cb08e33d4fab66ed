// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rules/judge.h"

namespace gpuwright::rules {

/// An Xid that only the device plugin tells of: `xid.CODE` on the GPU that it names.
std::vector<model::Event> judge_plugin_xid(const model::Observations& observations,
                                           const catalog::Catalog& catalog);

}  // namespace gpuwright::rules
