// Child processes with deadlines; see the header. Source: fork(2), setpgid(2), waitid(2), poll(2),
// prctl(2).
// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include "base/files.h"
#include "base/text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace gpuwright::base {

namespace {

using Clock = std::chrono::steady_clock;

// After the leader's end, how long a grandchild may still hold the pipes; after SIGKILL, how long death may
// take.
constexpr std::chrono::milliseconds kGrace{300};
constexpr std::chrono::milliseconds kTick{20};

struct Pipe {
  Fd reader;
  Fd writer;
};

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error(errno, "pipe");
  Pipe pipe;
  pipe.reader = Fd(ends[0]);
  pipe.writer = Fd(ends[1]);
  return pipe;
}

/// What the child needs, prepared before fork: between fork and exec only async-signal-safe calls are
/// allowed.
struct Prepared {
  std::string path;
  pid_t parent = 0;
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::vector<char*> argv_pointers;
  std::vector<char*> environment_pointers;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become_tool(const Prepared& prepared, int output, int errors, int failure, int kept) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // in its own group, ^C would not reach it
  if (::getppid() != prepared.parent) ::_exit(127);
  for (int number = 1; number < 32; ++number) {
    if (number != SIGKILL && number != SIGSTOP) ::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, 0);
  ::dup2(output, 1);
  ::dup2(errors, 2);
  if (kept >= 0) ::fcntl(kept, F_SETFD, 0);
  ::execve(prepared.path.c_str(), prepared.argv_pointers.data(), prepared.environment_pointers.data());
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(failure, &reason, sizeof reason);
  ::_exit(127);
}

/// One pipe of the child, drained into a bounded text.
struct Drain {
  Fd fd;
  std::string* text = nullptr;
  std::size_t limit = 0;
};

void drain(Drain& from, bool& cut) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(from.fd.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    from.fd.reset();
    return;
  }
  const auto kept = std::min(static_cast<std::size_t>(got), from.limit - from.text->size());
  from.text->append(buffer.data(), kept);
  cut = cut || kept < static_cast<std::size_t>(got);
}

bool has_ended(pid_t child) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

/// Kills what is left of the group and collects the leader, unless it cannot die.
void finish(pid_t child, ProcessResult& result) {
  ::kill(-child, SIGKILL);  // before the leader is collected: until then its number cannot be reused
  const auto until = Clock::now() + kGrace;
  int status = 0;
  pid_t collected = 0;
  while ((collected = ::waitpid(child, &status, WNOHANG)) == 0 && Clock::now() < until) ::usleep(2000);
  result.abandoned = collected != child;
  if (result.abandoned) return;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
}

/// What stands in our environment besides what the tool gets anyway.
void add_own_environment(std::vector<std::string>& environment) {
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("LC_ALL=") && !text.starts_with("PATH=")) environment.emplace_back(text);
  }
}

Result<Prepared> prepare(const std::vector<std::string>& argv, const ProcessOptions& options) {
  if (argv.empty()) return make_error(ErrorKind::Internal, "no program given");
  Prepared prepared;
  GPUWRIGHT_TRY(prepared.path, find_tool(argv.front()));
  prepared.parent = ::getpid();
  prepared.argv = argv;
  prepared.environment = {"LC_ALL=C", "PATH=" + join(tool_folders(), ":")};
  if (options.whole_environment) add_own_environment(prepared.environment);
  prepared.argv_pointers = pointers(prepared.argv);
  prepared.environment_pointers = pointers(prepared.environment);
  return prepared;
}

}  // namespace

