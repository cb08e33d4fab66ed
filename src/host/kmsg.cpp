// Kernel records to plain kernel log lines; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/kmsg.h"

#include "base/files.h"
#include "base/text.h"
#include "kit/json.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <vector>

namespace gpuwright::host {

namespace {

// The kernel's own limit for one extended record is 8192 bytes; a read into less than the record fails.
constexpr std::size_t kRecordSize = 16384;
constexpr int kMaxBadReads = 1000;

constexpr std::int64_t kFacilityShift = 3;  // priority = facility * 8 + level; the kernel's facility is 0

/// "\x0a" and the like back to bytes; other control bytes become '?'.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escape = text[at] == '\\' && at + 3 < text.size() && text[at + 1] == 'x';
    const auto code = escape ? base::parse_hex(text.substr(at + 2, 2)) : std::nullopt;
    if (!code) {
      plain += text[at];
      continue;
    }
    at += 3;
    const char byte = static_cast<char>(*code);
    const bool printable = *code >= 0x20 && *code != 0x7f;
    plain += printable || byte == '\n' || byte == '\t' ? byte : '?';
  }
  return plain;
}

/// Each line of a message gets the record's time, as dmesg prints it.
void append_message(KernelLog& log, std::int64_t microseconds, std::string_view message) {
  for (const auto line : base::lines(message)) {
    log.text += fmt::format("[{:5}.{:06}] ", microseconds / 1000000, microseconds % 1000000);
    log.text += line;
    log.text += '\n';
  }
}

/// Drops the oldest lines beyond the limit; they count as lost.
void keep_newest(KernelLog& log, std::size_t limit) {
  if (log.text.size() <= 2 * limit) return;
  const auto cut = log.text.find('\n', log.text.size() - limit);
  const auto from = cut == std::string::npos ? log.text.size() : cut + 1;
  for (std::size_t at = 0; at < from; ++at) log.lost += log.text[at] == '\n' ? 1 : 0;
  log.text.erase(0, from);
}

}  // namespace

std::optional<KernelRecord> parse_kernel_record(std::string_view text) {
  const auto semicolon = text.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  const auto fields = base::split(text.substr(0, semicolon), ',');
  if (fields.size() < 3) return std::nullopt;
  const auto priority = base::parse_int(fields[0]);
  const auto sequence = base::parse_int(fields[1]);
  const auto microseconds = base::parse_int(fields[2]);
  if (!priority || !sequence || !microseconds) return std::nullopt;
  // Behind the message stand lines of the device dictionary (" SUBSYSTEM=pci"), which begin with a space.
  auto message = text.substr(semicolon + 1);
  message = message.substr(0, message.find('\n'));
  KernelRecord record;
  record.of_kernel = (*priority >> kFacilityShift) == 0;
  record.sequence = *sequence;
  record.microseconds = *microseconds;
  record.message = unescape(message);
  return record;
}

base::Result<KernelLogFollower> KernelLogFollower::open(const std::string& path) {
  KernelLogFollower follower;
  follower.fd_ = base::Fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!follower.fd_.valid()) return base::system_error(errno, path);
  struct stat status = {};
  follower.device_ = ::fstat(follower.fd_.get(), &status) == 0 && S_ISCHR(status.st_mode);
  if (follower.device_) (void)::lseek(follower.fd_.get(), 0, SEEK_END);
  return follower;
}

void KernelLogFollower::take(std::string_view text, std::vector<KernelRecord>& records) {
  auto record = parse_kernel_record(text);
  if (!record) return;
  if (expected_ && record->sequence > *expected_)
    lost_ += static_cast<std::uint64_t>(record->sequence - *expected_);
  expected_ = record->sequence + 1;
  records.push_back(std::move(*record));
}

bool KernelLogFollower::read(std::vector<KernelRecord>& records, std::size_t most) {
  std::array<char, kRecordSize> buffer;
  for (std::size_t i = 0; i < most; ++i) {
    const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL)) continue;  // as below
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) {
      ended_ = true;
      return true;
    }
    const std::string_view text(buffer.data(), static_cast<std::size_t>(got));
    if (device_) {
      take(text, records);
      continue;
    }
    pending_ += text;
    std::size_t from = 0;
    for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n', from)) {
      take(std::string_view(pending_).substr(from, end - from), records);
      from = end + 1;
    }
    pending_.erase(0, from);
    if (pending_.size() > kRecordSize) pending_.clear();
  }
  return false;
}

base::Result<KernelLog> read_kernel_records(const ReadRecord& read, std::size_t limit) {
  KernelLog log;
  std::string buffer(kRecordSize, '\0');
  std::optional<std::int64_t> expected;
  int bad_reads = 0;
  while (true) {
    const ssize_t got = read(buffer.data(), buffer.size());
    if (got == 0 || got == -EAGAIN) break;
    if (got < 0) {
      // EPIPE: the next record was overwritten; the gap in the numbers will tell how many. EINVAL: too long a
      // record, the kernel moved on.
      const bool goes_on = got == -EPIPE || got == -EINTR || got == -EINVAL;
      if (!goes_on || ++bad_reads > kMaxBadReads)
        return base::system_error(static_cast<int>(-got), "kernel log");
      continue;
    }
    const auto record = parse_kernel_record(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    if (!record) continue;
    if (!expected) log.overwritten = record->sequence;
    if (expected && record->sequence > *expected) log.lost += record->sequence - *expected;
    expected = record->sequence + 1;
    if (!record->of_kernel) {
      ++log.foreign;
      continue;
    }
    ++log.records;
    append_message(log, record->microseconds, record->message);
    keep_newest(log, limit);
  }
  return log;
}

base::Result<KernelLog> read_kmsg(const std::string& path, std::size_t limit) {
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd.valid()) return base::system_error(errno, path);
  const auto read_one = [&fd](char* buffer, std::size_t size) {
    const ssize_t got = ::read(fd.get(), buffer, size);
    return got < 0 ? static_cast<ssize_t>(-errno) : got;
  };
  return read_kernel_records(read_one, limit);
}

namespace {

/// A journal field as text; the journal writes one with control bytes as a list of numbers.
std::string journal_text(const kit::Node& node) {
  if (!node.is_sequence()) return node.text();
  std::string text;
  for (const auto& byte : node.texts()) {
    const auto code = base::parse_int(byte).value_or('?');
    const bool printable = code >= 0x20 && code < 256 && code != 0x7f;
    text += printable || code == '\n' || code == '\t' ? static_cast<char>(code) : '?';
  }
  return text;
}

}  // namespace

base::Result<KernelLog> kernel_log_from_journal(std::string_view json_lines) {
  KernelLog log;
  bool any = false;
  for (const auto line : base::lines(json_lines)) {
    const auto entry = kit::parse_json(line, "journal");
    if (!entry || (*entry)["_TRANSPORT"].text() != "kernel") continue;
    any = true;
    // What a program wrote into the kernel log keeps a facility of its own; the kernel's is 0 or absent.
    const auto& facility = (*entry)["SYSLOG_FACILITY"].text();
    if (!facility.empty() && facility != "0") {
      ++log.foreign;
      continue;
    }
    const auto source_time = base::parse_int((*entry)["_SOURCE_MONOTONIC_TIMESTAMP"].text());
    const auto time = source_time ? source_time : base::parse_int((*entry)["__MONOTONIC_TIMESTAMP"].text());
    ++log.records;
    append_message(log, time.value_or(0), journal_text((*entry)["MESSAGE"]));
  }
  if (!any)
    return base::make_error(base::ErrorKind::Malformed, "the journal holds no kernel records", "journalctl");
  return log;
}

}  // namespace gpuwright::host
