// See the header.
// SPDX-License-Identifier: Apache-2.0
#include "app/looker.h"

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "kit/json.h"
#include "parse/doctor_answer.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

namespace gpuwright::app {

namespace {

constexpr std::size_t kMostAnswer = std::size_t{8} << 20;

std::int64_t since_boot_ns() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);  // the kernel's log counts so
  constexpr std::int64_t kNano = 1'000'000'000;
  return static_cast<std::int64_t>(time.tv_sec) * kNano + time.tv_nsec;
}

std::string recovered_text(const Recovered& recovered) {
  std::string text;
  for (const auto& [gpu, at_ns] : recovered) {
    constexpr double kNano = 1e-9;
    text += fmt::format("{}{}={:.3f}", text.empty() ? "" : ",", gpu, static_cast<double>(at_ns) * kNano);
  }
  return text;
}

/// In the child: runs the look and hands its words over.
void run_look(int fd, const std::vector<std::string>& argv, std::chrono::milliseconds deadline) {
  base::ProcessOptions options;
  options.deadline = deadline;
  options.output_limit = kMostAnswer;
  options.whole_environment = true;  // which library, for tests
  const auto ran = base::run_process(argv, options);
  const std::string text = ran ? ran->output : std::string();
  (void)base::write_all(fd, text, "look").ok();
}

}  // namespace

Looker::Looker(kit::EventLoop& loop, LookerOptions options, LookFunction tell)
    : loop_(loop), options_(std::move(options)), tell_(std::move(tell)) {}

Looker::~Looker() {
  readable_.cancel();
}

void Looker::look_soon() {
  if (child_.running()) {
    again_ = true;
    return;
  }
  if (planned_soon_) return;  // what goes on and on must not put it off again and again
  plan_soon();
}

/// A look that took long is not repeated at once: events that do not end would be one look after the other.
void Looker::plan_soon() {
  constexpr int kRest = 10;
  const auto rest = began_ + kRest * took_ - std::chrono::steady_clock::now();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(rest);
  planned_soon_ = true;
  next_ = loop_.after(std::max(options_.soon, left), [this] { look(); });
}

void Looker::recovered(const std::string& pci, double ago_s) {
  constexpr double kNano = 1e9;
  const auto ago_ns = static_cast<std::int64_t>(std::max(ago_s, 0.0) * kNano);
  std::int64_t& at_ns = recovered_[pci];
  at_ns = std::max({at_ns, since_boot_ns() - ago_ns, std::int64_t{0}});
  look_soon();
}

std::vector<pid_t> Looker::children() const {
  return child_.running() ? std::vector<pid_t>{child_.pid()} : std::vector<pid_t>();
}

void Looker::look() {
  std::vector<std::string> argv = {options_.program, "doctor", "--json", "--quiet"};
  if (!options_.data.empty()) argv.insert(argv.end(), {"--data", options_.data});
  if (!recovered_.empty()) argv.insert(argv.end(), {"--recovered", recovered_text(recovered_)});
  answer_.clear();
  again_ = false;
  planned_soon_ = false;
  if (!held_.empty()) {
    tell_(base::make_error(base::ErrorKind::Unsupported, held_));
    next_ = loop_.after(options_.period, [this] { look(); });
    return;
  }
  began_ = std::chrono::steady_clock::now();
  auto child = host::Forked::start("gpuwright-look", [&](int fd) { run_look(fd, argv, options_.deadline); });
  if (!child) {
    tell_(child.error());
    next_ = loop_.after(options_.period, [this] { look(); });
    return;
  }
  child_ = std::move(*child);
  ::fcntl(child_.fd(), F_SETFL, ::fcntl(child_.fd(), F_GETFL) | O_NONBLOCK);
  auto waiting = loop_.on_readable(child_.fd(), [this] { read(); });
  if (!waiting) return finish();
  readable_ = std::move(*waiting);
  deadline_ = loop_.after(options_.deadline + options_.soon, [this] { finish(); });
}

void Looker::read() {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(child_.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0 || answer_.size() > kMostAnswer) break;
    answer_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  finish();
}

void Looker::finish() {
  readable_.cancel();
  deadline_.cancel();
  (void)child_.end();
  if (answer_.empty()) {
    tell_(base::make_error(base::ErrorKind::TimedOut, "the look at the whole machine gave no answer"));
  } else {
    tell_(conditions_of(answer_));
  }
  answer_.clear();
  took_ = std::chrono::steady_clock::now() - began_;
  if (again_) return plan_soon();
  next_ = loop_.after(options_.period, [this] { look(); });
}

base::Result<std::vector<model::Condition>> conditions_of(const std::string& json) {
  GPUWRIGHT_TRY(const auto root, kit::parse_json(json, "look"));
  GPUWRIGHT_TRY(const auto report, parse::read_doctor_answer(root, "look"));
  std::vector<model::Condition> conditions;
  const auto& nodes = root["findings"].items;
  for (std::size_t at = 0; at < report.findings.size() && at < nodes.size(); ++at) {
    const model::NodeFinding& finding = report.findings[at];
    model::Condition condition;
    condition.cause = finding.cause;
    condition.title = finding.title;
    condition.severity = finding.severity;
    condition.subject = base::printable(nodes[at]["subject"]["id"].text(), 100);
    constexpr std::size_t kMostParams = 64;
    for (const auto& [name, value] : nodes[at]["parameters"].entries) {
      if (condition.params.size() < kMostParams)
        condition.params[base::printable(name, 60)] = base::printable(value.text(), 200);
    }
    for (const kit::Node& line : nodes[at]["evidence"].items)
      condition.evidence.push_back(base::printable(line["text"].text()));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

}  // namespace gpuwright::app
