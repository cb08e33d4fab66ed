// Bundles of written machines, packed as `gpuwright capture` packs a living one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/machine.h"

#include <string>
#include <vector>

namespace gpuwright::tests {

/// Writes the bundle, redacted, with the texts as further inputs (none for empty ones).
void write_bundle_of(const WrittenMachine& machine, const std::vector<std::string>& inputs,
                     const std::string& path);

}  // namespace gpuwright::tests
