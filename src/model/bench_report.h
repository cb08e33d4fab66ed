// What a bandwidth test measured. Source: nccl-tests (tables of algorithm and bus bandwidth), nvbandwidth
// (one matrix for each test), perftest (one row for each message size).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/event.h"
#include "model/field.h"

#include <cstdint>
#include <string>

namespace gpuwright::model {

struct BenchReport {
  std::string tool;       ///< "nccl-tests", "nvbandwidth" or "perftest"
  std::string test;       ///< "all_reduce", "host_to_device_memcpy_ce"; empty: not told
  std::string gpu_model;  ///< as printed: "NVIDIA H100 80GB HBM3"
  std::string device;     ///< perftest: "mlx5_0"
  Field<std::int64_t> ranks;
  Field<std::int64_t> nodes;
  Field<std::int64_t> size_bytes;  ///< of the row that `gb_per_s` comes from (the largest)
  Field<double> gb_per_s;          ///< bus bandwidth, or the lowest cell of the matrix
  Field<double> gbit_per_s;        ///< perftest: the best average of all sizes
  Field<std::int64_t> wrong;       ///< wrong elements in all rows
  Field<double>
      typical_gb_per_s;     ///< the median of the matrix row that `gb_per_s` comes from, of three or more
  std::string slowest_gpu;  ///< the address of the GPU that `gb_per_s` belongs to; empty: not told
  Evidence evidence;
};

}  // namespace gpuwright::model
