// A command on another machine, by the system's own ssh: its keys, agent, aliases, jump hosts and known
// hosts are the user's. No shell takes part on our side; at the far end ssh hands the command to the login
// shell, so every word is quoted. Source: ssh(1), ssh_config(5); RFC 4254 section 6.5.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/process.h"
#include "base/result.h"
#include "host/hosts_file.h"
#include "model/fleet.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpuwright::host {

struct SshOptions {
  std::vector<std::string> program = {"ssh"};  ///< and options of the user's, which go before ours
  std::chrono::seconds connect_timeout{10};    ///< until the connection stands
  std::chrono::milliseconds deadline{60'000};  ///< until the command has ended
  std::size_t output_limit = std::size_t{8} << 20;
};

/// The argument list for one command there: a line for the far shell, quoted already. It asks nothing of a
/// person, forwards nothing, and what follows
/// "--" cannot be taken for an option. Of options given twice ssh takes the first: the user's.
std::vector<std::string> ssh_argv(const RemoteHost& remote, const std::string& command,
                                  const SshOptions& options);

/// A path for the far end's command line: quoted, but a leading "~/" stays what it means there.
std::string quote_remote_path(const std::string& path);

/// What the command wrote to stdout, or why there is no answer.
struct RemoteAnswer {
  std::string output;
  int status = -1;
  std::optional<model::NoAnswer> no_answer;
  std::string detail;  ///< of no_answer: printable
};

/// Reads what ssh's end means: 255 is ssh's own failure, 127 and 126 the shell's at the far end, 2
/// gpuwright's. 0, 1 and 3 are answers.
RemoteAnswer judge_ssh(base::ProcessResult result, const SshOptions& options);

/// Runs it. `command` is one line for the far end's shell, quoted already. Errors as run_process: there is no
/// ssh here.
base::Result<RemoteAnswer> run_remote(const RemoteHost& remote, const std::string& command,
                                      const SshOptions& options);

}  // namespace gpuwright::host
