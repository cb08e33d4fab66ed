// What a framework says when the GPU's memory is used up. The report's own numbers tell why: more asked than
// the GPU has, memory kept in pieces, memory held by others. Source: PyTorch
// c10/cuda/CUDACachingAllocator.cpp, XLA BFC allocator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "model/field.h"

#include <cstdint>
#include <string>

namespace gpuwright::model {

struct MemoryReport {
  std::string framework;  ///< "torch", "tf" or "jax"
  Field<std::int64_t> gpu_index;
  Field<base::Bytes> asked;          ///< the allocation that failed
  Field<base::Bytes> total;          ///< capacity of the GPU
  Field<base::Bytes> free;           ///< free on the GPU
  Field<base::Bytes> in_use;         ///< by this process, with what PyTorch does not know of
  Field<base::Bytes> others;         ///< by other processes that the report names
  Field<base::Bytes> allocated;      ///< live tensors
  Field<base::Bytes> private_pools;  ///< part of `allocated` (CUDA graphs)
  Field<base::Bytes> unallocated;    ///< reserved by PyTorch, not in use
  Field<base::Bytes> allowed;        ///< the process's own limit
};

}  // namespace gpuwright::model
