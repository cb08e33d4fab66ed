// A source that writes down every question and every answer. Around a living machine it is `gpuwright
// capture`: what it packs is what a verdict used, and the bundle gives the same answers again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "host/inputs.h"
#include "host/recorded.h"
#include "host/redact.h"
#include "host/source.h"
#include "host/spool.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace gpuwright::host {

class Recording final : public Source {
 public:
  /// One recorded file of the bundle to be. `name` is an input's, as the user called it.
  struct Entry {
    std::string member;
    std::string name;
    Spool::Range range;
  };

  /// Borrows the source. Files beyond `max_file` bytes are not taken (they are told as failures).
  Recording(Source& inner, std::shared_ptr<Spool> spool, std::int64_t max_file = std::int64_t{1} << 30);

  bool live() const override { return inner_.live(); }
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override;
  base::Result<std::string> read_link(const std::string& path) override;
  base::Result<base::FileStatus> status_of(const std::string& path) override;
  void expect(const std::vector<ToolCall>& calls) override { inner_.expect(calls); }
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
  base::Result<std::string> gpu_answers() override;
  base::Result<std::string> device_holders() override;
  std::vector<Unanswered> unanswered() override { return inner_.unanswered(); }
  std::vector<model::LeftBehind> left_behind() override { return inner_.left_behind(); }
  base::Result<KernelLog> kernel_log() override;

  /// Adds further documents. One that breaks off keeps its good part; the reason is told.
  base::Status add_inputs(Inputs inputs);

  const std::vector<Entry>& entries() const { return entries_; }
  /// Failures, folders, links and the kernel log's counts; members are still empty.
  const Manifest& manifest() const { return manifest_; }
  const std::shared_ptr<Spool>& spool() const { return spool_; }

 private:
  bool keep(const std::string& member);
  base::Status keep_text(const std::string& member, std::string_view text);
  void failed(std::string question, const base::Error& error);
  Source& inner_;
  std::shared_ptr<Spool> spool_;
  std::int64_t max_file_;
  std::vector<Entry> entries_;
  Manifest manifest_;
};

/// What to write besides what was recorded.
struct BundleOptions {
  std::string created;           ///< UTC time as in Manifest
  std::string tool;              ///< name and version
  std::string source;            ///< "live", "sysroot" or "inputs"
  Redactor* redactor = nullptr;  ///< learns all texts, then redacts them; none: as it is
};

/// Writes the bundle to the descriptor and returns its manifest. Members are sorted, the manifest comes
/// first; equal recordings with equal options give equal bytes.
base::Result<Manifest> write_bundle(const Recording& recording, int fd, const BundleOptions& options);

/// What is known beforehand about whose names may stand in evidence: this machine's host names and its users'
/// (from /etc/hostname and /etc/passwd of the source: real accounts only).
KnownNames known_names(Source& source);

}  // namespace gpuwright::host
