// What a bandwidth test measured. Source: nccl-tests (tables of algorithm and bus bandwidth), nvbandwidth
// (one matrix for each test).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <string>

namespace gpuwright::model {

struct BenchReport {
  std::string tool;       ///< "nccl-tests" or "nvbandwidth"
  std::string test;       ///< "all_reduce", "host_to_device_memcpy_ce"; empty: not told
  std::string gpu_model;  ///< as printed: "NVIDIA H100 80GB HBM3"
  Field<std::int64_t> ranks;
  Field<std::int64_t> nodes;
  Field<std::int64_t> size_bytes;  ///< of the row that `gb_per_s` comes from (the largest)
  Field<double> gb_per_s;          ///< bus bandwidth, or the lowest cell of the matrix
  Field<std::int64_t> wrong;       ///< wrong elements in all rows
  Field<double>
      typical_gb_per_s;     ///< the median of the matrix row that `gb_per_s` comes from, of three or more
  std::string slowest_gpu;  ///< the address of the GPU that `gb_per_s` belongs to; empty: not told
  Evidence evidence;
};

}  // namespace gpuwright::model
