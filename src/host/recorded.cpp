// Recorded answers, replayed; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/recorded.h"

#include "base/files.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "host/spool.h"
#include "kit/hash.h"
#include "kit/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>
#include <system_error>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

constexpr std::size_t kMaxManifest = std::size_t{16} << 20;
constexpr std::size_t kMaxAnswer = std::size_t{256} << 20;
constexpr std::int64_t kMaxMember = std::int64_t{4} << 30;
constexpr char kManifestPath[] = "manifest.json";

constexpr std::array<ErrorKind, 8> kKinds = {
    ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Unsupported, ErrorKind::Malformed,
    ErrorKind::TimedOut, ErrorKind::Io,     ErrorKind::Conflict,    ErrorKind::Internal};

ErrorKind kind_from_name(std::string_view name) {
  for (const auto kind : kKinds) {
    if (name == base::kind_name(kind)) return kind;
  }
  return ErrorKind::Io;
}

std::string safe_name(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string safe;
  for (const char letter : text) {
    const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '.' || letter == '_' ||
                       letter == ':' || letter == '+' || letter == '=' || letter == ',' || letter == '/';
    if (plain) {
      safe += letter;
      continue;
    }
    safe += '%';
    safe += kDigits[static_cast<unsigned char>(letter) >> 4];
    safe += kDigits[static_cast<unsigned char>(letter) & 15];
  }
  return safe;
}

std::int64_t integer(const kit::Node& node) {
  return base::parse_int(node.text()).value_or(0);
}

/// Checks the members that arrive against what the manifest promises.
class BundleReader {
 public:
  BundleReader(kit::ArchiveReader& reader, std::shared_ptr<Spool> spool)
      : reader_(reader), spool_(std::move(spool)) {}

  Result<std::unique_ptr<Recorded>> read() {
    GPUWRIGHT_TRY(const auto text, manifest_text());
    GPUWRIGHT_TRY(auto manifest, read_manifest(text));
    for (const auto& member : manifest.members) {
      if (!promised_.emplace(member.path, &member).second)
        return refuse(member.path, "stands twice in the manifest");
    }
    while (true) {
      GPUWRIGHT_TRY(const auto entry, reader_.next());
      if (!entry) break;
      GPUWRIGHT_TRY([[maybe_unused]] auto done, take(*entry));
    }
    for (const auto& member : manifest.members) {
      if (members_.count(member.path) == 0) return refuse(member.path, "is missing from the bundle");
    }
    return std::make_unique<Recorded>(std::move(manifest), std::move(members_));
  }

 private:
  static base::Error refuse(const std::string& path, std::string_view why) {
    return make_error(ErrorKind::Malformed,
                      fmt::format("bundle member '{}' {}: the bundle is damaged or was changed",
                                  base::printable(path, 120), why));
  }

  Result<std::string> manifest_text() {
    std::string text;
    std::array<char, 16384> buffer;
    while (true) {
      GPUWRIGHT_TRY(const auto got, reader_.read(buffer));
      if (got == 0) return text;
      text.append(buffer.data(), got);
      if (text.size() > kMaxManifest) return refuse(kManifestPath, "is too large");
    }
  }

  base::Status take(const kit::ArchiveEntry& entry) {
    if (entry.kind != kit::ArchiveEntryKind::File) return refuse(entry.path, "is no plain file");
    const auto promise = promised_.find(entry.path);
    if (promise == promised_.end()) return refuse(entry.path, "is not in the manifest");
    if (members_.count(entry.path) != 0) return refuse(entry.path, "is there twice");
    Spool::Range range = {spool_->size(), 0};
    kit::Sha256 hash;
    std::array<char, 65536> buffer;
    while (true) {
      GPUWRIGHT_TRY(const auto got, reader_.read(buffer));
      if (got == 0) break;
      range.length += static_cast<std::int64_t>(got);
      if (range.length > std::min(kMaxMember, promise->second->size))
        return refuse(entry.path, "is larger than the manifest says");
      hash.update(std::string_view(buffer.data(), got));
      GPUWRIGHT_TRY([[maybe_unused]] auto done, spool_->append(std::string_view(buffer.data(), got)));
    }
    if (range.length != promise->second->size || hash.finish() != promise->second->sha256)
      return refuse(entry.path, "differs from its digest in the manifest");
    auto spool = spool_;
    members_[entry.path] = [spool, range]() -> Result<std::unique_ptr<base::ByteStream>> {
      return spool->open(range);
    };
    return base::Done{};
  }

