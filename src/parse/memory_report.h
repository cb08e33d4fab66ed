// The decoder "memory-report": out-of-memory reports of PyTorch (all generations of the message), TensorFlow
// and JAX.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/memory_report.h"
#include "parse/decoder.h"

#include <optional>
#include <string_view>

namespace gpuwright::parse {

/// An amount at the start of the text: "2.16 GiB", "0 bytes", "15.78G", "2.20GiB", "17179869184 bytes". G, M
/// and K without "iB" count in 1024 as well (that is how the printers compute them). Nothing if no number and
/// unit lead.
std::optional<base::Bytes> parse_amount(std::string_view text);

/// Reads one report. Fields that the line does not tell are absent.
model::MemoryReport parse_memory_report(std::string_view line);

/// Raises oom.torch, oom.tf or oom.jax, one event for each framework and GPU. Amounts stand in bytes in the
/// params asked, total, free, in_use, others, allocated, private_pools, unallocated, allowed.
extern const Decoder kMemoryReportDecoder;

}  // namespace gpuwright::parse
