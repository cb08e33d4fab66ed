// Recording, redacting and packing; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/recording.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "kit/archive.h"
#include "kit/hash.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace gpuwright::host {

namespace {

using base::make_error;
using base::Result;
using base::Status;

constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string text_or(const Redactor* redactor, const std::string& text) {
  return redactor == nullptr ? text : redactor->redact(text);
}

/// Questions come from our own list and name devices at most; messages and the names of inputs may name
/// anybody.
void redact_manifest(Manifest& manifest, const Redactor* redactor) {
  if (redactor == nullptr) return;
  for (auto& failure : manifest.could_not_read) {
    if (failure.question.starts_with("input ")) failure.question = redactor->redact(failure.question);
    failure.message = redactor->redact(failure.message);
  }
  for (auto& link : manifest.links) link.second = redactor->redact(link.second);
}

/// Text from a Windows editor as UTF-8: in UTF-16 no name would be recognised.
std::string without_utf16(std::string_view text) {
  const bool little = text.starts_with("\xff\xfe");
  const std::size_t low = little ? 0 : 1;
  std::string plain;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) {
    const unsigned code = static_cast<unsigned char>(text[at + low]) |
                          (static_cast<unsigned>(static_cast<unsigned char>(text[at + 1 - low])) << 8);
    if (code < 0x80) {
      plain += static_cast<char>(code);
    } else if (code < 0x800) {
      plain += static_cast<char>(0xc0 | (code >> 6));
      plain += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      const unsigned shown = code >= 0xd800 && code < 0xe000 ? 0xfffdU : code;  // a half character
      plain += static_cast<char>(0xe0 | (shown >> 12));
      plain += static_cast<char>(0x80 | ((shown >> 6) & 0x3f));
      plain += static_cast<char>(0x80 | (shown & 0x3f));
    }
  }
  return plain;
}

bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

/// Appends a recorded range to the outgoing spool, redacted piece by piece, and describes it.
Result<Spool::Range> pack_entry(std::string_view content, const Redactor* redactor, Spool& out,
                                kit::Sha256& hash) {
  Spool::Range range = {out.size(), 0};
  Status status = base::Done{};
  const auto write = [&](std::string_view piece) {
    hash.update(piece);
    range.length += static_cast<std::int64_t>(piece.size());
    if (status) status = out.append(piece);
  };
  if (redactor == nullptr) {
    write(content);
  } else if (is_utf16(content)) {
    redactor->redact(without_utf16(content), kPiece, write);
  } else {
    redactor->redact(content, kPiece, write);
  }
  if (!status) return status.error();
  return range;
}

struct Packed {
  BundleMember member;
  Spool::Range range;
};

}  // namespace

Recording::Recording(Source& inner, std::shared_ptr<Spool> spool, std::int64_t max_file)
    : inner_(inner), spool_(std::move(spool)), max_file_(max_file) {}

bool Recording::keep(const std::string& member) {
  return std::none_of(entries_.begin(), entries_.end(),
                      [&member](const Entry& entry) { return entry.member == member; });
}

Status Recording::keep_text(const std::string& member, std::string_view text) {
  if (!keep(member)) return base::Done{};
  Entry entry;
  entry.member = member;
  entry.range = {spool_->size(), static_cast<std::int64_t>(text.size())};
  GPUWRIGHT_TRY([[maybe_unused]] auto done, spool_->append(text));
  entries_.push_back(std::move(entry));
  return base::Done{};
}

void Recording::failed(std::string question, const base::Error& error) {
  for (const auto& failure : manifest_.could_not_read) {
    if (failure.question == question) return;
  }
  manifest_.could_not_read.push_back({std::move(question), error.kind, error.message});
}

Result<std::unique_ptr<base::ByteStream>> Recording::open_file(const std::string& path) {
  const std::string member = member_for_file(path);
  auto stream = inner_.open_file(path);
  if (!stream) {
    failed("file " + normal_path(path), stream.error());
    return stream.error();
  }
  Entry entry;
  entry.member = member;
  const auto copied = spool_->append(**stream, max_file_, entry.range);
  if (!copied) {
    failed("file " + normal_path(path), copied.error());
    return copied.error();
  }
  if (keep(member)) entries_.push_back(entry);
  return spool_->open(entry.range);
}

