// What the words behind "gpu 3" do to that GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "fakegpu/words.h"
#include "fakegpu/world.h"

#include <functional>

namespace gpuwright::fakegpu {

/// Changes one GPU at a time; the GPU is settled up to then.
using GpuEffect = std::function<void(World& world, Gpu& gpu, double now)>;

/// Reads the words behind the GPU's number. Malformed with what to write; also when this GPU's board has not
/// what they are about.
base::Result<GpuEffect> read_gpu_words(const Words& words, const Gpu& gpu);

}  // namespace gpuwright::fakegpu
