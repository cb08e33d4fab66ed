// SPDX-License-Identifier: Apache-2.0
#include "host/ssh.h"

#include "base/shell_words.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

namespace gpuwright::host {

namespace {

using model::NoAnswer;

constexpr int kSshFailed = 255;  // Source: ssh(1), EXIT STATUS
constexpr std::size_t kMaxDetail = 200;

/// The last line that says something: ssh and shells put the reason last.
std::string last_line(std::string_view errors) {
  const auto lines = base::lines(errors);
  const auto last =
      std::find_if(lines.rbegin(), lines.rend(), [](auto line) { return !base::trim(line).empty(); });
  return last == lines.rend() ? "" : base::printable(base::trim(*last), kMaxDetail);
}

bool mentions(std::string_view text, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return base::contains(text, part); });
}

RemoteAnswer no_answer(NoAnswer why, std::string detail) {
  RemoteAnswer answer;
  answer.no_answer = why;
  answer.detail = std::move(detail);
  return answer;
}

/// Where ssh failed before the command ran.
RemoteAnswer connection_failed(const std::string& errors) {
  std::string reason = last_line(errors);
  // Source: OpenSSH sshconnect2.c, sshconnect.c (messages of ssh 7.2 to 9.9).
  if (mentions(errors, {"Permission denied", "Host key verification failed", "authentication failures",
                        "No supported authentication methods", "This account is", "Access denied"}))
    return no_answer(NoAnswer::Denied, reason);
  if (mentions(errors, {"during banner exchange"})) return no_answer(NoAnswer::TimedOut, reason);
  return no_answer(NoAnswer::Unreachable, reason.empty() ? "ssh ended without a word" : reason);
}

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g}", static_cast<double>(time.count()) / 1000);
}

}  // namespace

std::vector<std::string> ssh_argv(const RemoteHost& remote, const std::string& command,
                                  const SshOptions& options) {
  std::vector<std::string> argv = options.program;
  const auto alive = std::max<std::int64_t>(1, options.connect_timeout.count() / 2);
  for (const std::string& option :
       {std::string("BatchMode=yes"), fmt::format("ConnectTimeout={}", options.connect_timeout.count()),
        fmt::format("ServerAliveInterval={}", alive), std::string("ServerAliveCountMax=2"),
        std::string("ClearAllForwardings=yes"), std::string("ForwardX11=no"), std::string("ForwardAgent=no"),
        std::string("LogLevel=ERROR")}) {
    argv.emplace_back("-o");
    argv.push_back(option);
  }
  argv.emplace_back("-T");
  if (remote.port > 0) argv.insert(argv.end(), {"-p", std::to_string(remote.port)});
  if (!remote.user.empty()) argv.insert(argv.end(), {"-l", remote.user});
  argv.insert(argv.end(), {"--", remote.host, command});
  return argv;
}

std::string quote_remote_path(const std::string& path) {
  if (path.starts_with("~/") && path.size() > 2) return "~/" + base::quote_word(path.substr(2));
  return base::quote_word(path);
}

RemoteAnswer judge_ssh(base::ProcessResult result, const SshOptions& options) {
  const std::string said = last_line(result.errors);
  if (result.timed_out) {
    std::string detail = fmt::format("{} s", seconds_text(options.deadline));
    if (!result.output.empty()) detail += fmt::format(", {} B", result.output.size());
    return no_answer(NoAnswer::TimedOut, said.empty() ? detail : detail + "; " + said);
  }
  if (result.status == kSshFailed) return connection_failed(result.errors);
  if (result.status < 0)
    return no_answer(NoAnswer::Failed, fmt::format("ssh was ended by signal {}", result.signal));
  if (result.status == 127 || result.status == 126 || mentions(said, {"ommand not found"}))
    return no_answer(NoAnswer::NoProgram, said);
  // What our own command line says of a command or an option that it does not know.
  if (result.status == 2 && mentions(said, {"not expected", "no command '"}))
    return no_answer(NoAnswer::TooOld, said);
  if (result.status != 0 && result.status != 1 && result.status != 3) {
    return no_answer(NoAnswer::Failed,
                     fmt::format("exit status {}{}{}", result.status, said.empty() ? "" : ": ", said));
  }
  if (result.output.size() >= options.output_limit) {
    return no_answer(NoAnswer::BadAnswer,
                     fmt::format("more than {} MB of output", options.output_limit >> 20));
  }
  RemoteAnswer answer;
  answer.output = std::move(result.output);
  answer.status = result.status;
  answer.detail = said;
  return answer;
}

base::Result<RemoteAnswer> run_remote(const RemoteHost& remote, const std::string& command,
                                      const SshOptions& options) {
  base::ProcessOptions process;
  process.deadline = options.deadline;
  process.output_limit = options.output_limit;
  process.whole_environment = true;
  GPUWRIGHT_TRY(auto result, base::run_process(ssh_argv(remote, command, options), process));
  return judge_ssh(std::move(result), options);
}

}  // namespace gpuwright::host