Result<std::vector<std::string>> Recording::list_directory(const std::string& path) {
  auto names = inner_.list_directory(path);
  if (!names) {
    failed("folder " + normal_path(path), names.error());
  } else {
    manifest_.folders[normal_path(path)] = *names;
  }
  return names;
}

Result<std::string> Recording::read_link(const std::string& path) {
  auto target = inner_.read_link(path);
  if (!target) {
    failed("link " + normal_path(path), target.error());
  } else {
    manifest_.links[normal_path(path)] = *target;
  }
  return target;
}

Result<base::FileStatus> Recording::status_of(const std::string& path) {
  auto status = inner_.status_of(path);
  if (!status) {
    failed("status " + normal_path(path), status.error());
  } else {
    manifest_.statuses[normal_path(path)] = *status;
  }
  return status;
}

Result<CommandAnswer> Recording::run(const std::vector<std::string>& argv,
                                     std::chrono::milliseconds deadline) {
  auto answer = inner_.run(argv, deadline);
  if (!answer) {
    failed("command " + base::join(argv, " "), answer.error());
    return answer;
  }
  const std::string folder = "commands/" + command_slug(argv) + "/";
  base::JsonWriter arguments(0);
  arguments.begin_array();
  for (const auto& argument : argv) arguments.string(argument);
  arguments.end_array();
  base::JsonWriter status(0);
  status.begin_object().key("status").integer(answer->status).key("signal").integer(answer->signal);
  status.key("timed_out")
      .boolean(answer->timed_out)
      .key("output_cut")
      .boolean(answer->output_cut)
      .end_object();
  GPUWRIGHT_TRY([[maybe_unused]] auto argv_kept, keep_text(folder + "argv.json", arguments.text()));
  GPUWRIGHT_TRY([[maybe_unused]] auto output_kept, keep_text(folder + "stdout", answer->output));
  GPUWRIGHT_TRY([[maybe_unused]] auto errors_kept, keep_text(folder + "stderr", answer->errors));
  GPUWRIGHT_TRY([[maybe_unused]] auto status_kept, keep_text(folder + "status.json", status.text()));
  return answer;
}

Result<std::string> Recording::gpu_answers() {
  auto answers = inner_.gpu_answers();
  if (!answers) {
    failed(kNvmlQuestion, answers.error());
    return answers;
  }
  GPUWRIGHT_TRY([[maybe_unused]] auto kept, keep_text(kNvmlMember, *answers));
  return answers;
}

Result<std::string> Recording::device_holders() {
  auto holders = inner_.device_holders();
  if (!holders) {
    failed(kHoldersQuestion, holders.error());
    return holders;
  }
  GPUWRIGHT_TRY([[maybe_unused]] auto kept, keep_text(kHoldersMember, *holders));
  return holders;
}

Result<KernelLog> Recording::kernel_log() {
  auto log = inner_.kernel_log();
  if (!log) {
    failed("kernel log", log.error());
    return log;
  }
  manifest_.kernel_records = log->records;
  manifest_.kernel_lost = log->lost;
  manifest_.kernel_overwritten = log->overwritten;
  manifest_.kernel_foreign = log->foreign;
  GPUWRIGHT_TRY([[maybe_unused]] auto done, keep_text("kernel/kmsg", log->text));
  return log;
}

Status Recording::add_inputs(Inputs inputs) {
  std::size_t number = 0;
  for (auto& document : inputs.documents) {
    Entry entry;
    entry.name = document.name;
    entry.member = fmt::format("inputs/{}", ++number);  // its readable name comes when it is packed, redacted
    const auto copied = spool_->append(*document.content, max_file_, entry.range);
    if (!copied) failed("input " + document.name, copied.error());
    if (copied || entry.range.length > 0) entries_.push_back(std::move(entry));
    document.content.reset();
  }
  for (const auto& line : inputs.could_not_look) {
    const auto colon = line.find(": ");
    failed("input " + line.substr(0, colon),
           make_error(base::ErrorKind::Io,
                      colon == std::string::npos ? "could not be read" : line.substr(colon + 2)));
  }
  return base::Done{};
}