  kit::ArchiveReader& reader_;
  std::shared_ptr<Spool> spool_;
  std::map<std::string, const BundleMember*> promised_;
  std::map<std::string, Recorded::Open> members_;
};

std::optional<std::int64_t> integer_if_there(const kit::Node& node) {
  return base::parse_int(node.text());
}

base::FileStatus status_from(const kit::Node& node) {
  base::FileStatus status;
  status.kind = base::file_kind_of_name(node["kind"].text());
  const std::string mode = node["mode"].text();
  std::uint32_t bits = 0;
  const auto parsed = std::from_chars(mode.data(), mode.data() + mode.size(), bits, 8);
  if (!mode.empty() && parsed.ec == std::errc() && parsed.ptr == mode.data() + mode.size())
    status.mode = bits;
  status.uid = integer_if_there(node["uid"]);
  status.gid = integer_if_there(node["gid"]);
  const auto major = integer_if_there(node["major"]);
  const auto minor = integer_if_there(node["minor"]);
  if (major && minor) status.device = base::DeviceNumber{*major, *minor};
  return status;
}

void write_status(base::JsonWriter& json, const base::FileStatus& status) {
  json.begin_object().key("kind").string(base::file_kind_name(status.kind));
  if (status.mode) json.key("mode").string(fmt::format("{:04o}", *status.mode));
  if (status.uid) json.key("uid").integer(*status.uid);
  if (status.gid) json.key("gid").integer(*status.gid);
  if (status.device)
    json.key("major").integer(status.device->major).key("minor").integer(status.device->minor);
  json.end_object();
}

Manifest manifest_from(const kit::Node& root) {
  Manifest manifest;
  manifest.created = root["created"].text();
  manifest.tool = root["tool"].text();
  manifest.redacted = root["redacted"].text() == "true";
  manifest.source = root["source"].text();
  for (const auto& node : root["members"].items) {
    BundleMember member;
    member.path = node["path"].text();
    member.name = node["name"].text();
    member.sha256 = node["sha256"].text();
    member.size = integer(node["size_bytes"]);
    manifest.members.push_back(std::move(member));
  }
  for (const auto& node : root["could_not_read"].items) {
    manifest.could_not_read.push_back(
        {node["question"].text(), kind_from_name(node["kind"].text()), node["message"].text()});
  }
  for (const auto& [path, names] : root["folders"].entries) manifest.folders[path] = names.texts();
  for (const auto& [path, target] : root["links"].entries) manifest.links[path] = target.text();
  for (const auto& [path, node] : root["statuses"].entries) manifest.statuses[path] = status_from(node);
  const auto& kernel = root["kernel_log"];
  manifest.kernel_records = integer(kernel["records"]);
  manifest.kernel_lost = integer(kernel["lost"]);
  manifest.kernel_overwritten = integer(kernel["overwritten"]);
  manifest.kernel_foreign = integer(kernel["foreign"]);
  return manifest;
}

void write_members(base::JsonWriter& json, const Manifest& manifest) {
  json.key("members").begin_array();
  for (const auto& member : manifest.members) {
    json.begin_object().key("path").string(member.path);
    if (!member.name.empty()) json.key("name").string(member.name);
    json.key("size_bytes").integer(member.size).key("sha256").string(member.sha256).end_object();
  }
  json.end_array();
}

Result<std::unique_ptr<base::ByteStream>> open_plain_file(const std::string& path) {
  GPUWRIGHT_TRY(auto fd, base::open_for_reading(path));
  return std::unique_ptr<base::ByteStream>(std::make_unique<base::FileStream>(std::move(fd), path));
}

Recorded::Open plain_file_at(const std::string& path) {
  return [path] { return open_plain_file(path); };
}

