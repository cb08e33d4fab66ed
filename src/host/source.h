// How evidence is read. A verdict must not care whether it looks at a living machine, at a mounted disk, at a
// bundle that `gpuwright capture` packed, or at a vendor's bug report: all of them answer the same questions,
// and every answer can be recorded and replayed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "base/stream.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpuwright::host {

/// What a command said.
struct CommandAnswer {
  int status = 0;  ///< exit status; -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;   ///< killed at its deadline; the output is what it wrote until then
  bool output_cut = false;  ///< longer than the limit
  std::string output;
  std::string errors;
};

/// The kernel's own log as text, one "[seconds.microseconds] message" a line, and what is missing of it.
struct KernelLog {
  std::string text;
  std::int64_t records = 0;
  std::int64_t lost = 0;         ///< records that were overwritten while we read
  std::int64_t overwritten = 0;  ///< records since boot that were gone before we began
  std::int64_t foreign =
      0;  ///< records that programs wrote into the kernel log: not the kernel's word, left out
};

constexpr const char* kThisHost = "{host}";

class Source {
 public:
  virtual ~Source() = default;
  /// True when the answers are about a machine that runs now.
  virtual bool live() const = 0;

  /// The whole file. Malformed when it holds more than `limit` bytes.
  virtual base::Result<std::string> read_file(const std::string& path, std::size_t limit);
  /// The file as a stream. Errors of all: NotFound, Denied, Unsupported, Io; TimedOut for commands.
  virtual base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) = 0;
  /// Names in a folder, sorted.
  virtual base::Result<std::vector<std::string>> list_directory(const std::string& path) = 0;
  /// Where a link points, as text.
  virtual base::Result<std::string> read_link(const std::string& path) = 0;
  /// What a path is and whose, links not followed. Unsupported where nobody wrote that down.
  virtual base::Result<base::FileStatus> status_of(const std::string& path);
  /// Runs a tool. An argument kThisHost stands for the machine's own name, so that recordings need not hold
  /// it. NotFound when it is not installed; Unsupported where no commands can be run. A tool that fails or is
  /// killed is an answer, no error.
  virtual base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                          std::chrono::milliseconds deadline) = 0;
  /// What NVML says of each GPU, as text (nvml_worker.h). NotFound where there is no NVML; Unsupported where
  /// none can be asked.
  virtual base::Result<std::string> gpu_answers();
  /// Processes that hold the driver's devices, as text (holders.h). Unsupported where there are none to see.
  virtual base::Result<std::string> device_holders();
  /// What a written machine holds beside what is asked for: logs and outputs of tools that report, by name. A
  /// fixture keeps only what matters. Empty for all others.
  virtual std::vector<std::pair<std::string, std::string>> written_texts() { return {}; }
  /// The kernel's log from memory. Unsupported where there is none.
  virtual base::Result<KernelLog> kernel_log() = 0;
};

/// The key under which a command's answer is kept: "nvidia-smi_-q", safe as a file name, no two argvs share
/// one.
std::string command_slug(const std::vector<std::string>& argv);

/// "/a/b" for a path as a person writes it: absolute, no "//", no ".", ".." resolved without leaving the
/// root.
std::string normal_path(const std::string& path);

}  // namespace gpuwright::host
