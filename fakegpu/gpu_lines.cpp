// One function for each word that may stand behind "gpu 3".
// SPDX-License-Identifier: Apache-2.0
#include "fakegpu/gpu_lines.h"

#include "fakegpu/health_lines.h"

#include <algorithm>

namespace gpuwright::fakegpu {
namespace {

base::Result<GpuEffect> read_lost(const Words&, const Gpu&) {
  return GpuEffect([](World& world, Gpu& gpu, double now) { raise_xid(world, gpu, 79, "", now); });
}

/// The GPU as it came up, after a reset or a reboot: faults gone, aggregate counts kept.
base::Result<GpuEffect> read_reset(const Words&, const Gpu&) {
  return GpuEffect([](World&, Gpu& gpu, double now) {
    Gpu fresh = make_gpu(*gpu.board, gpu.index, gpu.bus);
    fresh.texts = gpu.texts;
    fresh.changed = now;
    fresh.dram = gpu.dram;
    fresh.sram = gpu.sram;
    for (auto* counts : {&fresh.dram, &fresh.sram}) (*counts)[0][0] = (*counts)[1][0] = 0;
    fresh.remapped_corrected = gpu.remapped_corrected;
    fresh.remapped_uncorrected = gpu.remapped_uncorrected;
    fresh.remap_failed = gpu.remap_failed;
    fresh.retired_single = gpu.retired_single;
    fresh.retired_double = gpu.retired_double;
    gpu = std::move(fresh);
  });
}

base::Result<GpuEffect> read_load(const Words& words, const Gpu&) {
  if (words.size() != 2) return wrong("write: load PERCENT");
  GPUWRIGHT_TRY(const std::uint32_t percent, read_count(words[1], 100));
  return GpuEffect([percent](World&, Gpu& gpu, double) { gpu.load = percent / 100.0; });
}

base::Result<GpuEffect> read_power_limit(const Words& words, const Gpu& gpu) {
  if (words.size() != 2) return wrong("write: power-limit WATTS");
  GPUWRIGHT_TRY(const double watts, read_number(words[1]));
  if (watts < gpu.board->min_w || watts > gpu.board->max_w) {
    return wrong("this board's limits go from " + std::to_string(static_cast<int>(gpu.board->min_w)) +
                 " to " + std::to_string(static_cast<int>(gpu.board->max_w)) + " W");
  }
  return GpuEffect([watts](World&, Gpu& changed, double) { changed.limit_w = watts; });
}

base::Result<GpuEffect> read_hang(const Words& words, const Gpu&) {
  if (words.size() < 2 || words.size() > 3) return wrong("write: hang CALL TIME, or hang all TIME");
  double seconds = kForever;
  if (words.size() == 3) {
    GPUWRIGHT_TRY(seconds, read_seconds(words[2]));
  }
  const std::string call(words[1]);
  return GpuEffect([call, seconds](World&, Gpu& gpu, double now) {
    gpu.hangs.push_back({call, now + seconds, ""});
  });
}

base::Result<GpuEffect> read_stuck(const Words& words, const Gpu&) {
  if (words.size() != 3) return wrong("write: stuck CALL PATH, or stuck all PATH");
  const std::string call(words[1]);
  const std::string file(words[2]);
  return GpuEffect([call, file](World&, Gpu& gpu, double) { gpu.hangs.push_back({call, kForever, file}); });
}

base::Result<GpuEffect> read_error(const Words& words, const Gpu&) {
  if (words.size() != 3) return wrong("write: error CALL NUMBER, with 0 to end it");
  GPUWRIGHT_TRY(const std::uint32_t code, read_count(words[2], 999));
  const std::string call(words[1]);
  return GpuEffect([call, code](World&, Gpu& gpu, double) {
    if (code == 0) gpu.errors.erase(call);
    if (code != 0) gpu.errors[call] = static_cast<std::int32_t>(code);
  });
}

/// "crash CALL", "garbled CALL".
base::Result<GpuEffect> read_broken(const Words& words, const Gpu&) {
  if (words.size() != 2) return wrong("write: " + std::string(words[0]) + " CALL");
  const std::string call(words[1]);
  const auto which = words[0] == "crash" ? &Gpu::crashes : &Gpu::garbled;
  return GpuEffect([call, which](World&, Gpu& gpu, double) { (gpu.*which).insert(call); });
}

base::Result<GpuEffect> read_mig(const Words& words, const Gpu& gpu) {
  std::vector<Slice> slices;
  std::uint32_t eighths = 0;
  const bool off = words.size() == 2 && words[1] == "off";
  for (std::size_t at = 1; at < words.size() && !off; ++at) {
    GPUWRIGHT_TRY(const MigShare share, mig_share(*gpu.board, words[at]));
    eighths += share.memory_eighths;
    slices.push_back({std::string(words[at]), share, static_cast<std::uint32_t>(at)});
  }
  std::uint32_t compute = 0;
  for (const auto& slice : slices) compute += slice.share.compute_slices;
  if (eighths > 8 || compute > kMostSlices) return wrong("these instances do not fit on one GPU; take fewer");
  if (words.size() < 2) return wrong("write: mig NUMBER PROFILE..., or mig NUMBER off");
  return GpuEffect([slices](World&, Gpu& changed, double) { changed.slices = slices; });
}

base::Status read_process_options(const Words& words, const Gpu& gpu, Process& process) {
  for (std::size_t at = 4; at < words.size(); ++at) {
    if (words[at] == "graphics") {
      process.kind = Process::Kind::Graphics;
    } else if (words[at] == "mps") {
      process.kind = Process::Kind::Mps;
    } else if (words[at] == "instance" && at + 1 < words.size()) {
      GPUWRIGHT_TRY(const std::uint32_t instance, read_count(words[++at], kMostSlices));
      if (gpu.slices.empty() && instance == 0) return wrong("MIG instances count from 1");
      process.slice = instance - 1;
    } else {
      return wrong(quoted(words[at]) + " is no kind of process; write graphics, mps or instance NUMBER");
    }
  }
  return base::Done{};
}

GpuEffect process_gone(std::uint32_t pid) {
  return [pid](World&, Gpu& gpu, double) {
    std::erase_if(gpu.processes, [&](const Process& one) { return one.pid == pid; });
  };
}

base::Result<GpuEffect> read_process(const Words& words, const Gpu& gpu) {
  Process process;
  if (words.size() >= 3) {
    GPUWRIGHT_TRY(process.pid, read_count(words[1]));
  }
  if (words.size() == 3 && words[2] == "gone") return process_gone(process.pid);
  if (words.size() < 4) return wrong("write: process NUMBER PID NAME SIZE, or process NUMBER PID gone");
  process.name = words[2];
  GPUWRIGHT_TRY(process.bytes, read_bytes(words[3]));
  GPUWRIGHT_TRY([[maybe_unused]] auto done, read_process_options(words, gpu, process));
  return GpuEffect([process](World&, Gpu& changed, double) { changed.processes.push_back(process); });
}

using Reader = base::Result<GpuEffect> (*)(const Words&, const Gpu&);

struct Verb {
  const char* word;
  Reader read;
};

constexpr Verb kVerbs[] = {
    {"lost", read_lost},
    {"reset", read_reset},
    {"load", read_load},
    {"hang", read_hang},
    {"error", read_error},
    {"mig", read_mig},
    {"process", read_process},
    {"ecc", read_ecc},
    {"remap", read_remap},
    {"retire", read_retire},
    {"throttle", read_throttle},
    {"nvlink", read_nvlink},
    {"pcie", read_pcie},
    {"xid", read_xid},
    {"recovery", read_recovery},
    {"fabric", read_fabric},
    {"power-limit", read_power_limit},
    {"vbios", read_text},
    {"serial", read_text},
    {"uuid", read_text},
    {"stuck", read_stuck},
    {"crash", read_broken},
    {"garbled", read_broken},
};

base::Result<GpuEffect> read_fixed(const Words& words) {
  const auto& names = quantity_names();
  if (std::find(names.begin(), names.end(), words[0]) == names.end()) {
    return wrong(quoted(words[0]) + " is neither a quantity nor a fault; quantities are " +
                 base::join(names, ", "));
  }
  if (words.size() != 2) return wrong("write: " + std::string(words[0]) + " VALUE, or model to free it");
  const std::string name(words[0]);
  if (words[1] == "model") {
    return GpuEffect([name](World&, Gpu& gpu, double) { gpu.fixed.erase(name); });
  }
  double value = 0;
  if (name == "memory-used") {
    GPUWRIGHT_TRY(const std::uint64_t bytes, read_bytes(words[1]));
    value = static_cast<double>(bytes);
  } else {
    GPUWRIGHT_TRY(value, read_number(words[1]));
  }
  return GpuEffect([name, value](World&, Gpu& gpu, double) { gpu.fixed[name] = value; });
}

}  // namespace

base::Result<GpuEffect> read_gpu_words(const Words& words, const Gpu& gpu) {
  if (words.empty()) return wrong("write what happens to the GPU");
  for (const auto& verb : kVerbs) {
    if (words[0] == verb.word) return verb.read(words, gpu);
  }
  return read_fixed(words);
}

}  // namespace gpuwright::fakegpu
