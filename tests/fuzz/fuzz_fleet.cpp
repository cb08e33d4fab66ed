// What other machines, and lists of them, may hold: answers of doctor, facts, and hosts files. No host that
// is taken may be read as an option by ssh; facts that are read compare with themselves to nothing.
// SPDX-License-Identifier: Apache-2.0
#include "host/hosts_file.h"
#include "kit/json.h"
#include "parse/doctor_answer.h"
#include "parse/facts_answer.h"
#include "rules/changes.h"
#include "rules/peers.h"

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = gpuwright::fuzz::own_copy(data, size);
  try_hosts(text);
  try_facts(text);
  return 0;
}
