// Answers that were recorded earlier: a bundle (an archive written by `gpuwright capture`) or a fixture (a
// folder of the same layout). Layout: manifest.json; files/PATH;
// commands/SLUG/{argv.json,stdout,stderr,status.json}; kernel/kmsg; gpu/nvml; gpu/holders;
// inputs/NAME.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "host/source.h"
#include "host/typed.h"
#include "kit/archive.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::host {

/// One file of a bundle.
struct BundleMember {
  std::string path;  ///< in the bundle
  std::string name;  ///< of an input: what the user called it
  std::string sha256;
  std::int64_t size = 0;
};

/// A question that had no answer: "file /x", "folder /x", "link /x", "status /x", "command nvidia-smi -q",
/// "NVML", "kernel log".
struct RecordedFailure {
  std::string question;
  base::ErrorKind kind = base::ErrorKind::NotFound;
  std::string message;
};

struct Manifest {
  std::string created;  ///< UTC, "2026-01-31T10:00:00Z"
  std::string tool;     ///< "gpuwright 0.1.0"
  bool redacted = false;
  std::string source;  ///< "live", "sysroot" or "inputs"
  std::vector<BundleMember> members;
  std::vector<RecordedFailure> could_not_read;
  std::map<std::string, std::vector<std::string>> folders;
  std::map<std::string, std::string> links;
  std::map<std::string, base::FileStatus> statuses;
  std::int64_t kernel_records = 0;
  std::int64_t kernel_lost = 0;
  std::int64_t kernel_overwritten = 0;
  std::int64_t kernel_foreign = 0;
};

constexpr std::int64_t kBundleSchema = 1;
constexpr const char* kNvmlMember = "gpu/nvml";
constexpr const char* kNvmlQuestion = "NVML";
constexpr const char* kHoldersMember = "gpu/holders";
constexpr const char* kHoldersQuestion = "processes";

std::string write_manifest(const Manifest& manifest);
/// Malformed for foreign JSON, Unsupported for a newer schema.
base::Result<Manifest> read_manifest(std::string_view json);

/// The member's path for a file of the machine: "files/proc/version"; bytes that are unusual in names are
/// written as %xx.
std::string member_for_file(const std::string& path);
std::string member_for_input(const std::string& name, std::size_t number);

class Recorded final : public Source {
 public:
  /// Opens a member again and again.
  using Open = std::function<base::Result<std::unique_ptr<base::ByteStream>>()>;

  Recorded(Manifest manifest, std::map<std::string, Open> members);

  bool live() const override { return false; }
  base::Result<std::unique_ptr<base::ByteStream>> open_file(const std::string& path) override;
  base::Result<std::vector<std::string>> list_directory(const std::string& path) override;
  base::Result<std::string> read_link(const std::string& path) override;
  base::Result<base::FileStatus> status_of(const std::string& path) override;
  base::Result<CommandAnswer> run(const std::vector<std::string>& argv,
                                  std::chrono::milliseconds deadline) override;
  base::Result<std::string> gpu_answers() override;
  base::Result<std::string> device_holders() override;
  std::vector<Unanswered> unanswered() override;
  base::Result<KernelLog> kernel_log() override;
  std::vector<std::pair<std::string, std::string>> further_texts() override;

  const Manifest& manifest() const { return manifest_; }
  /// A member by its path in the bundle.
  base::Result<std::unique_ptr<base::ByteStream>> open_member(const std::string& path) const;

 private:
  base::Error missing(const std::string& question) const;
  base::Result<std::string> text_of(const std::string& member) const;
  /// Where the command's answer is kept; empty where it is not.
  std::string command_folder(std::vector<std::string> argv);
  /// What a person typed; nothing is there in a capture.
  const Typed& typed();
  /// NotFound, or Unsupported where only some of that part of the machine was told.
  base::Error untold(const std::string& question, const std::string& path);
  Manifest manifest_;
  std::map<std::string, Open> members_;
  std::optional<Typed> typed_;
  std::map<std::string, std::string> spoken_;  ///< folders of commands by spoken_name()
};

/// True when an archive's first member makes it a bundle.
bool is_manifest_path(const std::string& path);

/// Reads a bundle whose manifest was just announced by reader.next(). Refused (Malformed): links, devices, a
/// member twice, a member that the manifest does not name or names with another size or SHA-256, a member
/// that is missing.
base::Result<std::unique_ptr<Recorded>> read_bundle(kit::ArchiveReader& reader);

/// A folder of the bundle's layout. A manifest is optional there, and its digests are not checked: fixtures
/// are edited by hand.
base::Result<std::unique_ptr<Recorded>> open_fixture(const std::string& folder);

}  // namespace gpuwright::host
