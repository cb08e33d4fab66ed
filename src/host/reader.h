// Reading what may sleep in the kernel. A file of /sys or /proc is a call of a driver: on a sick machine the
// reader of a lost device, or of a dead NFS mount, never wakes up. So a forked reader reads, one for a whole
// run, and answers over a socket: about ten microseconds a file. Who gets no answer in time leaves that
// reader behind and goes on with a fresh one, which asks nothing more of the same subject (a device's folder,
// a process, a mount).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "host/claims.h"
#include "host/forked.h"
#include "host/local_files.h"
#include "host/source.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpuwright::host {

/// How long a run waits. What answers slowly is paid from the same purse as what never answers: each wait may
/// take half of what is left in it, but not more than `request` nor less than `least`.
struct ReaderLimits {
  std::chrono::milliseconds request{1000};
  std::chrono::milliseconds least{100};
  std::chrono::milliseconds purse{2000};
  std::chrono::milliseconds subject{1000};  ///< one subject may take so long in all
  std::int64_t hangs = 6;                   ///< after so many nothing more is asked
  std::size_t left_behind = 32;             ///< while so many readers of all runs wait nothing is asked
};

/// What a path's trouble is shared by: "/sys/bus/pci/devices/0000:3b:00.0", "/sys/class/net/eth0",
/// "/proc/driver/nvidia/gpus/0000:3b:00.0", "/proc/4711", else the folder of the file.
std::string subject_of(const std::string& path);

class Reader {
 public:
  /// Reads below `root` ("" is this machine). The reader is forked at the first question: the process must
  /// have one thread only then, and whenever one hangs.
  explicit Reader(std::string root, const ReaderLimits& limits = {}, Claims claims = Claims::of_this_user())
      : files_(std::move(root)), limits_(limits), claims_(std::move(claims)) {}
  ~Reader() { claim_.release(); }

  // As LocalFiles; TimedOut where no answer came, or where none is expected any more: also what readers of
  // earlier runs still wait for is not asked.
  base::Result<std::string> read_file(const std::string& path, std::size_t limit);
  base::Result<std::vector<std::string>> list_directory(const std::string& path);
  base::Result<std::string> read_link(const std::string& path);
  base::Result<base::FileStatus> status_of(const std::string& path);

  /// Something else on this machine hangs: waits less from now on.
  void hurry();

  /// What gave no answer, in this run or in one before; one path for each subject.
  const std::vector<Unanswered>& unanswered() const { return unanswered_; }
  /// Reads that were not answered in time.
  std::int64_t hangs() const { return hangs_; }
  /// Readers that SIGKILL did not end.
  std::int64_t left_behind() const { return left_behind_; }

 private:
  enum class Ask : std::uint32_t { File, Folder, Link, Status };
  struct Question {
    Ask ask;
    const std::string& path;
    std::uint64_t limit = 0;
  };
  struct Subject {
    std::chrono::microseconds waited{0};
    std::string closed;  ///< why nothing more is asked of it
    bool told = false;   ///< in unanswered_
  };

  struct Answer {
    bool ok = false;
    base::ErrorKind kind = base::ErrorKind::Io;  ///< of the error, whose message is the text
    std::string text;
  };

  base::Result<std::string> ask(const Question& question);
  void remember_earlier_looks();
  base::Status start();
  void give_up(const std::string& path, std::chrono::milliseconds waited);
  base::Result<Answer> exchange(const Question& question, std::chrono::milliseconds deadline);
  std::chrono::milliseconds deadline() const;
  base::Error no_answer(const std::string& path, Subject& subject, std::string why);
  std::string refusal(const Subject& subject) const;
  void pay(Subject& subject, std::chrono::microseconds took);
  static void serve(int fd, const LocalFiles& files);

  LocalFiles files_;
  ReaderLimits limits_;
  Claims claims_;
  bool remembered_ = false;
  std::string closed_;  ///< why nothing is asked at all
  Claim claim_;         ///< of the child: it holds the lock as long as it lives
  Forked child_;
  std::int64_t children_ = 0;
  std::chrono::milliseconds patience_{0};  ///< set on the child's socket
  std::map<std::string, Subject> subjects_;
  std::vector<Unanswered> unanswered_;
  std::chrono::microseconds paid_{0};
  std::int64_t hangs_ = 0;
  std::int64_t left_behind_ = 0;
};

}  // namespace gpuwright::host
