// The words behind "gpu 3" that are about its health: memory errors and their repair, throttling, links.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fakegpu/gpu_lines.h"

namespace gpuwright::fakegpu {

base::Result<GpuEffect> read_ecc(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_remap(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_retire(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_throttle(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_nvlink(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_pcie(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_xid(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_fabric(const Words& words, const Gpu& gpu);
base::Result<GpuEffect> read_recovery(const Words& words, const Gpu& gpu);
/// vbios, serial, uuid: a text of one word.
base::Result<GpuEffect> read_text(const Words& words, const Gpu& gpu);

}  // namespace gpuwright::fakegpu
