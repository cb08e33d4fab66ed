// Opening and closing the library, and what it says about itself.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "fakegpu/exports.h"
#include "fakegpu/simulator.h"

namespace gpuwright::host::nvml {

using fakegpu::put;
using fakegpu::put_text;
using fakegpu::Simulator;
using fakegpu::World;

namespace {

/// "12.8" as 12080.
std::int32_t cuda_number(const std::string& version) {
  const auto parts = base::split(version, '.');
  const auto major = base::parse_int(parts.front()).value_or(0);
  const auto minor = parts.size() > 1 ? base::parse_int(parts[1]).value_or(0) : 0;
  return static_cast<std::int32_t>(major * 1000 + minor * 10);
}

/// Null when none of the GPUs has it.
const fakegpu::Process* process_of(const World& world, std::uint32_t pid) {
  for (const auto& gpu : world.gpus) {
    for (const auto& process : gpu.processes) {
      if (process.pid == pid) return &process;
    }
  }
  return nullptr;
}

}  // namespace

extern "C" {

Return nvmlInit_v2() {
  return Simulator::instance().init();
}

Return nvmlInit() {
  return nvmlInit_v2();
}

Return nvmlInitWithFlags(std::uint32_t) {
  return nvmlInit_v2();
}

Return nvmlShutdown() {
  return Simulator::instance().shutdown();
}

Return nvmlSystemGetDriverVersion(char* version, std::uint32_t length) {
  return Simulator::instance().ask_system(
      __func__, [&](World& world, double) { return put_text(version, length, world.driver); });
}

Return nvmlSystemGetNVMLVersion(char* version, std::uint32_t length) {
  return Simulator::instance().ask_system(__func__, [&](World& world, double) {
    return put_text(version, length, world.cuda.substr(0, world.cuda.find('.')) + "." + world.driver);
  });
}

Return nvmlSystemGetCudaDriverVersion_v2(std::int32_t* version) {
  return Simulator::instance().ask_system(
      __func__, [&](World& world, double) { return put(version, cuda_number(world.cuda)); });
}

Return nvmlSystemGetCudaDriverVersion(std::int32_t* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

Return nvmlSystemGetProcessName(std::uint32_t pid, char* name, std::uint32_t length) {
  return Simulator::instance().ask_system(__func__, [&](World& world, double) {
    const fakegpu::Process* process = process_of(world, pid);
    return process == nullptr ? Return::NotFound : put_text(name, length, process->name);
  });
}

}  // extern "C"
}  // namespace gpuwright::host::nvml

const char* gpuwright_fakegpu_scenario() {
  return gpuwright::fakegpu::Simulator::instance().scenario();
}
