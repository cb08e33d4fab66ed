// SPDX-License-Identifier: Apache-2.0
#include "host/nvml_worker.h"

#include "base/text.h"
#include "host/forked.h"
#include "host/nvml_abi.h"
#include "host/nvml_probe.h"
#include "host/nvml_words.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <string_view>

namespace gpuwright::host {

namespace {

using base::Result;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kWhole = -1;                      // not about one GPU
constexpr std::size_t kMostText = std::size_t{4} << 20;  // of one worker
constexpr std::int64_t kMostGpus = 64;

/// The answers so far, by GPU.
struct Book {
  std::map<std::int64_t, std::string> text;
  std::optional<base::Error> no_library;
  std::int64_t count = 0;  ///< of GPUs
};

/// One worker as its parent sees it.
class Worker {
 public:
  static Result<Worker> start(const NvmlProbe& probe, const NvmlDeadlines& deadlines,
                              const std::vector<std::uint32_t>& gpus) {
    Worker worker;
    GPUWRIGHT_TRY(worker.child_, Forked::start("gpuwright-nvml", [&](int fd) { probe(fd, gpus); }));
    worker.deadlines_ = deadlines;
    worker.asked_ = worker.gpu_began_ = Clock::now();
    return worker;
  }

  int fd() const { return child_.fd(); }
  bool running() const { return running_; }
  /// The GPU whose answer did not come.
  std::optional<std::int64_t> stopped_at() const { return stopped_at_; }

