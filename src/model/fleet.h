// What many nodes said of themselves. A node that gave no whole answer is unknown, with the reason, and never
// fine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/difference.h"
#include "model/finding.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::model {

/// Why a node's state is not known.
enum class NoAnswer {
  Unreachable,   ///< no connection: no such name, refused, no route
  Denied,        ///< the connection was refused to us: key, host key, account
  TimedOut,      ///< connected or not, it gave no whole answer in time
  NoProgram,     ///< gpuwright is not there
  TooOld,        ///< the gpuwright there does not know what was asked, or speaks another schema
  BadAnswer,     ///< what came is no whole answer
  Failed,        ///< it ran and failed
  NothingKnown,  ///< it looked and recognised nothing
};

/// One finding of a node, as the node told it.
struct NodeFinding {
  std::string cause;
  std::string title;
  std::string subject;  ///< as text: "GPU 0000:91:00"; empty: the machine itself
  Severity severity = Severity::Error;
  std::int64_t sure = 0;               ///< per cent
  std::string since;                   ///< a date as text, empty where none is known
  std::optional<double> since_boot_s;  ///< where no date is known
};

/// The states of a node; the order is the table's, worst first.
enum class NodeVerdict { Critical, Error, Unknown, Warning, Info, Fine };

/// What one node said.
struct NodeReport {
  std::string node;
  NodeVerdict verdict = NodeVerdict::Unknown;  ///< by rules::judge_fleet
  std::optional<NoAnswer> no_answer;           ///< set: all that follows but `detail` is empty
  std::string detail;                          ///< of no_answer: who said what
  std::vector<NodeFinding> findings;           ///< most important first
  std::vector<std::string> could_not_look;
  std::chrono::milliseconds took{0};
};

/// All of them.
struct FleetReport {
  std::vector<NodeReport> nodes;               ///< worst first
  std::map<NodeVerdict, std::int64_t> counts;  ///< of the verdicts that occur
  PeerReport peers;                            ///< of the nodes that told their facts
};

}  // namespace gpuwright::model
