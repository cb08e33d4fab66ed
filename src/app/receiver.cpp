// See the header. Which answers are final: RFC 9110, section 15; 408 and 429 ask to come again.
// SPDX-License-Identifier: Apache-2.0
#include "app/receiver.h"

#include "base/files.h"
#include "base/text.h"
#include "base/url.h"
#include "kit/http_client.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace gpuwright::app {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostAnswer = 4096;
constexpr milliseconds kGrace{2000};  // for the child to say that it was too late

/// What the child tells: a letter, and why. 'T'aken, 'R'efused for good, 'L'ater perhaps.
std::string post(const ReceiverOptions& options, const std::string& text) {
  kit::HttpCall call;
  call.url = options.url;
  call.method = "POST";
  call.headers = {{"Content-Type", "application/json"}};
  call.body = text;
  call.deadline = options.deadline;
  call.authorities = options.authorities;
  if (!options.header_file.empty()) {
    const auto headers = read_header_file(options.header_file);
    if (!headers) return "L" + headers.error().text();
    for (const auto& [name, value] : *headers) call.headers.push_back({name, value});
  }
  const auto answer = kit::http_call(call);
  if (!answer) return "L" + answer.error().message;
  if (answer->status >= 200 && answer->status < 300) return "T";
  constexpr int kTimeout = 408, kTooMany = 429;
  const bool final_word = answer->status >= 300 && answer->status < 500 && answer->status != kTimeout &&
                          answer->status != kTooMany;
  return fmt::format("{}it answers {} {}", final_word ? 'R' : 'L', answer->status,
                     kit::status_phrase(answer->status));
}

/// Host and port alone: the path of a webhook is often its secret.
std::string shown(const std::string& url) {
  const auto parsed = base::parse_url(url);
  return parsed ? parsed->scheme + "://" + base::host_port_text(parsed->host, parsed->port)
                : std::string("?");
}

}  // namespace

base::Result<std::vector<std::pair<std::string, std::string>>> read_header_file(const std::string& path) {
  constexpr std::size_t kMost = 16384;
  GPUWRIGHT_TRY(const std::string text, base::read_file(path, kMost));
  std::vector<std::pair<std::string, std::string>> headers;
  for (const std::string_view line : base::lines(text)) {
    if (base::trim(line).empty()) continue;
    const std::size_t colon = line.find(':');
    const std::string_view name = base::trim(line.substr(0, colon));
    const auto no_token = [](char c) { return c <= ' ' || c > '~' || c == ':' || c == '"'; };
    if (colon == std::string_view::npos || name.empty() || std::any_of(name.begin(), name.end(), no_token))
      return base::make_error(base::ErrorKind::Malformed, "a line that is no header; write: Name: value",
                              path);
    const std::string_view value = base::trim(line.substr(colon + 1));
    if (std::any_of(value.begin(), value.end(), [](char c) { return c >= 0 && c < ' ' && c != '\t'; }))
      return base::make_error(base::ErrorKind::Malformed, "a header holds a control character", path);
    headers.emplace_back(name, value);
  }
  return headers;
}

Receiver::Receiver(kit::EventLoop& loop, ReceiverOptions options, std::function<void(const std::string&)> log)
    : loop_(loop), options_(std::move(options)), log_(std::move(log)) {
  state_.name = options_.name;
  state_.where = shown(options_.url);
}

Receiver::~Receiver() {
  readable_.cancel();
}

void Receiver::send(std::string text) {
  if (waiting_.size() >= options_.most_waiting) {
    waiting_.pop_front();
    ++state_.dropped;
  }
  waiting_.push_back(std::move(text));
  start();
}

void Receiver::send_newest(std::string text) {
  waiting_.clear();
  waiting_.push_back(std::move(text));
  start();
}

std::vector<pid_t> Receiver::children() const {
  return child_.running() ? std::vector<pid_t>{child_.pid()} : std::vector<pid_t>();
}

void Receiver::start() {
  state_.waiting = waiting_.size() + (child_.running() ? 1 : 0);
  if (child_.running() || again_.active() || waiting_.empty()) return;
  under_way_ = std::move(waiting_.front());
  waiting_.pop_front();
  answer_.clear();
  auto child = host::Forked::start("gpuw-notice", [this](int fd) {
    (void)base::write_all(fd, post(options_, under_way_), "notice").ok();
  });
  if (!child) return failed(child.error().message, false);
  child_ = std::move(*child);
  ::fcntl(child_.fd(), F_SETFL, ::fcntl(child_.fd(), F_GETFL) | O_NONBLOCK);
  auto waiting = loop_.on_readable(child_.fd(), [this] { read(); });
  if (!waiting) return finish();
  readable_ = std::move(*waiting);
  deadline_ = loop_.after(options_.deadline + kGrace, [this] { finish(); });
}

void Receiver::read() {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(child_.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0 || answer_.size() > kMostAnswer) break;
    answer_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  finish();
}

void Receiver::finish() {
  readable_.cancel();
  deadline_.cancel();
  (void)child_.end();
  const std::string answer = std::exchange(answer_, {});
  if (answer.empty()) return failed("no answer in time", false);
  if (answer.front() == 'T') return taken();
  failed(base::printable(answer.substr(1)), answer.front() == 'R');
}

void Receiver::taken() {
  ++state_.delivered;
  if (!state_.up && log_ && !state_.why.empty())
    log_(fmt::format("{} {}: takes notices again", state_.name, state_.where));
  state_.up = true;
  state_.why.clear();
  under_way_.clear();
  pause_ = milliseconds(0);
  start();
}

/// What may still be taken goes back in front, and is tried again after a pause.
void Receiver::failed(const std::string& why, bool for_good) {
  ++state_.failed;
  const bool news = state_.up || state_.why != why;
  state_.up = false;
  state_.why = why;
  if (news && log_)
    log_(fmt::format("{} {}: {}; {}", state_.name, state_.where, why,
                     for_good ? "the notice is given up" : "it is tried again"));
  if (for_good) {
    ++state_.dropped;
    under_way_.clear();
  } else if (waiting_.size() >= options_.most_waiting) {
    ++state_.dropped;  // newer ones have taken its place
  } else {
    waiting_.push_front(std::exchange(under_way_, {}));
  }
  pause_ = std::clamp(pause_ * 2, options_.first_retry, options_.longest_retry);
  state_.waiting = waiting_.size();
  again_ = loop_.after(pause_, [this] {
    again_.cancel();
    start();
  });
}

}  // namespace gpuwright::app
