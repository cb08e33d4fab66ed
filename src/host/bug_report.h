// nvidia-bug-report.log: one text of hundreds of sections, each behind a line of underscores: "*** /path" and
// the file's content, or a command line (or a heading such as "dmesg:") and its output. Split, each section
// answers as the file or command it came from. Source: nvidia-bug-report.sh of the driver package (append,
// append_silent, append_command).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/source.h"
#include "host/spool.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

/// True when text with this beginning (some kilobytes) is a bug report, also one whose first lines are cut
/// off.
bool looks_like_bug_report(std::string_view beginning);

struct BugReportSection {
  std::string path;     ///< of a file: absolute
  std::string command;  ///< else the command line (the tool without its folder) or heading
  Spool::Range content;
  bool absent = false;  ///< the report says that the file does not exist
};

/// All sections in order; sections without content are left out, absent files are kept. What stands before
/// the first header is a section named "beginning". Never fails: a cut report has fewer sections.
std::vector<BugReportSection> split_bug_report(std::string_view text);

/// A bug report as a source. Command lines are compared by the tool's name and its arguments
/// ("/usr/bin/nvidia-smi --query" answers nvidia-smi -q).
class BugReport final : public Source {
 public:
  /// The spool holds the whole (decompressed) text.
  static base::Result<std::unique_ptr<BugReport>> open(std::shared_ptr<Spool> spool);

  bool live() const override { return false; }
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override;
  base::Result<std::string> read_link(const std::string& path) override;
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
  base::Result<KernelLog> kernel_log() override;

  const std::vector<BugReportSection>& sections() const { return sections_; }

 private:
  explicit BugReport(std::shared_ptr<Spool> spool) : spool_(std::move(spool)) {}
  base::Result<std::string> text_of(const BugReportSection& section) const;
  std::shared_ptr<Spool> spool_;
  std::vector<BugReportSection> sections_;
};

}  // namespace gpuwright::host
