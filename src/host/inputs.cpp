// Opening what a person names; see the header. What a file is, its first bytes decide.
// SPDX-License-Identifier: Apache-2.0
#include "host/inputs.h"

#include "base/files.h"
#include "base/text.h"
#include "host/bug_report.h"
#include "host/evidence.h"
#include "host/live_host.h"
#include "host/recorded.h"
#include "host/spool.h"
#include "kit/archive.h"
#include "kit/compress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using base::Status;

constexpr std::size_t kHead = 8192;
constexpr int kArchiveDepth = 4;

enum class Content { Plain, Tar, BugReport };

/// A regular file that is opened when it is first read: a folder may hold more files than we may keep open.
class LazyFile final : public base::ByteStream {
 public:
  explicit LazyFile(std::string path) : path_(std::move(path)) {}
  Result<std::size_t> read(std::span<char> buffer) override {
    if (!stream_) {
      GPUWRIGHT_TRY(auto fd, base::open_for_reading(path_));
      GPUWRIGHT_TRY(stream_, kit::decompressed(std::make_unique<base::FileStream>(std::move(fd), path_)));
    }
    return stream_->read(buffer);
  }
  std::optional<std::size_t> size_hint() const override {
    const auto fd = base::open_for_reading(path_);
    if (!fd) return std::nullopt;
    return base::RangeStream(fd->get(), 0, ::lseek(fd->get(), 0, SEEK_END)).size_hint();
  }

 private:
  std::string path_;
  std::unique_ptr<base::ByteStream> stream_;
};

/// Where a document's bytes can be had again: a file's path, or nothing for a stream that is read only once.
struct Origin {
  std::string name;
  std::string reopen;
  int depth = 0;
};

/// A test's own YAML: "id:", "expect:" and "from:" at the starts of lines.
bool describes_machines(std::string_view head) {
  return base::contains(head, "\nid: ") && base::contains(head, "\nexpect: ") &&
         base::contains(head, "\nfrom: ");
}

class Opener {
 public:
  explicit Opener(InputLimits limits) : limits_(limits) {}

  Status open(const std::string& path) {
    if (path == "-") return open_stdin();
    GPUWRIGHT_TRY(const auto kind, base::kind_behind(path));
    if (kind == base::FileKind::Directory) return open_top_folder(path);
    GPUWRIGHT_TRY(auto fd, base::open_for_reading(path, base::Pipes::Allow));
    Origin origin;
    origin.name = path;
    if (kind == base::FileKind::Regular) origin.reopen = path;
    return open_stream(std::make_unique<base::FileStream>(std::move(fd), path), origin);
  }

  Inputs take() { return std::move(inputs_); }

 private:
  Status open_stdin() {
    base::Fd fd(::dup(STDIN_FILENO));
    if (!fd.valid()) return make_error(ErrorKind::Io, "standard input is closed", "-");
    Origin origin;
    origin.name = "-";
    return open_stream(std::make_unique<base::FileStream>(std::move(fd), "-"), origin);
  }

  /// Looks at the first bytes and adds what the stream holds.
  Status open_stream(std::unique_ptr<base::ByteStream> stream, const Origin& origin) {
    GPUWRIGHT_TRY(auto plain, kit::decompressed(std::move(stream)));
    auto peeked = kit::peek(std::move(plain), kHead);
    if (!peeked) return make_error(peeked.error().kind, peeked.error().message, origin.name);
    const std::string& head = peeked->head;
    if (kit::looks_like_tar(std::string_view(head).substr(0, 512)))
      return open_archive(std::move(peeked->stream), origin);
    if (describes_machines(head))
      return make_error(ErrorKind::Malformed,
                        "describes a machine and its healthy twin for a test: name the folder of one machine "
                        "(with files/ and commands/), or a bundle",
                        origin.name);
    if (looks_like_bug_report(head)) return open_bug_report(std::move(peeked->stream), origin);
    if (!origin.reopen.empty()) return add(origin.name, std::make_unique<LazyFile>(origin.reopen));
    return add(origin.name, std::move(peeked->stream));
  }

  Status add(const std::string& name, std::unique_ptr<base::ByteStream> content) {
    if (inputs_.documents.size() >= limits_.max_documents) {
      return make_error(
          ErrorKind::Malformed,
          fmt::format("holds more than {} files: name the ones that matter", limits_.max_documents), name);
    }
    Document document;
    document.name = name;
    const int again = ++seen_[name];
    if (again > 1) document.name += fmt::format(" ({})", again);
    document.content = std::move(content);
    inputs_.documents.push_back(std::move(document));
    return base::Done{};
  }

  void could_not(const std::string& what, std::string_view why) {
    inputs_.could_not_look.push_back(base::printable(fmt::format("{}: {}", what, why)));
  }