/// Every plain file below a folder, as member paths; links and devices are not taken.
base::Status fixture_members(const std::string& top, std::map<std::string, Recorded::Open>& members) {
  std::deque<std::string> folders = {""};
  while (!folders.empty()) {
    const std::string folder = folders.front();
    folders.pop_front();
    GPUWRIGHT_TRY(const auto names, base::list_directory(base::join_path(top, folder)));
    for (const auto& name : names) {
      const std::string member = folder.empty() ? name : folder + "/" + name;
      const std::string path = base::join_path(top, member);
      const auto kind = base::kind_of(path);
      if (kind && *kind == base::FileKind::Directory) folders.push_back(member);
      if (kind && *kind == base::FileKind::Regular) members[member] = plain_file_at(path);
    }
  }
  return base::Done{};
}

}  // namespace

std::string member_for_file(const std::string& path) {
  return "files" + safe_name(normal_path(path));
}

std::string member_for_input(const std::string& name, std::size_t number) {
  std::string flat = base::replace_all(safe_name(name), "/", "_");
  if (flat.size() > 120) flat = flat.substr(flat.size() - 120);
  return fmt::format("inputs/{:04}-{}", number, flat);
}

bool is_manifest_path(const std::string& path) {
  return path == kManifestPath;
}

std::string write_manifest(const Manifest& manifest) {
  base::JsonWriter json;
  json.begin_object().key("schema_version").integer(kBundleSchema).key("kind").string("gpuwright-bundle");
  json.key("tool")
      .string(manifest.tool)
      .key("created")
      .string(manifest.created)
      .key("source")
      .string(manifest.source);
  json.key("redacted").boolean(manifest.redacted);
  write_members(json, manifest);
  json.key("could_not_read").begin_array();
  for (const auto& failure : manifest.could_not_read) {
    json.begin_object()
        .key("question")
        .string(failure.question)
        .key("kind")
        .string(base::kind_name(failure.kind))
        .key("message")
        .string(failure.message)
        .end_object();
  }
  json.end_array().key("folders").begin_object();
  for (const auto& folder : manifest.folders) {
    json.key(folder.first).begin_array();
    for (const auto& name : folder.second) json.string(name);
    json.end_array();
  }
  json.end_object().key("links").begin_object();
  for (const auto& link : manifest.links) json.key(link.first).string(link.second);
  json.end_object().key("statuses").begin_object();
  for (const auto& status : manifest.statuses) {
    json.key(status.first);
    write_status(json, status.second);
  }
  json.end_object().key("kernel_log").begin_object();
  json.key("records").integer(manifest.kernel_records).key("lost").integer(manifest.kernel_lost);
  json.key("overwritten")
      .integer(manifest.kernel_overwritten)
      .key("foreign")
      .integer(manifest.kernel_foreign);
  json.end_object().end_object();
  return json.text() + "\n";
}

Result<Manifest> read_manifest(std::string_view json) {
  GPUWRIGHT_TRY(const auto root, kit::parse_json(json, kManifestPath));
  if (root["kind"].text() != "gpuwright-bundle")
    return make_error(ErrorKind::Malformed, "is no manifest of a gpuwright bundle", kManifestPath);
  const auto schema = integer(root["schema_version"]);
  if (schema > kBundleSchema)
    return make_error(ErrorKind::Unsupported,
                      fmt::format("has schema {}: a newer gpuwright wrote this bundle", schema),
                      kManifestPath);
  return manifest_from(root);
}

Recorded::Recorded(Manifest manifest, std::map<std::string, Open> members)
    : manifest_(std::move(manifest)), members_(std::move(members)) {
  constexpr std::string_view kCommands = "commands/";
  for (const auto& member : members_) {
    const std::string& path = member.first;
    if (!path.starts_with(kCommands) || !path.ends_with("/stdout")) continue;
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    spoken_.emplace(
        spoken_name(std::string_view(folder).substr(kCommands.size(), folder.size() - kCommands.size() - 1)),
        folder);
  }
}

base::Error Recorded::missing(const std::string& question) const {
  const std::string where = question.substr(question.find(' ') + 1);
  for (const auto& failure : manifest_.could_not_read) {
    if (failure.question == question) return make_error(failure.kind, failure.message, where);
  }
  return make_error(ErrorKind::NotFound, "was not recorded", where);
}

