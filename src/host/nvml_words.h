// What each return code of NVML means, in the words that nvidia-smi prints: whoever knows them from there is
// understood here. For host/ and for the simulated library alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_abi.h"

namespace gpuwright::host::nvml {

/// "GPU is lost" and the like; "Unknown Error" for a code that we do not know.
constexpr const char* words_of(Return result) {
  switch (result) {
    case Return::Success:
      return "Success";
    case Return::Uninitialized:
      return "Uninitialized";
    case Return::InvalidArgument:
      return "Invalid Argument";
    case Return::NotSupported:
      return "Not Supported";
    case Return::NoPermission:
      return "Insufficient Permissions";
    case Return::AlreadyInitialized:
      return "Already Initialized";
    case Return::NotFound:
      return "Not Found";
    case Return::InsufficientSize:
      return "Insufficient Size";
    case Return::InsufficientPower:
      return "Insufficient External Power";
    case Return::DriverNotLoaded:
      return "Driver Not Loaded";
    case Return::Timeout:
      return "Timeout";
    case Return::IrqIssue:
      return "Interrupt Request Issue";
    case Return::LibraryNotFound:
      return "NVML Shared Library Not Found";
    case Return::FunctionNotFound:
      return "Function Not Found";
    case Return::CorruptedInforom:
      return "Corrupted infoROM";
    case Return::GpuIsLost:
      return "GPU is lost";
    case Return::ResetRequired:
      return "GPU requires reset";
    case Return::OperatingSystem:
      return "GPU access blocked by the operating system";
    case Return::LibRmVersionMismatch:
      return "Driver/library version mismatch";
    case Return::InUse:
      return "In use by another client";
    case Return::Memory:
      return "Insufficient Memory";
    case Return::NoData:
      return "No data";
    case Return::VgpuEccNotSupported:
      return "vGPU ECC is not supported";
    case Return::InsufficientResources:
      return "Insufficient resources";
    case Return::FreqNotSupported:
      return "Frequency is not supported";
    case Return::ArgumentVersionMismatch:
      return "Argument version mismatch";
    case Return::Deprecated:
      return "Deprecated";
    case Return::NotReady:
      return "Not ready";
    case Return::GpuNotFound:
      return "GPU not found";
    case Return::InvalidState:
      return "Invalid state";
    case Return::Unknown:
      return "Unknown Error";
    default:
      return "Unknown Error";
  }
}

}  // namespace gpuwright::host::nvml
