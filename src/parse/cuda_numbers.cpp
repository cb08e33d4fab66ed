// Some printers give a CUDA error only as a number ("Cuda failure 802", "cudaGetDeviceCount returned 35").
// The numbers of the runtime and of the driver API agree since CUDA 10.1. Source: CUDA Runtime API,
// cudaError; CUDA Driver API, CUresult.
// SPDX-License-Identifier: Apache-2.0
#include "parse/cuda_numbers.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace gpuwright::parse {

namespace {

/// A number, the signal it means and the words a printer puts beside it. A line with the words is read by a
/// signature of its own, so that it is not counted twice.
struct CudaNumber {
  std::int64_t code;
  const char* signal;
  const char* words;
};

constexpr std::array<CudaNumber, 50> kNumbers = {{
    {1, "cuda.invalid_use", "cudaErrorInvalidValue"},
    {2, "oom.cuda", "out of memory"},
    {3, "cuda.initialization_error", "initialization error"},
    {34, "cuda.stub_library", "stub library"},
    {35, "cuda.driver_too_old", "is insufficient for CUDA runtime version"},
    {46, "cuda.devices_busy", "busy or unavailable"},
    {98, "cuda.no_kernel_image", "cudaErrorInvalidDeviceFunction"},
    {100, "cuda.no_device", "no CUDA-capable device is detected"},
    {101, "cuda.invalid_device_ordinal", "'invalid device ordinal'"},
    {200, "cuda.no_kernel_image", "device kernel image is invalid"},
    {201, "cuda.invalid_use", "CUDA_ERROR_INVALID_CONTEXT"},
    {209, "cuda.no_kernel_image", "no kernel image is available"},
    {214, "cuda.fault.ecc_uncorrectable", "uncorrectable ECC error encountered"},
    {217, "cuda.peer_access_failed", "peer access is not supported"},
    {218, "cuda.invalid_ptx", "a PTX JIT compilation failed"},
    {220, "cuda.fault.nvlink_uncorrectable", "uncorrectable NVLink error"},
    {221, "cuda.invalid_ptx", "PTX JIT compiler library not found"},
    {222, "cuda.unsupported_ptx", "unsupported toolchain"},
    {226, "cuda.fault.contained_error", "Invalid access of peer GPU memory"},
    {303, "cuda.libcuda_missing", "libcuda.so"},
    {304, "cuda.os_call_failed", "OS call failed"},
    {400, "cuda.invalid_use", "cudaErrorInvalidResourceHandle"},
    {700, "cuda.fault.illegal_address", "an illegal memory access"},
    {701, "cuda.launch_out_of_resources", "too many resources requested"},
    {702, "cuda.fault.launch_timeout", "the launch timed out"},
    {709, "cuda.invalid_use", "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {710, "cuda.device_assert", "device-side assert triggered"},
    {711, "cuda.peer_access_failed", "peer mapping resources exhausted"},
    {714, "cuda.fault.kernel_exception", "hardware stack error"},
    {715, "cuda.fault.illegal_instruction", "an illegal instruction"},
    {716, "cuda.fault.misaligned_address", "'misaligned address'"},
    {717, "cuda.fault.kernel_exception", "on global/shared address space"},
    {718, "cuda.fault.kernel_exception", "cudaErrorInvalidPc"},
    {719, "cuda.fault.launch_failure", "unspecified launch failure"},
    {720, "cuda.launch_out_of_resources", "too many blocks in cooperative launch"},
    {721, "cuda.fault.kernel_exception", "tensor memory not completely freed"},
    {800, "cuda.not_permitted", "cudaErrorNotPermitted"},
    {801, "cuda.not_supported", "cudaErrorNotSupported"},
    {802, "cuda.error_802", "system not yet initialized"},
    {803, "cuda.error_803", "driver / cuda driver combination"},
    {804, "cuda.error_804", "forward compatibility was attempted"},
    {805, "cuda.mps_failed", "MPS client failed"},
    {806, "cuda.mps_failed", "the MPS server failed"},
    {807, "cuda.mps_failed", "MPS server is not ready"},
    {808, "cuda.mps_failed", "cudaErrorMps"},
    {809, "cuda.mps_failed", "cudaErrorMps"},
    {810, "cuda.mps_failed", "cudaErrorMps"},
    {901, "cuda.invalid_use", "during capture"},
    {906, "cuda.invalid_use", "stream is capturing"},
    {999, "cuda.error_999", "unknown error"},
}};

const CudaNumber* find_number(std::int64_t code) {
  const auto at = std::find_if(kNumbers.begin(), kNumbers.end(),
                               [&](const CudaNumber& number) { return number.code == code; });
  return at == kNumbers.end() ? nullptr : &*at;
}

std::int64_t code_of(const Match& match) {
  return base::parse_int(match.capture("code")).value_or(0);
}

std::uint64_t cuda_number_key(const Match& match) {
  return static_cast<std::uint64_t>(code_of(match));
}

std::vector<model::Event> decode_cuda_number(const Match& match, const catalog::Catalog&) {
  const std::int64_t code = code_of(match);
  if (code <= 0) return {};
  const CudaNumber* number = find_number(code);
  if (number != nullptr && base::contains(match.line, number->words)) return {};
  model::Event event;
  event.signal = number == nullptr ? "cuda.symptom.other" : number->signal;
  event.params["code"] = std::to_string(code);
  return {std::move(event)};
}

}  // namespace

const Decoder kCudaNumberDecoder{"cuda-number", cuda_number_key, decode_cuda_number};

}  // namespace gpuwright::parse