namespace {

void learn_entry(std::string_view name, std::string_view content, Redactor& redactor) {
  redactor.learn(name);
  if (is_utf16(content)) {
    redactor.learn(without_utf16(content));
  } else {
    redactor.learn(content);
  }
}

}  // namespace

Result<Manifest> write_bundle(const Recording& recording, int fd, const BundleOptions& options) {
  GPUWRIGHT_TRY(const auto all, recording.spool()->view());
  const auto content_of = [&all](const Recording::Entry& entry) {
    return all.substr(static_cast<std::size_t>(entry.range.offset),
                      static_cast<std::size_t>(entry.range.length));
  };
  if (options.redactor != nullptr) {
    for (const auto& entry : recording.entries())
      learn_entry(entry.name, content_of(entry), *options.redactor);
  }
  GPUWRIGHT_TRY(auto out, Spool::create());
  std::vector<Packed> packed;
  std::size_t number = 0;
  for (const auto& entry : recording.entries()) {
    Packed item;
    kit::Sha256 hash;
    GPUWRIGHT_TRY(item.range, pack_entry(content_of(entry), options.redactor, *out, hash));
    item.member.name = text_or(options.redactor, entry.name);
    item.member.path = entry.name.empty() ? entry.member : member_for_input(item.member.name, ++number);
    item.member.size = item.range.length;
    item.member.sha256 = hash.finish();
    packed.push_back(std::move(item));
  }
  std::sort(packed.begin(), packed.end(),
            [](const Packed& a, const Packed& b) { return a.member.path < b.member.path; });

  Manifest manifest = recording.manifest();
  manifest.created = options.created;
  manifest.tool = options.tool;
  manifest.source = options.source;
  manifest.redacted = options.redactor != nullptr;
  redact_manifest(manifest, options.redactor);
  for (const auto& item : packed) manifest.members.push_back(item.member);

  GPUWRIGHT_TRY(auto writer, kit::ArchiveWriter::open(fd));
  const std::string text = write_manifest(manifest);
  base::MemoryStream manifest_stream(text);
  GPUWRIGHT_TRY([[maybe_unused]] auto first, writer->add("manifest.json", text.size(), manifest_stream));
  for (const auto& item : packed) {
    const auto stream = out->open(item.range);
    GPUWRIGHT_TRY([[maybe_unused]] auto added,
                  writer->add(item.member.path, static_cast<std::uint64_t>(item.range.length), *stream));
  }
  GPUWRIGHT_TRY([[maybe_unused]] auto finished, writer->finish());
  return manifest;
}

KnownNames known_names(Source& source) {
  constexpr std::size_t kLimit = std::size_t{4} << 20;
  constexpr std::int64_t kFirstUser = 1000;  // login.defs UID_MIN
  constexpr std::int64_t kNobody = 65534;
  KnownNames known;
  for (const char* path : {"/etc/hostname", "/proc/sys/kernel/hostname"}) {
    const auto text = source.read_file(path, kLimit);
    if (text && !base::trim(*text).empty()) known.hosts.emplace(base::trim(*text));
  }
  std::array<char, 256> name = {};
  if (source.live() && ::gethostname(name.data(), name.size() - 1) == 0) known.hosts.emplace(name.data());
  const auto accounts = source.read_file("/etc/passwd", kLimit);
  if (!accounts) return known;
  for (const auto line : base::lines(*accounts)) {
    const auto fields = base::split(line, ':');
    const auto number = fields.size() > 2 ? base::parse_int(fields[2]) : std::nullopt;
    if (number && *number >= kFirstUser && *number < kNobody) known.users.emplace(fields[0]);
  }
  return known;
}

}  // namespace gpuwright::host
