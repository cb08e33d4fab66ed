// SPDX-License-Identifier: Apache-2.0
#include "host/tools.h"

#include "base/text.h"

#include <fmt/core.h>
#include <unistd.h>

#include <utility>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::Result;
using Clock = std::chrono::steady_clock;

std::string claim_name(const std::string& slug) {
  constexpr std::size_t kMost = 100;
  return kToolClaim + base::replace_all(slug, "@", "%40").substr(0, kMost);
}

/// Docker's client without an engine on this machine tells nothing of it, and costs 20 ms of a processor.
bool is_without_engine(const std::string& tool) {
  return tool == "docker" && !base::find_tool("dockerd") && ::access("/run/docker.sock", F_OK) != 0;
}

Result<std::string> find_useful_tool(const std::string& name) {
  if (is_without_engine(name))
    return base::make_error(ErrorKind::NotFound, "there is no engine: neither dockerd nor /run/docker.sock",
                            name);
  return base::find_tool(name);
}

}  // namespace

void Tools::start(const ToolCall& call) {
  const std::string slug = command_slug(call.argv);
  if (started_.count(slug) != 0) return;
  const std::string name = claim_name(slug);
  Started started{base::make_error(ErrorKind::Internal, "was not started"), Claim(), Clock::now()};
  if (const auto found = find_useful_tool(call.argv.empty() ? "" : call.argv.front()); !found) {
    started.number = found.error();
  } else if (const auto waiting = claims_.holder(name); waiting && survives_kill(waiting->pid)) {
    started.number = base::make_error(
        ErrorKind::TimedOut,
        fmt::format("not asked: process {} of an earlier look still sleeps in the kernel", waiting->pid),
        call.argv.front());
  } else {
    model::LeftBehind idle = claim_of(base::join(call.argv, " "));
    idle.pid = 0;
    auto claim = claims_.take(name, idle);  // another run may hold it: both go on
    if (claim) started.claim = std::move(*claim);
    base::ProcessOptions options;
    options.deadline = call.deadline;
    options.kept = started.claim.fd();
    started.number = processes_.start(call.argv, options);
  }
  started_.emplace(slug, std::move(started));
}

Result<CommandAnswer> Tools::run(const ToolCall& call, Clock::time_point until) {
  start(call);
  auto node = started_.extract(command_slug(call.argv));
  Started& started = node.mapped();
  GPUWRIGHT_TRY(const auto number, started.number);
  model::LeftBehind sleeper = claim_of(base::join(call.argv, " "));
  sleeper.pid = processes_.pid(number);
  GPUWRIGHT_TRY(auto result, processes_.wait(number, until));
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started.since);
  if (result.abandoned) {
    sleeper.since_ms -= waited.count();
    started.claim.write(sleeper);
    started.claim.leave();
  }
  CommandAnswer answer;
  answer.status = result.status;
  answer.signal = result.signal;
  answer.timed_out = result.timed_out;
  if (result.timed_out) answer.waited = waited;
  answer.output_cut = result.output_cut;
  answer.output = std::move(result.output);
  answer.errors = std::move(result.errors);
  return answer;
}

}  // namespace gpuwright::host
