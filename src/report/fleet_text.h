// Many nodes as one table, worst first, with what to do next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalog/catalog.h"
#include "model/fleet.h"

#include <string>

namespace gpuwright::report {

struct FleetTextOptions {
  catalog::Language language = catalog::Language::English;
  bool color = false;
  int width = 100;
  std::string next_command;  ///< printed as the last line; empty: none
};

/// "16 nodes: 1 critical, 3 unknown, 12 fine".
std::string fleet_line(const model::FleetReport& fleet, catalog::Language language);

/// The line, the table, the odd ones out and the next command.
std::string render_fleet_text(const model::FleetReport& fleet, const catalog::Catalog& catalog,
                              const FleetTextOptions& options);

/// On what, and since when, a node has a finding; empty where no time is known.
std::string node_subject_text(const model::NodeFinding& finding, catalog::Language language);
std::string node_since_text(const model::NodeFinding& finding, catalog::Language language);

/// Why a node is unknown, as a word of the JSON ("timed_out") and as text.
const char* no_answer_word(model::NoAnswer why);
std::string no_answer_text(const model::NodeReport& node, catalog::Language language);

/// "critical" ... "unknown", "fine".
std::string node_verdict_text(model::NodeVerdict verdict, catalog::Language language);

}  // namespace gpuwright::report
