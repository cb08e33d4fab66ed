// The decoder "cuda-number": CUDA errors that are printed as a bare number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parse/decoder.h"

namespace gpuwright::parse {

/// Raises the signal that the captured `code` means, one event for each number. Nothing for 0, and nothing
/// where the line also carries the error's own words (a signature reads those). An unknown number is
/// cuda.symptom.other.
extern const Decoder kCudaNumberDecoder;

}  // namespace gpuwright::parse
