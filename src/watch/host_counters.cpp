// Readers of what belongs to the whole machine: memory, processors, pressure, NUMA.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "watch/host_series.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gpuwright::watch {

namespace {

/// A key of a file and what it is called in a label.
struct Word {
  const char* key;
  const char* label;
};

/// The number in "Key:   123 kB" and "key 123".
std::optional<double> number_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : base::lines(text)) {
    const auto words = base::words(line);
    if (words.size() >= 2 && words[0] == key) return base::parse_double(words[1]);
  }
  return std::nullopt;
}

}  // namespace

void read_memory(HostLook& look) {
  constexpr std::array<Word, 7> kWords = {{{"MemTotal:", "total"},
                                           {"MemAvailable:", "available"},
                                           {"MemFree:", "free"},
                                           {"Cached:", "cached"},
                                           {"Hugetlb:", "huge_pages"},
                                           {"SwapTotal:", "swap_total"},
                                           {"SwapFree:", "swap_free"}}};
  constexpr double kKibi = 1024;
  const std::string text = look.text("/proc/meminfo");
  for (const Word& word : kWords) {
    if (const auto value = number_of(text, word.key))
      look.add("gpuwright_node_memory_bytes", label_part("kind", word.label), *value * kKibi);
  }
}

/// Time as a guest is in "user" already.
void read_processors(HostLook& look) {
  constexpr std::array<const char*, 8> kModes = {"user",   "nice", "system",  "idle",
                                                 "iowait", "irq",  "softirq", "steal"};
  const std::string text = look.text("/proc/stat");
  const auto lines = base::lines(text);
  const auto words = lines.empty() ? std::vector<std::string_view>() : base::words(lines.front());
  if (words.empty() || words.front() != "cpu") return;
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (std::size_t at = 0; at < kModes.size() && at + 1 < words.size(); ++at) {
    if (const auto ticks = base::parse_double(words[at + 1]))
      look.add("gpuwright_node_cpu_seconds", label_part("mode", kModes[at]), *ticks / per_second);
  }
}

void read_pressure(HostLook& look) {
  constexpr double kMicro = 1e-6;
  for (const char* resource : {"cpu", "memory", "io"}) {
    const std::string text = look.text(std::string("/proc/pressure/") + resource);
    for (const std::string_view line : base::lines(text)) {
      const auto words = base::words(line);
      if (words.size() < 2 || !words.back().starts_with("total=")) continue;
      const auto total = base::parse_double(words.back().substr(6));
      if (!total) continue;
      look.add("gpuwright_node_pressure_waiting_seconds",
               label_part("resource", resource) + "," + label_part("tasks", words.front()), *total * kMicro);
    }
  }
}

void read_numa(HostLook& look) {
  constexpr std::size_t kMostNodes = 64;
  const std::string folder = "/sys/devices/system/node";
  const auto& nodes = look.devices("numa", [](HostLook& of) {
    std::vector<std::string> found;
    auto names = of.files().list_directory("/sys/devices/system/node");
    for (std::string& name : names ? *names : found) {
      if (name.starts_with("node") && base::parse_int(name.substr(4)) && found.size() < kMostNodes)
        found.push_back(name);
    }
    return found;
  });
  for (const std::string& node : nodes) {
    const std::string text = look.text(folder + "/" + node + "/numastat");
    if (const auto misses = number_of(text, "numa_miss"))
      look.add("gpuwright_node_numa_misses", label_part("numa_node", node.substr(4)), *misses);
  }
}

}  // namespace gpuwright::watch