std::vector<std::string> tool_folders() {
  std::vector<std::string> folders;
  const auto add = [&folders](std::string_view folder) {
    const std::string text(folder);
    if (text.starts_with('/') && std::find(folders.begin(), folders.end(), text) == folders.end())
      folders.push_back(text);
  };
  const char* path = ::getenv("PATH");
  for (const auto folder : split(path == nullptr ? "" : path, ':')) add(folder);
  for (const char* folder : {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"})
    add(folder);
  return folders;
}

Result<std::string> find_tool(const std::string& name) {
  if (contains(name, "/")) {
    if (::access(name.c_str(), X_OK) != 0) return system_error(errno, name);
    return name;
  }
  bool denied = false;
  for (const auto& folder : tool_folders()) {
    const std::string path = join_path(folder, name);
    const auto kind = kind_behind(path);
    if (!kind || *kind != FileKind::Regular) continue;
    if (::access(path.c_str(), X_OK) == 0) return path;
    denied = true;
  }
  if (denied) return make_error(ErrorKind::Denied, "may not be executed", name);
  return make_error(ErrorKind::NotFound, "is not installed", name);
}

/// One tool on its way.
struct Processes::Running {
  std::string name;
  pid_t child = -1;
  Fd handle;  ///< readable when the child has ended; none on kernels before 5.3
  Fd failure;
  Clock::time_point until;
  bool ended = false;
  bool over = false;  ///< nothing more is read
  ProcessResult result;
  std::array<Drain, 2> drains;

  bool open() const { return drains[0].fd.valid() || drains[1].fd.valid(); }

  void look(Clock::time_point now) {
    if (!ended && has_ended(child)) {
      ended = true;
      until = std::min(until, now + kGrace);
    }
    if ((ended && !open()) || now >= until) {
      over = true;
      result.timed_out = !ended;
      if (!ended) ::kill(-child, SIGKILL);  // also where nobody waits for it yet
    }
  }

  void add_polls(std::vector<pollfd>& polls) const {
    polls.push_back({drains[0].fd.get(), POLLIN, 0});
    polls.push_back({drains[1].fd.get(), POLLIN, 0});
    polls.push_back({ended ? -1 : handle.get(), POLLIN, 0});
  }

  void take(const pollfd* polls) {
    for (std::size_t at = 0; at < 2; ++at) {
      if (polls[at].fd >= 0 && polls[at].revents != 0) drain(drains[at], result.output_cut);
    }
  }

  /// How long a poll may sleep for this one.
  std::chrono::milliseconds pause(Clock::time_point now) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    const auto tick = ended || handle.valid() ? left : open() ? kTick : std::chrono::milliseconds(2);
    return std::clamp(tick, std::chrono::milliseconds(0), left);
  }
};

Processes::Processes() = default;

Processes::~Processes() {
  for (const auto& one : all_) {
    if (one) finish(one->child, one->result);
  }
}

Result<std::size_t> Processes::start(const std::vector<std::string>& argv, const ProcessOptions& options) {
  // A Prepared must not move after its pointers are taken: it stays in the Result that prepare returned.
  const auto prepared = prepare(argv, options);
  if (!prepared) return prepared.error();
  GPUWRIGHT_TRY(auto output, make_pipe());
  GPUWRIGHT_TRY(auto errors, make_pipe());
  GPUWRIGHT_TRY(auto failure, make_pipe());
  auto one = std::make_unique<Running>();
  one->name = argv.front();
  one->until = Clock::now() + options.deadline;
  one->child = ::fork();
  if (one->child < 0) return system_error(errno, argv.front());
  if (one->child == 0)
    become_tool(*prepared, output.writer.get(), errors.writer.get(), failure.writer.get(), options.kept);
  ::setpgid(one->child, one->child);  // in both processes: whichever comes first
  one->handle = Fd(static_cast<int>(::syscall(SYS_pidfd_open, one->child, 0)));
  one->failure = std::move(failure.reader);
  one->drains = {Drain{std::move(output.reader), &one->result.output, options.output_limit},
                 Drain{std::move(errors.reader), &one->result.errors, options.error_limit}};
  all_.push_back(std::move(one));
  return all_.size() - 1;
}

pid_t Processes::pid(std::size_t number) const {
  return all_[number] ? all_[number]->child : -1;
}

Result<ProcessResult> Processes::wait(std::size_t number, Clock::time_point until) {
  if (number >= all_.size() || !all_[number])
    return make_error(ErrorKind::Internal, "was not started, or waited for already");
  Running& wanted = *all_[number];
  wanted.until = std::min(wanted.until, until);
  std::vector<pollfd> polls;
  while (!wanted.over) {
    const auto now = Clock::now();
    polls.clear();
    auto pause = std::chrono::milliseconds(1000);
    for (const auto& one : all_) {
      if (one) one->look(now);
      if (!one || one->over) continue;
      one->add_polls(polls);
      pause = std::min(pause, one->pause(now));
    }
    if (wanted.over) break;
    if (::poll(polls.data(), polls.size(), static_cast<int>(pause.count())) < 0 && errno != EINTR)
      return system_error(errno, wanted.name);
    std::size_t at = 0;
    for (const auto& one : all_) {
      if (!one || one->over) continue;
      one->take(&polls[at]);
      at += 3;
    }
  }
  const std::unique_ptr<Running> done = std::move(all_[number]);
  finish(done->child, done->result);
  int reason = 0;
  ::fcntl(done->failure.get(), F_SETFL, O_NONBLOCK);
  if (::read(done->failure.get(), &reason, sizeof reason) == sizeof reason)
    return system_error(reason, done->name);
  return std::move(done->result);
}

Result<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  Processes one;
  GPUWRIGHT_TRY(const auto number, one.start(argv, options));
  return one.wait(number);
}

}  // namespace gpuwright::base
