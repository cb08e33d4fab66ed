// What is really wrong: a row of data/causes. The schema is docs/KNOWLEDGE.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::catalog {

enum class Language { English, Chinese };

/// A text in both languages.
struct Text {
  std::string en;
  std::string zh;
  const std::string& in(Language language) const { return language == Language::Chinese ? zh : en; }
};

struct TextList {
  std::vector<std::string> en;
  std::vector<std::string> zh;
  const std::vector<std::string>& in(Language language) const {
    return language == Language::Chinese ? zh : en;
  }
};

struct Raise {
  std::string signal;  ///< may end in ".*"
  std::int64_t sure = 0;
  std::map<std::string, std::vector<std::string>> when;  ///< any of the strings, each a value or a comparison
  std::vector<std::string> with;
  std::vector<std::string> without;
};

/// Same: the same device. Path: the same device, or the other end of its PCIe link. Peer: another device.
/// Host: anything on the machine.
enum class ExplainScope { Same, Path, Host, Peer };

struct Explain {
  std::string signal;  ///< may end in ".*"
  ExplainScope on = ExplainScope::Same;
  std::int64_t within_ns = 600'000'000'000;
  std::int64_t before_ns = 5'000'000'000;
};

struct Cause {
  std::string id;
  Text title;
  std::string at;
  std::string scope;
  model::Severity severity = model::Severity::Error;
  std::string who;
  std::string action_now;
  std::string action_later;
  std::vector<Raise> raised_by;
  std::vector<Explain> explains;
  std::vector<std::string> contradicted_by;
  Text why;
  TextList now;
  TextList later;
  TextList decide;
  std::vector<std::string> sources;
};

}  // namespace gpuwright::catalog
