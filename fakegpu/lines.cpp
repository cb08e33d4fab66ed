// What a line of a scenario or of the control file does: one function a word, each reads its arguments whole
// before anything changes.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "fakegpu/gpu_lines.h"
#include "fakegpu/scenario.h"
#include "fakegpu/words.h"

#include <algorithm>

namespace gpuwright::fakegpu {
namespace {

/// Which GPUs a line is about.
base::Result<std::vector<std::uint32_t>> read_gpus(std::string_view word, const World& world) {
  std::vector<std::uint32_t> gpus;
  if (word == "all") {
    for (const auto& gpu : world.gpus) gpus.push_back(gpu.index);
    return gpus;
  }
  const auto number = base::parse_int(word);
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(world.gpus.size())) {
    return wrong(quoted(word) + " is no GPU of this scenario; it has " + std::to_string(world.gpus.size()) +
                 ", numbered from 0, or write all");
  }
  gpus.push_back(static_cast<std::uint32_t>(*number));
  return gpus;
}

base::Result<Effect> on_gpus(const std::vector<std::uint32_t>& gpus, const Words& words, const World& world) {
  std::vector<std::pair<std::uint32_t, GpuEffect>> effects;
  for (const auto index : gpus) {
    GPUWRIGHT_TRY(GpuEffect effect, read_gpu_words(words, world.gpus[index]));
    effects.emplace_back(index, std::move(effect));
  }
  return Effect([effects](World& changed, double now) {
    for (const auto& [index, effect] : effects) {
      Gpu& gpu = changed.gpus[index];
      settle(gpu, now);
      effect(changed, gpu, now);
    }
  });
}

/// "gpu 3 ..." and the forms that need no "gpu": "mig 0 ...", "process 2 ...".
base::Result<Effect> read_for_gpu(const Words& words, const World& world) {
  if (words.size() < 3) return wrong("write: " + std::string(words[0]) + " NUMBER and what it is");
  GPUWRIGHT_TRY(const auto gpus, read_gpus(words[1], world));
  Words rest(words.begin() + 2, words.end());
  if (words[0] != "gpu") rest.insert(rest.begin(), words[0]);
  return on_gpus(gpus, rest, world);
}

base::Result<Effect> read_load(const Words& words, const World& world) {
  GPUWRIGHT_TRY(const auto gpus, read_gpus("all", world));
  return on_gpus(gpus, words, world);
}

base::Result<Effect> read_lock(const Words& words, const World&) {
  double seconds = kForever;
  if (words.size() > 2) return wrong("write: driver-lock, or driver-lock TIME");
  if (words.size() == 2) {
    GPUWRIGHT_TRY(seconds, read_seconds(words[1]));
  }
  return Effect([seconds](World& world, double now) { world.locked_until = now + seconds; });
}

base::Result<Effect> read_driver_stuck(const Words& words, const World&) {
  if (words.size() != 2) return wrong("write: driver-stuck PATH, or driver-stuck none");
  const std::string file(words[1] == "none" ? "" : words[1]);
  return Effect([file](World& world, double) { world.locked_file = file; });
}

using Reader = base::Result<Effect> (*)(const Words&, const World&);

struct Verb {
  const char* word;
  Reader read;
};

constexpr Verb kVerbs[] = {
    {"gpu", read_for_gpu}, {"mig", read_for_gpu},      {"process", read_for_gpu},
    {"load", read_load},   {"driver-lock", read_lock}, {"driver-stuck", read_driver_stuck},
};

}  // namespace

base::Result<Effect> read_line(std::string_view line, const World& world) {
  const auto words = base::words(line);
  if (words.empty()) return wrong("the line is empty");
  for (const auto& verb : kVerbs) {
    if (words[0] == verb.word) return verb.read(words, world);
  }
  return wrong(
      quoted(words[0]) +
      " means nothing here; a line begins with gpu, load, mig, process, driver-lock or driver-stuck");
}

}  // namespace gpuwright::fakegpu
