// Asking the reader, and what the reader does; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/reader.h"

#include "base/ids.h"
#include "base/text.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;
using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kSlow{20'000};  // what is faster is not worth counting
constexpr std::uint64_t kMostAnswer = std::uint64_t{1} << 30;

// Both ends are the same program: plain structures go over the socket.
struct QuestionHead {
  std::uint32_t ask;
  std::uint32_t path_size;
  std::uint64_t limit;
};
struct AnswerHead {
  std::uint32_t ok;
  std::uint32_t kind;  ///< of the error
  std::uint64_t size;  ///< of the text behind it
};

template <class Structure>
void append_bytes(const Structure& structure, std::string& to) {
  to.append(reinterpret_cast<const char*>(&structure), sizeof structure);
}

/// Fills the whole buffer; false at the end.
bool take(int fd, char* buffer, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(fd, buffer, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffer += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string status_text(const base::FileStatus& status) {
  const base::DeviceNumber device = status.device.value_or(base::DeviceNumber{-1, -1});
  return fmt::format("{} {} {} {} {} {}", base::file_kind_name(status.kind), status.mode.value_or(0),
                     status.uid.value_or(0), status.gid.value_or(0), device.major, device.minor);
}

base::FileStatus status_from(std::string_view text) {
  const auto words = base::words(text);
  const auto number = [&words](std::size_t at) {
    return at < words.size() ? base::parse_int(words[at]).value_or(0) : 0;
  };
  base::FileStatus status;
  status.kind = base::file_kind_of_name(words.empty() ? std::string_view() : words.front());
  status.mode = static_cast<std::uint32_t>(number(1));
  status.uid = number(2);
  status.gid = number(3);
  if (number(4) >= 0) status.device = base::DeviceNumber{number(4), number(5)};
  return status;
}

std::string first_parts(const std::vector<std::string_view>& parts, std::size_t count) {
  std::string path;
  for (std::size_t at = 0; at < std::min(count, parts.size()); ++at) path += "/" + std::string(parts[at]);
  return path;
}

/// How many leading parts of such a path name a thing that can be sick alone; 0 where no rule speaks.
std::size_t parts_of_subject(const std::vector<std::string_view>& parts) {
  const auto is = [&parts](std::size_t at, std::string_view name) {
    return at < parts.size() && parts[at] == name;
  };
  if (is(0, "sys") && is(1, "bus") && is(3, "devices")) return 5;
  if (is(0, "sys") && is(1, "class")) return 4;
  if (is(0, "sys") && is(1, "block")) return 3;
  if (is(0, "proc") && is(1, "driver") && is(3, "gpus")) return 5;
  if (is(0, "proc") && parts.size() > 2 && base::parse_int(parts[1])) return 2;
  if (is(0, "sys") && is(1, "devices")) {
    for (std::size_t at = parts.size(); at > 2; --at) {
      if (base::PciAddress::parse(parts[at - 1])) return at;
    }
  }
  return 0;
}

}  // namespace

std::string subject_of(const std::string& path) {
  const std::string whole = normal_path(path);
  const std::vector<std::string_view> parts = base::split(std::string_view(whole).substr(1), '/');
  const std::size_t known = parts_of_subject(parts);
  if (known > 0) return first_parts(parts, known);
  return parts.size() > 2 ? first_parts(parts, parts.size() - 1) : whole;
}

void Reader::serve(int fd, const LocalFiles& files) {
  QuestionHead head = {};
  std::string path;
  while (take(fd, reinterpret_cast<char*>(&head), sizeof head)) {
    path.resize(head.path_size);
    if (!take(fd, path.data(), path.size())) return;
    Result<std::string> text = std::string();
    if (head.ask == static_cast<std::uint32_t>(Ask::File)) {
      text = files.read_file(path, head.limit);
    } else if (head.ask == static_cast<std::uint32_t>(Ask::Link)) {
      text = files.read_link(path);
    } else if (head.ask == static_cast<std::uint32_t>(Ask::Folder)) {
      const auto names = files.list_directory(path);
      text = names ? Result<std::string>(base::join(*names, "/")) : names.error();
    } else {
      const auto status = files.status_of(path);
      text = status ? Result<std::string>(status_text(*status)) : status.error();
    }
    const std::string& said = text ? *text : text.error().message;
    const AnswerHead answer = {text.ok() ? 1U : 0U, text ? 0U : static_cast<std::uint32_t>(text.error().kind),
                               said.size()};
    std::string bytes;
    bytes.reserve(sizeof answer + said.size());
    append_bytes(answer, bytes);
    bytes += said;
    if (!base::write_all(fd, bytes, "reader")) return;
  }
}

milliseconds Reader::deadline() const {
  const auto left = duration_cast<milliseconds>(limits_.purse - paid_);
  return std::clamp(left / 2, limits_.least, limits_.request);
}

void Reader::pay(Subject& subject, microseconds took) {
  if (took < kSlow) return;
  paid_ += took;
  subject.waited += took;
  if (subject.waited >= limits_.subject && subject.closed.empty())
    subject.closed = fmt::format("not asked: its answers took {} ms already",
                                 duration_cast<milliseconds>(subject.waited).count());
}

/// The readers that earlier runs left behind, as far as they still wait.
void Reader::remember_earlier_looks() {
  remembered_ = true;
  const auto waiting = claims_.holders(kReaderClaim);
  for (const model::LeftBehind& one : waiting) {
    if (!one.what.starts_with(files_.root())) continue;
    subjects_[subject_of(one.what.substr(files_.root().size()))].closed =
        fmt::format("not asked: process {} of an earlier look still waits for {}", one.pid, one.what);
  }
  if (waiting.size() >= limits_.left_behind)
    closed_ = fmt::format("not asked: {} processes of earlier looks still wait", waiting.size());
}

Status Reader::start() {
  model::LeftBehind idle;  // without a number: it waits for nothing
  idle.what = "reading";
  auto claim = claims_.take(fmt::format("{}{}-{}", kReaderClaim, ::getpid(), ++children_), idle);
  claim_ = claim ? std::move(*claim) : Claim();
  GPUWRIGHT_TRY(child_, Forked::start(
                            "gpuwright-read", [this](int fd) { serve(fd, files_); }, claim_.fd()));
  patience_ = milliseconds(0);
  return base::Done{};
}

/// Ends the child; one that does not die keeps its claim, and says what it waits for.
void Reader::give_up(const std::string& path, milliseconds waited) {
  model::LeftBehind waiting = claim_of(files_.root() + normal_path(path));
  waiting.pid = child_.pid();
  waiting.since_ms -= waited.count();
  if (child_.end()) return claim_.release();
  ++left_behind_;
  claim_.write(waiting);
  claim_.leave();
}

/// One question and its answer. The error says why there is none: TimedOut, or Io when the reader died.
Result<Reader::Answer> Reader::exchange(const Question& question, milliseconds deadline) {
  if (!child_.running()) {
    GPUWRIGHT_TRY([[maybe_unused]] auto started, start());
  }
  if (patience_ != deadline) {
    const timeval wait = {deadline.count() / 1000, static_cast<suseconds_t>(deadline.count() % 1000 * 1000)};
    if (::setsockopt(child_.fd(), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) != 0)
      return base::system_error(errno, question.path);
    patience_ = deadline;
  }
  std::string bytes;
  append_bytes(QuestionHead{static_cast<std::uint32_t>(question.ask),
                            static_cast<std::uint32_t>(question.path.size()), question.limit},
               bytes);
  bytes += question.path;
  GPUWRIGHT_TRY([[maybe_unused]] auto sent, base::write_all(child_.fd(), bytes, question.path));

  const Clock::time_point until = Clock::now() + deadline;
  std::string got;
  std::array<char, 65536> buffer;
  AnswerHead head = {};
  do {
    const ssize_t size = ::recv(child_.fd(), buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    const bool late = size < 0 ? errno == EAGAIN : Clock::now() > until && size > 0;
    if (late) return make_error(ErrorKind::TimedOut, "", question.path);
    if (size <= 0) return make_error(ErrorKind::Io, "reading it ended the reader", question.path);
    got.append(buffer.data(), static_cast<std::size_t>(size));
    if (got.size() >= sizeof head) std::memcpy(&head, got.data(), sizeof head);
    if (head.size > kMostAnswer) return make_error(ErrorKind::Io, "the reader told too much", question.path);
  } while (got.size() < sizeof head || got.size() - sizeof head < head.size);
  Answer answer;
  answer.ok = head.ok != 0;
  answer.kind = static_cast<ErrorKind>(head.kind);
  answer.text = got.substr(sizeof head);
  return answer;
}

/// Why nothing more is asked of this subject, or of any; empty where nothing speaks against it.
std::string Reader::refusal(const Subject& subject) const {
  if (!closed_.empty()) return closed_;
  if (!subject.closed.empty()) return subject.closed;
  if (hangs_ >= limits_.hangs) return fmt::format("not asked: {} other reads hang", hangs_);
  if (paid_ >= 2 * limits_.purse)
    return fmt::format("not asked: slow reads took {} ms already",
                       duration_cast<milliseconds>(paid_).count());
  return {};
}

base::Error Reader::no_answer(const std::string& path, Subject& subject, std::string why) {
  if (!subject.told) unanswered_.push_back({path, why});
  subject.told = true;
  return make_error(ErrorKind::TimedOut, std::move(why), path);
}

Result<std::string> Reader::ask(const Question& question) {
  const std::string& path = question.path;
  if (!remembered_) remember_earlier_looks();
  const std::string name = subject_of(question.ask == Ask::Folder ? base::join_path(path, "any") : path);
  Subject& subject = subjects_[name];
  if (const std::string why = refusal(subject); !why.empty()) return no_answer(path, subject, why);
  const Clock::time_point begin = Clock::now();
  auto answer = exchange(question, deadline());
  const auto took = duration_cast<microseconds>(Clock::now() - begin);
  pay(subject, took);
  if (answer && answer->ok) return std::move(answer->text);
  if (answer) return make_error(answer->kind, answer->text, path);
  const auto waited = duration_cast<milliseconds>(took);
  give_up(path, waited);
  if (answer.error().kind != ErrorKind::TimedOut) {
    subject.closed = "not asked: " + answer.error().message;
    return answer.error();
  }
  ++hangs_;
  subject.closed = fmt::format("not asked: {} gave no answer in {} ms", path, waited.count());
  return no_answer(path, subject,
                   fmt::format("no answer after {} ms: the driver or the device hangs", waited.count()));
}

void Reader::hurry() {
  constexpr milliseconds kHurry{400};
  limits_.request = std::min(limits_.request, kHurry / 2);
  limits_.purse = std::min(limits_.purse, duration_cast<milliseconds>(paid_) + kHurry);
}

Result<std::string> Reader::read_file(const std::string& path, std::size_t limit) {
  return ask({Ask::File, path, limit});
}

Result<std::vector<std::string>> Reader::list_directory(const std::string& path) {
  GPUWRIGHT_TRY(const auto text, ask({Ask::Folder, path}));
  std::vector<std::string> names;
  if (text.empty()) return names;
  for (const auto name : base::split(text, '/')) names.emplace_back(name);
  return names;
}

Result<std::string> Reader::read_link(const std::string& path) {
  return ask({Ask::Link, path});
}

Result<base::FileStatus> Reader::status_of(const std::string& path) {
  GPUWRIGHT_TRY(const auto text, ask({Ask::Status, path}));
  return status_from(text);
}

}  // namespace gpuwright::host
