// What the surveyor and its child tell each other: frames (base/frames.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/node_state.h"
#include "parse/pod_resources.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::watch {

enum class SurveyTag : char {
  Ask = 'q',     ///< to the child: SurveyQuestion
  Begins = 'b',  ///< the child is about to ask this subject: a text
  Users = 'u',   ///< who the processes are: GpuUser each
  Series = 's',  ///< of the host: HostSeries each
  Pods = 'p',    ///< kubelet was asked: PodAnswer
  Done = 't'     ///< all was answered: processor time of it, in seconds
};

struct SurveyQuestion {
  std::vector<std::int64_t> pids;
  std::vector<std::string> skip;  ///< subjects, or whole classes of them ("process/")
};

struct PodAnswer {
  bool there = false;  ///< a kubelet's socket is
  std::string why;     ///< why there is none; empty: a good answer
  std::vector<parse::GivenContainer> given;
};

std::string encode(const SurveyQuestion& question);
std::string encode(const std::vector<model::GpuUser>& users);
std::string encode(const std::vector<model::HostSeries>& series);
std::string encode(const PodAnswer& answer);
/// Empty when the content is damaged. Texts come out printable and bounded.
std::optional<SurveyQuestion> decode_question(std::string_view content);
std::optional<std::vector<model::GpuUser>> decode_users(std::string_view content);
std::optional<std::vector<model::HostSeries>> decode_series(std::string_view content);
std::optional<PodAnswer> decode_pods(std::string_view content);

}  // namespace gpuwright::watch
