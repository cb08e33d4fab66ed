// A simulated NVML library, opened as a program would open the real one, with a scenario of the test's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/nvml_calls.h"
#include "host/nvml_legacy.h"

#include "support/run.h"

#include <cstdint>
#include <string>

namespace gpuwright::tests {

namespace nvml = host::nvml;

class FakeGpu {
 public:
  /// Plays the scenario (empty: the default one). `variant` is a folder below the library's, such as "/r470".
  explicit FakeGpu(const std::string& scenario, const std::string& variant = {});
  ~FakeGpu();
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  nvml::Return opened() const { return opened_; }
  /// The entry point, or null: FakeGpu::find<decltype(nvml::nvmlShutdown)>("nvmlShutdown").
  template <class Call>
  Call* find(const char* name) const {
    return reinterpret_cast<Call*>(address(name));
  }
  void* address(const char* name) const;

  nvml::Device gpu(std::uint32_t index) const;
  /// Adds a line to the control file.
  void control(const std::string& line) const;
  std::string kernel_log() const;
  const TempFolder& folder() const { return folder_; }

  /// A call that fills one number of a GPU; -code where it fails.
  std::int64_t number(const char* call, std::uint32_t index) const;
  std::int64_t celsius(std::uint32_t index) const;
  std::string text(const char* call, std::uint32_t index, nvml::Return* result = nullptr) const;

 private:
  TempFolder folder_;
  void* library_ = nullptr;
  nvml::Return opened_ = nvml::Return::Unknown;
};

}  // namespace gpuwright::tests
