// The side of NVML that may hang: runs in a worker process, asks, and writes each question before it asks,
// each answer when it has come. Lines: "hTEXT" a fact of the whole; "gN" GPU N begins; "eKIND TEXT" the
// library cannot be opened; "?KEY CALL" a question; "=RETURN MICROSECONDS TEXT" its answer; "+TEXT" one line
// of a list's answer; "." the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace gpuwright::host::nvml {

/// Asks about the GPUs with these NVML indices, or about all when there are none, and writes to `fd`. Returns
/// when all is written, or when `fd` does not take more.
void run_probe(int fd, const std::vector<std::uint32_t>& gpus);

}  // namespace gpuwright::host::nvml
