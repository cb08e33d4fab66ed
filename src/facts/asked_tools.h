// Which tools the collectors ask in any case, so that they can run beside each other while files are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "facts/collector.h"
#include "host/source.h"

#include <vector>

namespace gpuwright::facts {

/// What the collectors would run on a machine of which nothing can be read. What they ask only after
/// something was found (`modinfo` of an installed kernel) is not among them.
std::vector<host::ToolCall> asked_tools(const catalog::Catalog& catalog, Extent extent);

}  // namespace gpuwright::facts
