// See the header. Source: scontrol(1), Reason; sinfo -R cuts at 20 characters, -o %E does not.
// SPDX-License-Identifier: Apache-2.0
#include "report/slurm_reason.h"

#include "report/wording.h"

#include <fmt/core.h>

#include <string_view>

namespace gpuwright::report {

namespace {

constexpr std::size_t kMostCharacters = 100;

std::string plain(std::string text) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .:_/+-#";
  for (char& character : text) {
    if (kAllowed.find(character) == std::string_view::npos) character = '_';
  }
  return text;
}

}  // namespace

std::string slurm_reason(const std::vector<model::Finding>& findings) {
  if (findings.empty()) return {};
  model::Subject subject = findings.front().subject;
  subject.host.clear();
  std::string text = "gpuwright: " + findings.front().cause;
  if (subject.kind != model::SubjectKind::Host)
    text += " " + subject_text(subject, catalog::Language::English);
  const std::string more = findings.size() == 1 ? "" : fmt::format(" +{} more", findings.size() - 1);
  return plain(text).substr(0, kMostCharacters - more.size()) + more;
}

}  // namespace gpuwright::report
