// What a vendor asks for before a GPU is replaced, on one page: which part it is, its firmware, what it did,
// which rule was met, what was tried, and what is still missing. Source: NVIDIA GPU memory error management
// guide and RMA process pages; server vendors ask for the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/finding.h"
#include "model/machine.h"

#include <string>

namespace gpuwright::report {

/// True when a finding asks for a replacement, now or if the fault returns.
bool asks_for_replacement(const model::Finding& finding, const catalog::Catalog& catalog);

/// The page for all GPUs, or for the one with that address, index or UUID; English, as vendors ask. It names
/// serial numbers: that is its purpose. `created` is UTC time.
std::string render_rma_text(const model::Machine& machine, const model::Diagnosis& diagnosis,
                            const catalog::Catalog& catalog, const std::string& gpu,
                            const std::string& created);

/// True when the machine has a GPU of that address, index or UUID.
bool has_gpu_named(const model::Machine& machine, const std::string& gpu);

}  // namespace gpuwright::report
