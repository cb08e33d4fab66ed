// The reader of fakegpu's scenarios over arbitrary text, and what its lines do to the simulated machine.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "fakegpu/scenario.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace gpuwright;

const std::vector<fakegpu::Board>& boards() {
  static const std::vector<fakegpu::Board>* const all = [] {
    auto read = fakegpu::boards_from(fakegpu::boards_csv());
    if (!read.ok()) std::abort();
    return new std::vector<fakegpu::Board>(std::move(read).value());
  }();
  return *all;
}

/// What every call reads of a GPU.
void look_at(const fakegpu::World& world, double now) {
  for (const auto& gpu : world.gpus) {
    for (const auto& name : fakegpu::quantity_names()) (void)fakegpu::quantity(gpu, name, now);
    (void)fakegpu::clock_reasons(gpu, now);
    (void)fakegpu::used_bytes(gpu);
    (void)fakegpu::serial_of(gpu);
    for (const auto& slice : gpu.slices) (void)fakegpu::slice_bytes(gpu, slice);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::own_copy(data, size);
  auto scenario = fakegpu::read_scenario(text, "fuzz", boards());
  if (!scenario.ok()) return 0;
  for (const auto& action : scenario->actions) {
    action.effect(scenario->world, action.at);
    look_at(scenario->world, action.at);
  }
  // The same lines again, as a control file gives them.
  for (const auto line : base::lines(text)) {
    const auto effect = fakegpu::read_line(line, scenario->world);
    if (effect.ok()) (*effect)(scenario->world, 1e6);
  }
  look_at(scenario->world, 1e6);
  return 0;
}
