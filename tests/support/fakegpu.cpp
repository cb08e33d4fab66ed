// Opening the simulated library. Its environment is set anew for each scenario.
// SPDX-License-Identifier: Apache-2.0
#include "support/fakegpu.h"

#include "support/paths.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace gpuwright::tests {

FakeGpu::FakeGpu(const std::string& scenario, const std::string& variant) {
  ::unsetenv("GPUWRIGHT_FAKEGPU");
  if (!scenario.empty()) ::setenv("GPUWRIGHT_FAKEGPU", folder_.write("scenario", scenario).c_str(), 1);
  ::setenv("GPUWRIGHT_FAKEGPU_CONTROL", folder_.write("control", "").c_str(), 1);
  ::setenv("GPUWRIGHT_FAKEGPU_KMSG", folder_.write("kmsg", "").c_str(), 1);
  const std::string path = fakegpu_folder() + variant + "/libnvidia-ml.so.1";
  library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library_, nullptr) << ::dlerror();
  if (library_ != nullptr) opened_ = find<decltype(nvml::nvmlInit_v2)>("nvmlInit_v2")();
}

FakeGpu::~FakeGpu() {
  if (library_ == nullptr) return;
  if (opened_ == nvml::Return::Success) find<decltype(nvml::nvmlShutdown)>("nvmlShutdown")();
  ::dlclose(library_);
}

void* FakeGpu::address(const char* name) const {
  return ::dlsym(library_, name);
}

nvml::Device FakeGpu::gpu(std::uint32_t index) const {
  nvml::Device device = nullptr;
  find<decltype(nvml::nvmlDeviceGetHandleByIndex_v2)>("nvmlDeviceGetHandleByIndex_v2")(index, &device);
  return device;
}

void FakeGpu::control(const std::string& line) const {
  std::ofstream(folder_.path() + "/control", std::ios::app) << line << "\n";
}

std::string FakeGpu::kernel_log() const {
  return read_file(folder_.path() + "/kmsg");
}

std::int64_t FakeGpu::number(const char* call, std::uint32_t index) const {
  std::uint64_t value = 0;  // room for the wider ones, too
  const auto result = find<decltype(nvml::nvmlDeviceGetTotalEnergyConsumption)>(call)(gpu(index), &value);
  return result == nvml::Return::Success ? static_cast<std::int64_t>(value)
                                         : -static_cast<std::int64_t>(result);
}

std::int64_t FakeGpu::celsius(std::uint32_t index) const {
  std::uint32_t value = 0;
  const auto result =
      find<decltype(nvml::nvmlDeviceGetTemperature)>("nvmlDeviceGetTemperature")(gpu(index), 0, &value);
  return result == nvml::Return::Success ? value : -static_cast<std::int64_t>(result);
}

std::string FakeGpu::text(const char* call, std::uint32_t index, nvml::Return* result) const {
  char buffer[256] = "";
  const auto got = find<decltype(nvml::nvmlDeviceGetName)>(call)(gpu(index), buffer, sizeof buffer);
  if (result != nullptr) *result = got;
  return buffer;
}

}  // namespace gpuwright::tests
