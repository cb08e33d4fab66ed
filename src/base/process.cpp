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
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

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

[[noreturn]] void become_tool(const Prepared& prepared, int output, int errors, int failure) {
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
  ::execve(prepared.path.c_str(), prepared.argv_pointers.data(), prepared.environment_pointers.data());
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(failure, &reason, sizeof reason);
  ::_exit(127);
}

/// One pipe of the child, drained into a bounded text.
struct Drain {
  Fd fd;
  std::string* text;
  std::size_t limit;
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

/// Reads both pipes until they close, the child ends (plus a grace) or the deadline passes.
void follow(pid_t child, std::array<Drain, 2>& drains, Clock::time_point deadline, ProcessResult& result) {
  auto until = deadline;
  bool ended = false;
  while (Clock::now() < until) {
    if (!ended && has_ended(child)) {
      ended = true;
      until = std::min(deadline, Clock::now() + kGrace);
    }
    std::array<pollfd, 2> polls = {};
    for (std::size_t at = 0; at < 2; ++at) polls[at] = {drains[at].fd.get(), POLLIN, 0};
    const bool open = drains[0].fd.valid() || drains[1].fd.valid();
    if (!open && ended) return;
    if (::poll(polls.data(), polls.size(), static_cast<int>(open ? kTick.count() : 2)) < 0 && errno != EINTR)
      return;
    for (std::size_t at = 0; at < 2; ++at) {
      if (polls[at].fd >= 0 && polls[at].revents != 0) drain(drains[at], result.output_cut);
    }
  }
  result.timed_out = !ended && !has_ended(child);
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

Result<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  const auto deadline = Clock::now() + options.deadline;
  // A Prepared must not move after its pointers are taken: it stays in the Result that prepare returned.
  const auto prepared = prepare(argv, options);
  if (!prepared) return prepared.error();
  GPUWRIGHT_TRY(auto output, make_pipe());
  GPUWRIGHT_TRY(auto errors, make_pipe());
  GPUWRIGHT_TRY(auto failure, make_pipe());
  const pid_t child = ::fork();
  if (child < 0) return system_error(errno, argv.front());
  if (child == 0) become_tool(*prepared, output.writer.get(), errors.writer.get(), failure.writer.get());
  ::setpgid(child, child);  // in both processes: whichever comes first
  output.writer.reset();
  errors.writer.reset();
  failure.writer.reset();

  ProcessResult result;
  std::array<Drain, 2> drains = {Drain{std::move(output.reader), &result.output, options.output_limit},
                                 Drain{std::move(errors.reader), &result.errors, options.error_limit}};
  follow(child, drains, deadline, result);
  finish(child, result);
  int reason = 0;
  ::fcntl(failure.reader.get(), F_SETFL, O_NONBLOCK);
  if (::read(failure.reader.get(), &reason, sizeof reason) == sizeof reason)
    return system_error(reason, argv.front());
  return result;
}

}  // namespace gpuwright::base