  Status open_top_folder(const std::string& path) {
    if (is_fixture(path)) return open_fixture_folder(path);
    if (is_disk(path)) inputs_.machines.push_back(std::make_unique<LiveHost>(path));
    links_ = 0;
    others_ = 0;
    const auto before = inputs_.documents.size();
    GPUWRIGHT_TRY([[maybe_unused]] auto done, open_folder(path, 0));
    if (links_ > 0) could_not(path, fmt::format("{} links were not followed", links_));
    if (others_ > 0) could_not(path, fmt::format("{} pipes, sockets or devices were not read", others_));
    if (inputs_.documents.size() == before) could_not(path, "holds no file that can be read");
    return base::Done{};
  }

  /// A folder of a bundle's layout.
  static bool is_fixture(const std::string& path) {
    if (base::kind_of(base::join_path(path, "manifest.json"))) return true;
    return base::kind_of(base::join_path(path, "files")) || base::kind_of(base::join_path(path, "commands"));
  }

  /// A folder that looks like a machine's root.
  static bool is_disk(const std::string& path) {
    const auto has = [&path](const char* name) { return base::kind_of(base::join_path(path, name)).ok(); };
    return has("etc") && (has("proc") || has("sys") || has("lib") || has("usr"));
  }

  Status open_fixture_folder(const std::string& path) {
    GPUWRIGHT_TRY(auto fixture, open_fixture(path));
    return add_machine(std::move(fixture));
  }

  Status open_folder(const std::string& path, int depth) {
    if (depth > limits_.max_depth) {
      could_not(path, "lies too deep");
      return base::Done{};
    }
    const auto names = base::list_directory(path);
    if (!names && depth == 0) return names.error();
    if (!names) {
      could_not(path, names.error().message);
      return base::Done{};
    }
    for (const auto& name : *names) {
      GPUWRIGHT_TRY([[maybe_unused]] auto done, open_entry(base::join_path(path, name), depth));
    }
    return base::Done{};
  }

  Status open_entry(const std::string& path, int depth) {
    const auto kind = base::kind_of(path);
    if (!kind) {
      could_not(path, kind.error().message);
      return base::Done{};
    }
    switch (*kind) {
      case base::FileKind::Directory:
        return open_folder(path, depth + 1);
      case base::FileKind::Link:
        ++links_;
        return base::Done{};
      case base::FileKind::Regular:
        break;
      default:
        ++others_;
        return base::Done{};
    }
    auto fd = base::open_for_reading(path);
    if (!fd) {
      could_not(path, fd.error().message);
      return base::Done{};
    }
    Origin origin;
    origin.name = path;
    origin.reopen = path;
    return member_result(
        path, open_stream(std::make_unique<base::FileStream>(std::move(fd).value(), path), origin));
  }

  /// A member that cannot be read is told and passed over, but limits stay limits.
  Status member_result(const std::string& name, Status status) {
    if (status || inputs_.documents.size() >= limits_.max_documents) return status;
    could_not(name, status.error().message);
    return base::Done{};
  }

  Status open_archive(std::unique_ptr<base::ByteStream> stream, const Origin& origin) {
    if (origin.depth >= kArchiveDepth)
      return make_error(ErrorKind::Malformed, "archives lie too deep within archives", origin.name);
    kit::ArchiveLimits limits;
    limits.max_entries = limits_.max_documents * 4;
    limits.max_total_bytes = limits_.max_unpacked;
    auto reader = kit::ArchiveReader::open(std::move(stream), limits);
    if (!reader) return located(reader.error(), origin.name);
    auto first = (*reader)->next();
    if (!first) return located(first.error(), origin.name);
    if (!*first) return base::Done{};
    if (is_manifest_path((*first)->path)) return open_bundle(**reader, origin);
    return open_members(**reader, std::move(**first), origin);
  }

  static base::Error located(const base::Error& error, const std::string& name) {
    return make_error(error.kind, error.message, name);
  }

  Status open_members(kit::ArchiveReader& reader, kit::ArchiveEntry entry, const Origin& origin) {
    GPUWRIGHT_TRY(auto spool, Spool::create());
    std::map<std::string, std::vector<Spool::Range>> members;  // sorted by name
    std::size_t links = 0;
    std::size_t devices = 0;
    std::optional<base::Error> damage;
    while (true) {
      links += entry.kind == kit::ArchiveEntryKind::Link ? 1 : 0;
      devices += entry.kind == kit::ArchiveEntryKind::Device ? 1 : 0;
      if (entry.kind == kit::ArchiveEntryKind::File) {
        Spool::Range range;
        GPUWRIGHT_TRY(damage, unpack(reader, *spool, range));
        members[entry.path].push_back(range);
      }
      if (damage) break;
      auto next = reader.next();
      // A name that points outside, or a limit passed, condemns the archive; a cut or damaged one gives what
      // it still holds.
      if (!next && base::contains(next.error().message, "refused")) return located(next.error(), origin.name);
      if (!next) damage = next.error();
      if (!next || !*next) break;
      entry = std::move(**next);
    }
    if (links > 0) could_not(origin.name, fmt::format("{} links in the archive were not followed", links));
    if (devices > 0)
      could_not(origin.name, fmt::format("{} devices or pipes in the archive were not read", devices));
    if (damage) could_not(origin.name, fmt::format("{}: read up to there", damage->message));
    for (const auto& member : members) {
      for (const auto& range : member.second) {
        GPUWRIGHT_TRY([[maybe_unused]] auto done, open_member(origin, member.first, spool->open(range)));
      }
    }
    return base::Done{};
  }