Result<std::unique_ptr<base::ByteStream>> Recorded::open_member(const std::string& path) const {
  const auto member = members_.find(path);
  if (member == members_.end()) return make_error(ErrorKind::NotFound, "is not in the bundle", path);
  return member->second();
}

Result<std::string> Recorded::text_of(const std::string& member) const {
  GPUWRIGHT_TRY(auto stream, open_member(member));
  return base::read_all(*stream, kMaxAnswer);
}

Result<std::unique_ptr<base::ByteStream>> Recorded::open_file(const std::string& path) {
  const auto member = members_.find(member_for_file(path));
  if (member != members_.end()) return member->second();
  if (auto text = typed().file(normal_path(path)))
    return std::unique_ptr<base::ByteStream>(std::make_unique<base::MemoryStream>(std::move(*text)));
  return untold("file ", normal_path(path));
}

const Typed& Recorded::typed() {
  if (!typed_) {
    // A capture holds what gpuwright asked itself.
    typed_.emplace(manifest_.tool.empty() ? further_texts()
                                          : std::vector<std::pair<std::string, std::string>>());
  }
  return *typed_;
}

base::Error Recorded::untold(const std::string& question, const std::string& path) {
  const std::string part = typed().part_of(path);
  if (part.empty()) return missing(question + path);
  // Whoever kept files of that part kept all that matter.
  const std::string member = member_for_file(part) + "/";
  const auto kept = members_.lower_bound(member);
  if (manifest_.folders.count(part) != 0 || (kept != members_.end() && kept->first.starts_with(member)))
    return missing(question + path);
  return make_error(ErrorKind::Unsupported, "was not written down", path);
}

