// Running a tool of the machine under diagnosis. A tool that talks to a sick GPU may block in the kernel
// (state D), where not even SIGKILL ends it: it gets a deadline, and is then abandoned rather than waited
// for. No shell takes part.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::base {

struct ProcessOptions {
  std::chrono::milliseconds deadline{10000};
  std::size_t output_limit = std::size_t{16} << 20;  ///< bytes of stdout kept; the rest is read and dropped
  std::size_t error_limit = std::size_t{256} << 10;  ///< bytes of stderr kept
  int kept = -1;                   ///< a descriptor that the tool keeps open beside the standard ones
  bool whole_environment = false;  ///< our own environment too, for tools that are set up through it (ssh)
};

struct ProcessResult {
  int status = -1;          ///< exit status; -1 when a signal ended it or it never ended
  int signal = 0;           ///< the signal that ended it, else 0
  bool timed_out = false;   ///< the deadline passed: its whole process group was killed
  bool abandoned = false;   ///< it did not die of SIGKILL either (state D): nobody waits for it
  bool output_cut = false;  ///< stdout or stderr was longer than the limit
  std::string output;
  std::string errors;
};

/// The folders that tools are looked up in: those of our own PATH that are absolute, then the usual system
/// ones.
std::vector<std::string> tool_folders();

/// The tool's full path. NotFound when no folder of tool_folders() holds it.
Result<std::string> find_tool(const std::string& name);

/// Runs argv[0] (looked up as by find_tool) with nothing on stdin, in a process group of its own, with only
/// LC_ALL=C and PATH in its environment. Returns when it ends or at the deadline, with what it wrote so far.
/// What it leaves behind in its process group is killed, and it dies with us. May be called from several
/// threads. Errors: NotFound (no such tool), Denied (may not be executed), Io.
Result<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

/// Tools that run beside each other, and beside what we do meanwhile.
class Processes {
 public:
  Processes();
  /// Kills what still runs.
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Starts as run_process does, and with its errors. The deadline counts from here.
  Result<std::size_t> start(const std::vector<std::string>& argv, const ProcessOptions& options = {});
  /// The process of what was started.
  pid_t pid(std::size_t number) const;
  /// Waits until this one ends or its deadline passes, but not beyond `until`; reads what all others say
  /// meanwhile. Once for each number.
  Result<ProcessResult> wait(std::size_t number, std::chrono::steady_clock::time_point until =
                                                     std::chrono::steady_clock::time_point::max());

 private:
  struct Running;
  std::vector<std::unique_ptr<Running>> all_;
};

}  // namespace gpuwright::base
