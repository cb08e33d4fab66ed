// The tools spell the same registers differently: "4: ACTIVE" (sysfs, ibstatus), "PORT_ACTIVE (4)"
// (ibv_devinfo), "Active" (ibstat), "ACTIVE" (rdma link). Source: rdma-core, ibstat.c, ibstatus, devinfo.c;
// iproute2, rdma/link.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "parse/rdma_formats.h"

namespace gpuwright::parse {
namespace {

/// Without "4: " in front, "PORT_" and " (4)" behind; lower case letters only.
std::string bare_word(std::string_view text) {
  std::string_view word = base::trim(text);
  const std::size_t colon = word.find(':');
  if (colon != std::string_view::npos && colon <= 2) word = base::trim(word.substr(colon + 1));
  word = base::trim(word.substr(0, word.find('(')));
  if (base::starts_with_ignoring_case(word, "PORT_")) word.remove_prefix(5);
  std::string out;
  for (const char letter : base::lower(word.substr(0, 40))) {
    if (letter >= 'a' && letter <= 'z') out += letter;
  }
  return out;
}

/// "400 Gb/sec (4X NDR)", "400", "2.5 Gb/sec (1X SDR)".
void set_rate(std::string_view value, const model::Evidence& evidence, model::RdmaPort& port) {
  const auto number = base::parse_number_and_unit(base::trim(value));
  if (!number) return;
  port.rate_gbps = number->number;
  port.rate_evidence = evidence;
  const std::size_t open = value.find('(');
  if (open == std::string_view::npos) return;
  const std::string_view lanes = value.substr(open + 1);
  const std::size_t cross = lanes.find('X');
  if (cross == std::string_view::npos || cross > 3) return;
  if (const auto count = base::parse_int(lanes.substr(0, cross))) port.lanes = *count;
}

}  // namespace

std::string port_state(std::string_view text) {
  std::string word = bare_word(text);
  if (word.rfind("init", 0) == 0) return "init";
  if (word.rfind("activedefer", 0) == 0) return "active";
  return word;
}

std::string physical_state(std::string_view text) {
  const std::string word = bare_word(text);
  return base::contains(word, "configurationtraining") ? "training" : word;
}

void set_port_fact(std::string_view key, std::string_view value, const model::Evidence& evidence,
                   model::RdmaPort& port) {
  if (value.empty()) return;
  const std::string name = base::replace_all(base::lower(key.substr(0, 40)), " ", "_");
  if (name == "state") {
    port.state = port_state(value);
    port.state_evidence = evidence;
  } else if (name == "physical_state" || name == "phys_state") {
    port.physical_state = physical_state(value);
    port.physical_evidence = evidence;
  } else if (name == "rate") {
    set_rate(value, evidence, port);
  } else if (name == "link_layer") {
    port.link_layer = base::lower(base::printable(value, 40));
  } else if (name == "ca_type" || name == "hca_type" || name == "vendor_part_id") {
    port.adapter = base::printable(value, 60);
  } else if (name == "firmware_version" || name == "fw_ver") {
    port.firmware = base::printable(value, 60);
  } else if (name == "netdev") {
    port.netdev = base::printable(value, 60);
  }
}

}  // namespace gpuwright::parse