Result<std::vector<std::string>> Recorded::list_directory(const std::string& path) {
  const std::string folder = normal_path(path);
  const auto known = manifest_.folders.find(folder);
  if (known != manifest_.folders.end()) return known->second;
  // A fixture without manifest: what its files imply.
  const std::string prefix = member_for_file(path) + (folder == "/" ? "" : "/");
  std::vector<std::string> names;
  for (auto member = members_.lower_bound(prefix);
       member != members_.end() && member->first.starts_with(prefix); ++member) {
    const auto rest = member->first.substr(prefix.size());
    const auto name = rest.substr(0, rest.find('/'));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  if (!manifest_.tool.empty()) return missing("folder " + folder);
  for (std::string& name : typed().names(folder)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty()) return untold("folder ", folder);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> Recorded::read_link(const std::string& path) {
  const auto link = manifest_.links.find(normal_path(path));
  if (link != manifest_.links.end()) return link->second;
  if (auto target = typed().link(normal_path(path))) return *target;
  return untold("link ", normal_path(path));
}

Result<base::FileStatus> Recorded::status_of(const std::string& path) {
  const std::string whole = normal_path(path);
  const auto known = manifest_.statuses.find(whole);
  if (known != manifest_.statuses.end()) return known->second;
  // A fixture without manifest: what its files imply.
  if (!manifest_.tool.empty()) return missing("status " + whole);
  if (const auto told = typed().status(whole)) return *told;
  base::FileStatus status;
  const std::string member = member_for_file(path);
  const auto below = members_.lower_bound(whole == "/" ? member : member + "/");
  if (members_.count(member) != 0) {
    status.kind = base::FileKind::Regular;
  } else if (below != members_.end() && below->first.starts_with(member + "/")) {
    status.kind = base::FileKind::Directory;
  } else if (manifest_.links.count(whole) != 0) {
    status.kind = base::FileKind::Link;
  } else {
    return untold("status ", whole);
  }
  return status;
}

/// A fixture that was written by hand may keep an answer under the beginning of the argv:
/// "commands/dpkg-query".
std::string Recorded::command_folder(std::vector<std::string> argv) {
  while (!argv.empty()) {
    const std::string slug = command_slug(argv);
    std::string folder = "commands/" + slug + "/";
    if (members_.count(folder + "stdout") != 0) return folder;
    if (!manifest_.tool.empty()) return {};
    const auto spoken = spoken_.find(spoken_name(slug));
    if (spoken != spoken_.end()) return spoken->second;
    argv.pop_back();
  }
  return {};
}

Result<CommandAnswer> Recorded::run(const std::vector<std::string>& argv, std::chrono::milliseconds) {
  const std::string folder = command_folder(argv);
  if (folder.empty()) return missing("command " + base::join(argv, " "));
  CommandAnswer answer;
  GPUWRIGHT_TRY(answer.output, text_of(folder + "stdout"));
  if (members_.count(folder + "stderr") != 0) {
    GPUWRIGHT_TRY(answer.errors, text_of(folder + "stderr"));
  }
  if (members_.count(folder + "status.json") == 0) return answer;
  GPUWRIGHT_TRY(const auto text, text_of(folder + "status.json"));
  GPUWRIGHT_TRY(const auto status, kit::parse_json(text, folder + "status.json"));
  answer.status = static_cast<int>(integer(status["status"]));
  answer.signal = static_cast<int>(integer(status["signal"]));
  answer.timed_out = status["timed_out"].text() == "true";
  answer.output_cut = status["output_cut"].text() == "true";
  return answer;
}

Result<std::string> Recorded::gpu_answers() {
  if (members_.count(kNvmlMember) == 0) return missing(kNvmlQuestion);
  return text_of(kNvmlMember);
}

Result<std::string> Recorded::device_holders() {
  if (members_.count(kHoldersMember) == 0) return missing(kHoldersQuestion);
  return text_of(kHoldersMember);
}

std::vector<Unanswered> Recorded::unanswered() {
  std::vector<Unanswered> all;
  for (const auto& failure : manifest_.could_not_read) {
    const std::size_t space = failure.question.find(' ');
    const std::string asked = failure.question.substr(0, space);
    const bool of_path = asked == "file" || asked == "folder" || asked == "link" || asked == "status";
    if (of_path && failure.kind == ErrorKind::TimedOut && space != std::string::npos)
      all.push_back({failure.question.substr(space + 1), failure.message});
  }
  return all;
}

Result<KernelLog> Recorded::kernel_log() {
  if (members_.count("kernel/kmsg") == 0) return missing("kernel log");
  KernelLog log;
  GPUWRIGHT_TRY(log.text, text_of("kernel/kmsg"));
  log.records = manifest_.kernel_records;
  log.lost = manifest_.kernel_lost;
  log.overwritten = manifest_.kernel_overwritten;
  log.foreign = manifest_.kernel_foreign;
  return log;
}

std::vector<std::pair<std::string, std::string>> Recorded::further_texts() {
  std::vector<std::pair<std::string, std::string>> texts;
  if (!manifest_.tool.empty()) return texts;
  constexpr std::string_view kCommands = "commands/";
  for (const auto& [path, open] : members_) {
    const bool output =
        path.starts_with(kCommands) && (path.ends_with("/stdout") || path.ends_with("/stderr"));
    if (!output && !path.starts_with("files/var/log/")) continue;
    auto text = text_of(path);
    if (!text || text->empty()) continue;
    const std::string name =
        output ? spoken_name(path.substr(kCommands.size(), path.rfind('/') - kCommands.size()))
               : path.substr(std::string_view("files").size());
    texts.emplace_back(name, std::move(*text));
  }
  return texts;
}

Result<std::unique_ptr<Recorded>> read_bundle(kit::ArchiveReader& reader) {
  GPUWRIGHT_TRY(auto spool, Spool::create());
  return BundleReader(reader, std::move(spool)).read();
}

Result<std::unique_ptr<Recorded>> open_fixture(const std::string& folder) {
  std::map<std::string, Recorded::Open> members;
  GPUWRIGHT_TRY([[maybe_unused]] auto done, fixture_members(folder, members));
  Manifest manifest;
  if (members.count(kManifestPath) != 0) {
    GPUWRIGHT_TRY(const auto text, base::read_file(base::join_path(folder, kManifestPath), kMaxManifest));
    GPUWRIGHT_TRY(manifest, read_manifest(text));
  }
  return std::make_unique<Recorded>(std::move(manifest), std::move(members));
}

}  // namespace gpuwright::host