  Status open_member(const Origin& origin, const std::string& path,
                     std::unique_ptr<base::ByteStream> content) {
    Origin member;
    member.name = origin.name + "/" + path;
    member.depth = origin.depth + 1;
    return member_result(member.name, open_stream(std::move(content), member));
  }

  /// Copies a member; damage is an answer, a passed limit an error.
  Result<std::optional<base::Error>> unpack(kit::ArchiveReader& reader, Spool& spool, Spool::Range& range) {
    range = {spool.size(), 0};
    std::string buffer(std::size_t{128} * 1024, '\0');
    while (true) {
      const auto got = reader.read(std::span<char>(buffer.data(), buffer.size()));
      if (!got && base::contains(got.error().message, "refused")) return got.error();
      if (!got) return std::optional<base::Error>(got.error());
      if (*got == 0) return std::optional<base::Error>{};
      unpacked_ += *got;
      if (unpacked_ > limits_.max_unpacked)
        return make_error(ErrorKind::Malformed,
                          fmt::format("unpacks to more than {} bytes: refused", limits_.max_unpacked));
      GPUWRIGHT_TRY([[maybe_unused]] auto done, spool.append(std::string_view(buffer.data(), *got)));
      range.length += static_cast<std::int64_t>(*got);
    }
  }

  /// A bundle answers as the machine would have; then come the files that were packed with it.
  Status open_bundle(kit::ArchiveReader& reader, const Origin& origin) {
    auto bundle = read_bundle(reader);
    if (!bundle) return located(bundle.error(), origin.name);
    return add_machine(std::move(*bundle));
  }

  Status add_machine(std::unique_ptr<Recorded> bundle) {
    const auto& manifest = bundle->manifest();
    if (manifest.source != "inputs") {
      Inputs evidence = collect_evidence(*bundle);
      for (auto& document : evidence.documents) {
        GPUWRIGHT_TRY([[maybe_unused]] auto done, add(document.name, std::move(document.content)));
      }
      for (auto& line : evidence.could_not_look) inputs_.could_not_look.push_back(std::move(line));
    }
    for (const auto& member : manifest.members) {
      if (!member.path.starts_with("inputs/")) continue;
      GPUWRIGHT_TRY(auto stream, bundle->open_member(member.path));
      GPUWRIGHT_TRY([[maybe_unused]] auto done,
                    add(member.name.empty() ? member.path : member.name, std::move(stream)));
    }
    for (const auto& failure : manifest.could_not_read) {
      if (failure.question.starts_with("input ")) could_not(failure.question.substr(6), failure.message);
    }
    if (manifest.source != "inputs") inputs_.machines.push_back(std::move(bundle));
    return base::Done{};
  }

  Status open_bug_report(std::unique_ptr<base::ByteStream> stream, const Origin& origin) {
    GPUWRIGHT_TRY(auto spool, Spool::create());
    Spool::Range range;
    const auto copied = spool->append(*stream, static_cast<std::int64_t>(limits_.max_unpacked), range);
    if (!copied) could_not(origin.name, fmt::format("{}: read up to there", copied.error().message));
    GPUWRIGHT_TRY(const auto report, BugReport::open(spool));
    for (const auto& section : report->sections()) {
      if (section.absent) continue;
      const std::string part = section.path.empty() ? "/" + section.command : section.path;
      GPUWRIGHT_TRY([[maybe_unused]] auto done, add(origin.name + part, spool->open(section.content)));
    }
    return base::Done{};
  }

  InputLimits limits_;
  Inputs inputs_;
  std::map<std::string, int> seen_;
  std::uint64_t unpacked_ = 0;
  std::size_t links_ = 0;
  std::size_t others_ = 0;
};

}  // namespace

Result<Inputs> open_inputs(const std::vector<std::string>& paths, InputLimits limits) {
  Opener opener(limits);
  for (const auto& path : paths) {
    auto status = opener.open(path);
    if (!status)
      return make_error(status.error().kind, status.error().message,
                        status.error().where.empty() ? path : status.error().where);
  }
  return opener.take();
}

}  // namespace gpuwright::host
