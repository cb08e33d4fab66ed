// What other machines, and lists of them, may hold: answers of doctor, facts, hosts files, answers of
// Prometheus and lists of Slurm's nodes. No host that is taken may be read as an option by ssh; facts that
// are read compare with themselves to nothing; whatever a Prometheus says, GPU time sums.
// SPDX-License-Identifier: Apache-2.0
#include "host/hosts_file.h"
#include "kit/json.h"
#include "parse/doctor_answer.h"
#include "parse/facts_answer.h"
#include "parse/prometheus_answer.h"
#include "parse/slurm_inventory.h"
#include "rules/changes.h"
#include "rules/peers.h"
#include "rules/usage_ledger.h"
#include "rules/usage_moments.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace gpuwright;  // NOLINT(google-build-using-namespace): a program of one file

const catalog::FactGuilt& guilt() {
  static const catalog::FactGuilt kGuilt(catalog::Catalog::embedded().value());
  return kGuilt;
}

void try_hosts(const std::string& text) {
  const auto hosts = host::parse_hosts(text, "nodes");
  if (!hosts) return;
  for (const host::RemoteHost& one : *hosts) {
    if (one.host.empty() || one.host.front() == '-') std::abort();
    if (!one.user.empty() && one.user.front() == '-') std::abort();
  }
}

void try_facts(const std::string& text) {
  const auto root = kit::parse_json(text, "node");
  if (!root) return;
  (void)parse::read_doctor_answer(*root, "node");
  const auto facts = parse::read_facts(*root, "node");
  if (!facts) return;
  if (!rules::rank_changes(*facts, *facts, {}, guilt()).empty()) std::abort();
  if (!rules::compare_peers({*facts, *facts, *facts}, guilt()).odd.empty()) std::abort();
}

void try_slurm(const std::string& text) {
  const auto nodes = parse::read_slurm_gpu_nodes(text);
  if (!nodes) return;
  for (const parse::SlurmGpuNode& node : *nodes) {
    if (node.name.empty() || node.address.empty()) std::abort();
  }
}

void try_prometheus(const std::string& text) {
  const auto root = kit::parse_json(text, "prometheus");
  if (!root) return;
  const auto answer = parse::read_prometheus_answer(*root);
  if (!answer) return;
  const auto gpus = rules::fleet_gpus(answer->series);
  constexpr std::size_t kMoments = 4;
  if (gpus.empty() || gpus.size() > 64) return;
  rules::UsageMoments moments(gpus, 60);
  rules::UsageCounter counter(gpus, {0.05, 600}, 60);
  moments.begin(0, kMoments);
  for (const char* quantity :
       {"target", "alive", "activity", "clock", "held_back", "holder", "critical", "waiting"})
    moments.take(quantity, answer->series);
  for (std::size_t i = 0; i < kMoments; ++i) counter.add(moments.at(i), moments.least_wanted(i));
  const auto ledger = counter.finish();
  std::int64_t sum = 0;
  for (const model::GpuTime& time : ledger.classes) sum += time.seconds;
  if (sum != ledger.total_seconds()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  try_hosts(text);
  try_facts(text);
  try_slurm(text);
  try_prometheus(text);
  return 0;
}
