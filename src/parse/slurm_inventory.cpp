// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "parse/slurm_inventory.h"

#include "base/text.h"

#include <algorithm>
#include <map>

namespace gpuwright::parse {

namespace {

constexpr std::size_t kMaxNodes = 50'000;

/// What is said of one node, wherever it stands.
struct Said {
  SlurmGpuNode node;
  bool has_gpu = false;
};

class Nodes {
 public:
  Said& of(std::string_view name) {
    const auto [at, fresh] = places_.try_emplace(base::printable(name, 200), all_.size());
    if (fresh) {
      all_.emplace_back();
      all_.back().node.name = all_.back().node.address = at->first;
    }
    return all_[at->second];
  }
  bool full() const { return all_.size() >= kMaxNodes; }
  const std::vector<Said>& all() const { return all_; }

 private:
  std::vector<Said> all_;
  std::map<std::string, std::size_t> places_;
};

bool has_gpu(std::string_view gres) {
  const auto parts = base::split(gres, ',');
  return std::any_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return part == "gpu" || part.starts_with("gpu:"); });
}

void add_partition(Said& said, std::string_view name) {
  if (name.ends_with('*')) name.remove_suffix(1);  // sinfo marks the default one
  if (name.empty()) return;
  std::string text = base::printable(name, 100);
  auto& known = said.node.partitions;
  if (std::find(known.begin(), known.end(), text) == known.end()) known.push_back(std::move(text));
}

void read_scontrol(std::string_view line, Nodes& nodes, Said*& now) {
  const std::string_view name = line.starts_with("NodeName=") ? slurm_value(line, "NodeName") : "";
  if (!name.empty() && !nodes.full()) now = &nodes.of(name);
  if (now == nullptr) return;
  // A reason or a comment is free text behind all else on its line, or has a line of its own.
  line = line.substr(0, std::min(line.find(" Reason="), line.find(" Comment=")));
  if (line.starts_with("Reason=") || line.starts_with("Comment=")) return;
  const std::string_view address = slurm_value(line, "NodeAddr");
  if (!address.empty()) now->node.address = base::printable(address, 200);
  const std::string_view gres = slurm_value(line, "Gres");
  if (!gres.empty()) now->has_gpu = now->has_gpu || has_gpu(gres);
  for (const std::string_view one : base::split(slurm_value(line, "Partitions"), ','))
    add_partition(*now, one);
}

void read_sinfo(std::string_view line, Nodes& nodes) {
  const auto cells = base::split(line, '|');
  if (cells.size() != 4 || cells[0].empty() || nodes.full()) return;
  Said& said = nodes.of(base::trim(cells[0]));
  const std::string_view address = base::trim(cells[1]);
  if (!address.empty()) said.node.address = base::printable(address, 200);
  said.has_gpu = said.has_gpu || has_gpu(base::trim(cells[2]));
  add_partition(said, base::trim(cells[3]));
}

}  // namespace

std::string_view slurm_value(std::string_view line, std::string_view key) {
  std::size_t at = line.find(key);
  while (at != std::string_view::npos) {
    const bool word_start = at == 0 || line[at - 1] == ' ';
    const std::size_t end = at + key.size();
    if (word_start && end < line.size() && line[end] == '=') {
      const std::string_view value = line.substr(end + 1);
      return value.substr(0, value.find(' '));
    }
    at = line.find(key, at + 1);
  }
  return {};
}

base::Result<std::vector<SlurmGpuNode>> read_slurm_gpu_nodes(std::string_view text) {
  Nodes nodes;
  Said* now = nullptr;  // the node that the records speak of
  const bool records = base::contains(text, "NodeName=");
  for (const std::string_view line : base::lines(text)) {
    const std::string_view trimmed = base::trim(line.substr(0, 20'000));
    if (records) {
      read_scontrol(trimmed, nodes, now);
    } else {
      read_sinfo(trimmed, nodes);
    }
  }
  if (nodes.all().empty())
    return base::make_error(base::ErrorKind::Malformed,
                            "no node in it; give the output of `scontrol show nodes`, or of `sinfo -h -N -o "
                            "'%N|%o|%G|%P'`");
  std::vector<SlurmGpuNode> found;
  for (const Said& said : nodes.all()) {
    if (said.has_gpu) found.push_back(said.node);
  }
  if (found.empty())
    return base::make_error(base::ErrorKind::NotFound, "none of the nodes has a GPU (Gres=gpu:...)");
  return found;
}

}  // namespace gpuwright::parse