  /// Takes what it wrote.
  void read(Book& book) {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(fd(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {  // the library took the worker down with it
      stopped_at_ = gpu_;
      return end(book, "the call ended the process");
    }
    taken_ += static_cast<std::size_t>(got);
    if (taken_ > kMostText) return end(book, "the worker told too much");
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t from = 0;
    for (std::size_t at = pending_.find('\n'); at != std::string::npos && running_;
         at = pending_.find('\n', from)) {
      line(std::string_view(pending_).substr(from, at - from), book);
      from = at + 1;
    }
    pending_.erase(0, from);
  }

  Clock::time_point deadline() const {
    return std::min(asked_ + deadlines_.call, gpu_began_ + deadlines_.gpu);
  }

  /// Gives up on it when its time is over.
  void look_at_clock(Book& book) {
    if (!running_ || Clock::now() < deadline()) return;
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked_);
    stopped_at_ = gpu_;
    end(book, fmt::format("no answer after {} ms", waited.count()));
  }

 private:
  void line(std::string_view text, Book& book) {
    const char tag = text.empty() ? ' ' : text.front();
    const std::string_view rest = text.empty() ? text : text.substr(1);
    std::string& page = book.text[gpu_];
    if (tag == '.') {
      running_ = false;
      child_.end();
    } else if (tag == 'e') {
      const auto kind = base::parse_int(rest.substr(0, rest.find(' '))).value_or(0);
      book.no_library =
          base::make_error(static_cast<base::ErrorKind>(kind), std::string(rest.substr(rest.find(' ') + 1)));
    } else if (tag == 'h' || tag == '+') {
      page += std::string(rest) + "\n";
    } else if (tag == 'g') {
      gpu_ = std::clamp<std::int64_t>(base::parse_int(rest).value_or(0), 0, kMostGpus);  // once or again
      book.text[gpu_] = fmt::format("GPU {}\n", gpu_);
      gpu_began_ = asked_ = Clock::now();
    } else if (tag == '?') {
      const std::size_t space = rest.find(' ');
      key_ = rest.substr(0, space);
      call_ = rest.substr(std::min(rest.size(), space + 1));
      asked_ = Clock::now();
    } else if (tag == '=') {
      answer(rest, page, book);
      asked_ = Clock::now();
    }
  }

  /// "RETURN MICROSECONDS TEXT".
  void answer(std::string_view rest, std::string& page, Book& book) {
    const std::vector<std::string_view> words = base::words(rest);
    const auto result = words.empty() ? std::nullopt : base::parse_int(words[0]);
    if (!result || words.size() < 2) return;
    const auto code = static_cast<nvml::Return>(*result);
    const std::string_view took = words[1];
    const std::size_t at = rest.find(' ', rest.find(' ') + 1);
    const std::string_view text = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    if (key_ == "count" && code == nvml::Return::Success)
      book.count = std::clamp<std::int64_t>(base::parse_int(text).value_or(0), 0, kMostGpus);
    // In nvidia-smi's words: whoever knows them from there is understood here.
    if (key_ == "init" && code != nvml::Return::Success)
      page += fmt::format("Failed to initialize NVML: {}\n", nvml::words_of(code));
    if (code == nvml::Return::Success) {
      page += fmt::format("{}: {}  [{}, {} us]\n", key_, text, call_, took);
    } else if (code == nvml::Return::FunctionNotFound) {
      page += fmt::format("{}: [Not Supported]  [{} is missing in this driver]\n", key_, call_);
    } else {
      page += fmt::format("{}: [{}]  [{} returned {}, {} us]\n", key_, nvml::words_of(code), call_, *result,
                          took);
    }
    key_.clear();
  }

  void end(Book& book, const std::string& why) {
    running_ = false;
    if (!key_.empty()) book.text[gpu_] += fmt::format("{}: [{}]  [{}]\n", key_, why, call_);
    child_.end();
  }

  Forked child_;
  NvmlDeadlines deadlines_;
  std::string pending_;
  std::size_t taken_ = 0;
  std::int64_t gpu_ = kWhole;
  // The question that is open; opening the library comes first.
  std::string key_ = "init";
  std::string call_ = "nvmlInit_v2";
  Clock::time_point asked_;
  Clock::time_point gpu_began_;
  bool running_ = true;
  std::optional<std::int64_t> stopped_at_;
};

bool is_ready(const std::vector<pollfd>& polls, int fd) {
  return std::any_of(polls.begin(), polls.end(),
                     [fd](const pollfd& one) { return one.fd == fd && one.revents != 0; });
}

/// Follows all of them until each has ended or hangs.
void follow(std::vector<Worker>& workers, Book& book) {
  for (;;) {
    std::vector<pollfd> polls;
    auto next = Clock::time_point::max();
    for (const Worker& worker : workers) {
      if (!worker.running()) continue;
      polls.push_back({worker.fd(), POLLIN, 0});
      next = std::min(next, worker.deadline());
    }
    if (polls.empty()) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    (void)::poll(polls.data(), polls.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 10'000)));
    for (Worker& worker : workers) {
      if (worker.running() && is_ready(polls, worker.fd())) worker.read(book);
      worker.look_at_clock(book);
    }
  }
}

/// After a first worker stopped at a GPU: the GPUs behind it, each by a worker of its own, all at once.
base::Status ask_the_rest(std::int64_t stopped, const NvmlDeadlines& deadlines, const NvmlProbe& probe,
                          Book& book) {
  std::vector<Worker> workers;
  Book rest;
  for (std::int64_t gpu = stopped + 1; gpu < book.count; ++gpu) {
    GPUWRIGHT_TRY(auto worker, Worker::start(probe, deadlines, {static_cast<std::uint32_t>(gpu)}));
    workers.push_back(std::move(worker));
  }
  follow(workers, rest);
  for (std::int64_t gpu = stopped + 1; gpu < book.count; ++gpu) {
    const auto page = rest.text.find(gpu);
    book.text[gpu] = page != rest.text.end()
                         ? page->second
                         : fmt::format("GPU {}\nhandle: [no answer after {} ms]  [nvmlInit_v2]\n", gpu,
                                       deadlines.call.count());
  }
  return base::Done{};
}

}  // namespace

Result<std::string> ask_nvml(const NvmlDeadlines& deadlines, const NvmlProbe& probe) {
  Book book;
  std::vector<Worker> first;
  GPUWRIGHT_TRY(auto worker, Worker::start(probe, deadlines, {}));
  first.push_back(std::move(worker));
  follow(first, book);
  if (book.no_library) return *book.no_library;
  const std::optional<std::int64_t> stopped = first.front().stopped_at();
  if (stopped && *stopped != kWhole) {
    GPUWRIGHT_TRY([[maybe_unused]] auto done, ask_the_rest(*stopped, deadlines, probe, book));
  }
  std::string text = "gpuwright: NVML answers, version 1\n";
  for (const auto& page : book.text) text += page.second;
  return text;
}

Result<std::string> ask_nvml(const NvmlDeadlines& deadlines) {
  return ask_nvml(deadlines, nvml::run_probe);
}

}  // namespace gpuwright::host
