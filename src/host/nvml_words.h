// What each return code of NVML means, in the words that nvidia-smi prints: whoever knows them from there is
// understood here. For host/ and for the simulated library alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_abi.h"

namespace gpuwright::host::nvml {

/// Why a GPU was not asked: another run does so, and is well.
inline constexpr const char* kBusy = "asked by another look at this moment";

struct ReturnWords {
  Return code;
  const char* words;
};

inline constexpr ReturnWords kReturnWords[] = {
    {Return::Success, "Success"},
    {Return::Uninitialized, "Uninitialized"},
    {Return::InvalidArgument, "Invalid Argument"},
    {Return::NotSupported, "Not Supported"},
    {Return::NoPermission, "Insufficient Permissions"},
    {Return::AlreadyInitialized, "Already Initialized"},
    {Return::NotFound, "Not Found"},
    {Return::InsufficientSize, "Insufficient Size"},
    {Return::InsufficientPower, "Insufficient External Power"},
    {Return::DriverNotLoaded, "Driver Not Loaded"},
    {Return::Timeout, "Timeout"},
    {Return::IrqIssue, "Interrupt Request Issue"},
    {Return::LibraryNotFound, "NVML Shared Library Not Found"},
    {Return::FunctionNotFound, "Function Not Found"},
    {Return::CorruptedInforom, "Corrupted infoROM"},
    {Return::GpuIsLost, "GPU is lost"},
    {Return::ResetRequired, "GPU requires reset"},
    {Return::OperatingSystem, "GPU access blocked by the operating system"},
    {Return::LibRmVersionMismatch, "Driver/library version mismatch"},
    {Return::InUse, "In use by another client"},
    {Return::Memory, "Insufficient Memory"},
    {Return::NoData, "No data"},
    {Return::VgpuEccNotSupported, "vGPU ECC is not supported"},
    {Return::InsufficientResources, "Insufficient resources"},
    {Return::FreqNotSupported, "Frequency is not supported"},
    {Return::ArgumentVersionMismatch, "Argument version mismatch"},
    {Return::Deprecated, "Deprecated"},
    {Return::NotReady, "Not ready"},
    {Return::GpuNotFound, "GPU not found"},
    {Return::InvalidState, "Invalid state"},
};

/// "GPU is lost" and the like; "Unknown Error" for a code that we do not know.
constexpr const char* words_of(Return result) {
  for (const auto& row : kReturnWords) {
    if (row.code == result) return row.words;
  }
  return "Unknown Error";
}

}  // namespace gpuwright::host::nvml
