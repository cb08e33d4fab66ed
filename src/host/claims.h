// Who asks a GPU just now, and who still waits for it. A worker that may hang first claims what it will ask:
// it takes the lock of a small file and writes its name there. The kernel gives the lock back when the
// process is really gone, however it ended; so a later run sees that an earlier one still waits, asks nothing
// more there, and never adds a second stuck process to the first (flock(2)).
//
// The files lie in $RUNTIME_DIRECTORY (of a service, systemd.exec(5)), else in /run/gpuwright for root, else
// in $XDG_RUNTIME_DIR/gpuwright, else in /tmp/gpuwright-UID; only a folder that is ours alone is used. Where
// there is none, nothing is claimed and all is asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "model/left_behind.h"

#include <optional>
#include <string>
#include <vector>

namespace gpuwright::host {

// Names of claims, with a number behind.
inline constexpr const char* kReaderClaim = "read-";   ///< of a reader: names what it waits for once it does
inline constexpr const char* kOpeningClaim = "nvml-";  ///< who opens NVML
inline constexpr const char* kGpuClaim = "gpu-";       ///< who asks this GPU
inline constexpr const char* kToolClaim = "tool-";     ///< of a tool that could not be ended

/// What is held until it is released or the last process that has the descriptor is gone.
class Claim {
 public:
  Claim() = default;  ///< of nothing
  Claim(base::Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Claim(Claim&&) = default;
  Claim& operator=(Claim&& other) noexcept;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() { release(); }

  /// The descriptor that holds the lock; -1 of nothing.
  int fd() const { return file_.get(); }
  /// Writes who holds it and what for.
  void write(const model::LeftBehind& holder);
  /// Gives it back: the file goes.
  void release();
  /// Closes our descriptor and lets the file be: a child holds the lock.
  void leave();

 private:
  base::Fd file_;
  std::string path_;
};

class Claims {
 public:
  /// This user's; the folder is made when first needed. `scope` keeps apart what has nothing to do with each
  /// other (simulated GPUs and real ones).
  static Claims of_this_user(std::string scope = {}) { return Claims(std::move(scope)); }
  /// For tests: in this folder, or, empty, nowhere.
  Claims(std::string folder, std::string scope) : folder_(std::move(folder)), scope_(std::move(scope)) {}

  /// Claims `name` ("gpu-3") for this process. Conflict while another holds it. A claim of nothing where
  /// there is no folder.
  base::Result<Claim> take(const std::string& name, const model::LeftBehind& holder) const;
  /// Who holds it.
  std::optional<model::LeftBehind> holder(const std::string& name) const;
  /// All who hold a claim whose name begins so, sorted by name. Files of those who are gone are removed.
  std::vector<model::LeftBehind> holders(const std::string& beginning = {}) const;
  /// Those of them who will not come back. Looks twice: others who look take the lock for a moment, too.
  std::vector<model::LeftBehind> stuck(const std::string& beginning = {}) const;

 private:
  explicit Claims(std::string scope) : scope_(std::move(scope)) {}
  const std::string& folder() const;
  std::string path_of(const std::string& name) const;
  mutable std::optional<std::string> folder_;  ///< empty: there is none; absent: not looked for yet
  std::string scope_;
};

/// The folder, made where it is missing; empty where it is not this user's alone (a link, of another, open to
/// others).
std::string own_folder(const std::string& path);

/// Now, and this process.
model::LeftBehind claim_of(std::string what);

/// For how long it holds or waits.
std::int64_t age_ms(const model::LeftBehind& holder);

/// Whether this holder will not come back: it was told to die and has not, or it holds longer than any
/// healthy worker does.
bool is_stuck(const model::LeftBehind& holder);

/// SIGKILL was sent to it and has not been taken: it sleeps in the kernel. Source: proc(5), SigPnd.
bool survives_kill(std::int64_t pid);

/// All processes that this user's runs left behind, of readers, tools and NVML's workers.
std::vector<model::LeftBehind> left_behind();

/// The scope of claims on GPUs: empty for the real ones.
std::string nvml_scope();

}  // namespace gpuwright::host
