// DCGM names its findings by code (DCGM_FR_...) in logs and by sentence in tables. Both lead to the same
// signal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/observations.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::parse {

/// The signal of a code like "DCGM_FR_NVLINK_DOWN"; "dcgm.failure" for one the table does not know.
std::string dcgm_signal_of_code(std::string_view code);

/// The signal of a sentence of DCGM; empty when it says nothing the table knows.
std::string dcgm_signal_of_message(std::string_view message);

/// The GPU a sentence names: "GPU 3", "GPU:3", "GPU3".
std::optional<std::int64_t> dcgm_gpu_of_message(std::string_view message);

/// The Xid a sentence names: "Detected XID 95 for GPU 0", "last Xid on GPU 1: 120".
std::optional<std::int64_t> dcgm_xid_of_message(std::string_view message);

/// Adds results as they stand in a table or a document; a bad one gets from its message the signal and the
/// GPU that it has not got yet. True when there was one.
bool add_dcgm_results(std::vector<model::DcgmResult>& results, model::Observations& out);

}  // namespace gpuwright::parse
