// `nvidia-smi topo -m` prints the distance between every two devices: NV# over NVLink, then ever farther over
// PCIe (PIX, PXB, PHB), across host bridges (NODE) and across sockets (SYS). The head line is underlined with
// terminal escapes that end up in pasted text, and the tabs often do not survive.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/block_evidence.h"
#include "parse/gpu_fields.h"
#include "parse/smi_formats.h"

#include <string>
#include <utility>
#include <vector>

namespace gpuwright::parse {
namespace {

constexpr std::size_t kMaxDevices = 256;

/// The line without terminal escapes ("ESC[4m"), also where the ESC byte itself was lost.
std::string without_escapes(std::string_view line) {
  std::string plain;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\x1b';
    const bool bracket = line[i] == '[' && i + 1 < line.size() && line[i + 1] >= '0' && line[i + 1] <= '9';
    if (!escape && !bracket) {
      plain.push_back(line[i]);
      continue;
    }
    if (escape && (i + 1 >= line.size() || line[i + 1] != '[')) continue;
    const std::size_t end = line.find('m', i);
    if (end == std::string_view::npos || end - i > 8) continue;
    i = end;
  }
  return plain;
}

bool is_device(std::string_view name) {
  if (name.size() > 3 && (name.substr(0, 3) == "GPU" || name.substr(0, 3) == "NIC"))
    return base::parse_int(name.substr(3)).has_value();
  return name.substr(0, 4) == "mlx5" || name.substr(0, 4) == "mlx4" || name.substr(0, 4) == "roce" ||
         name.substr(0, 4) == "bnxt" || name.substr(0, 4) == "irdm" || name.substr(0, 3) == "ibp";
}

bool is_cell(std::string_view text) {
  for (const char* cell : {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "PSB", "SOC", "N/A", "C2C"})
    if (text == cell) return true;
  return text.size() > 2 && text.substr(0, 2) == "NV" && base::parse_int(text.substr(2)).has_value();
}

class TopologyReader {
 public:
  explicit TopologyReader(const BlockContext& context) : context_(context) {}

  bool line(std::string_view raw, std::int64_t number) {
    const std::string text = without_escapes(raw);
    const auto words = base::words(text);
    if (words.empty()) return true;
    if (topology_.columns.empty()) return header(words);
    if (row(words, text, number)) return true;
    nic_name(words);
    return ++idle_lines_ < 60;
  }

  bool finish(model::Observations& out) {
    if (topology_.names.empty()) return false;
    topology_.input = context_.input;
    topology_.block_line = context_.first_line;
    out.topologies.push_back(std::move(topology_));
    return true;
  }

 private:
  bool header(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
      if (!is_device(word) || topology_.columns.size() >= kMaxDevices) break;
      topology_.columns.emplace_back(word);
    }
    has_numa_ = words.size() >= 2 && words.size() > topology_.columns.size() + 2;
    return ++idle_lines_ < 60;
  }

  bool row(const std::vector<std::string_view>& words, const std::string& text, std::int64_t number) {
    const std::string name(words.front());
    if (!is_device(name) || topology_.names.size() >= kMaxDevices) return false;
    if (words.size() < 2 || !is_cell(words[1])) return false;
    std::vector<std::string> cells;
    std::size_t at = 1;
    while (at < words.size() && cells.size() < topology_.columns.size() && is_cell(words[at]))
      cells.emplace_back(words[at++]);
    topology_.names.push_back(name);
    topology_.cells.push_back(std::move(cells));
    topology_.cpu_affinity.emplace_back(at < words.size() ? base::printable(words[at], 200) : std::string());
    topology_.numa_affinity.emplace_back(
        has_numa_ && at + 1 < words.size() ? base::printable(words[at + 1], 64) : std::string());
    topology_.lines.push_back(evidence_of(context_, number, text));
    idle_lines_ = 0;
    return true;
  }

  /// "NIC0: mlx5_0" of the legend.
  void nic_name(const std::vector<std::string_view>& words) {
    if (words.size() != 2 || words[0].size() < 5 || words[0].substr(0, 3) != "NIC" || words[0].back() != ':')
      return;
    if (topology_.nic_names.size() >= kMaxDevices) return;
    topology_.nic_names[std::string(words[0].substr(0, words[0].size() - 1))] = base::printable(words[1], 64);
  }

  BlockContext context_;
  model::Topology topology_;
  bool has_numa_ = false;
  int idle_lines_ = 0;
};

}  // namespace

bool parse_smi_topology(std::string_view block, const BlockContext& context,
                        const catalog::Catalog& /*catalog*/, model::Observations& out) {
  TopologyReader reader(context);
  return read_lines(reader, block, context, out);
}

}  // namespace gpuwright::parse
