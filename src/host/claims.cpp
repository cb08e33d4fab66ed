// Locks of files that say who waits; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "host/claims.h"

#include "base/text.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

constexpr std::int64_t kLongestHold_ms = 3000;  // a worker that is healthy or can be killed ends before

std::int64_t now_ms() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

std::string find_folder() {
  const uid_t user = ::geteuid();
  std::string folder;
  const char* service = std::getenv("RUNTIME_DIRECTORY");
  if (service != nullptr && *service == '/') folder = own_folder(service);
  if (folder.empty() && user == 0) folder = own_folder("/run/gpuwright");
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (folder.empty() && user != 0 && runtime != nullptr && *runtime == '/')
    folder = own_folder(base::join_path(runtime, "gpuwright"));
  return folder.empty() ? own_folder(fmt::format("/tmp/gpuwright-{}", user)) : folder;
}

Result<base::Fd> open_file(const std::string& path, int flags) {
  base::Fd file(::open(path.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file.valid()) return base::system_error(errno, path);
  return file;
}

/// False while another open file holds the lock.
bool lock(const base::Fd& file) {
  return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

/// Whether the path still leads to this file: who released it removed it.
bool is_at(const base::Fd& file, const std::string& path) {
  struct stat mine = {};
  struct stat there = {};
  return ::fstat(file.get(), &mine) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/// "4711 1790000000000 0000:3b:00.0 GPU 3".
model::LeftBehind read_holder(const base::Fd& file) {
  std::array<char, 512> buffer = {};
  const ssize_t size = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  const std::string_view text =
      base::trim(std::string_view(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
  const auto words = base::words(text);
  model::LeftBehind holder;
  if (words.size() < 4) return holder;
  holder.pid = base::parse_int(words[0]).value_or(0);
  holder.since_ms = base::parse_int(words[1]).value_or(0);
  if (words[2] != "-") holder.pci = base::printable(words[2], 32);
  holder.what = base::printable(text.substr(static_cast<std::size_t>(words[3].data() - text.data())), 200);
  return holder;
}

/// Who holds the lock of this file. One that nobody holds is removed: its holder was killed.
std::optional<model::LeftBehind> holder_of(const std::string& path) {
  const auto file = open_file(path, 0);
  if (!file) return std::nullopt;
  if (!lock(*file)) return read_holder(*file);
  if (is_at(*file, path)) ::unlink(path.c_str());
  return std::nullopt;
}

}  // namespace

std::string own_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return {};
  struct stat status = {};
  const bool ours = ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                    status.st_uid == ::geteuid() && (status.st_mode & 077U) == 0;
  return ours ? path : std::string();
}

Claim& Claim::operator=(Claim&& other) noexcept {
  if (this != &other) {
    release();
    file_ = std::move(other.file_);
    path_ = std::move(other.path_);
  }
  return *this;
}

void Claim::write(const model::LeftBehind& holder) {
  if (!file_.valid()) return;
  const std::string text = fmt::format("{} {} {} {}\n", holder.pid, holder.since_ms,
                                       holder.pci.empty() ? "-" : holder.pci, holder.what);
  // One write, then the cut: a reader sees the old line or the new one.
  if (::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()))
    (void)!::ftruncate(file_.get(), static_cast<off_t>(text.size()));
}

void Claim::release() {
  if (file_.valid()) ::unlink(path_.c_str());  // while the lock is ours: nobody else can have it
  file_.reset();
}

void Claim::leave() {
  file_.reset();
}

const std::string& Claims::folder() const {
  if (!folder_) folder_ = find_folder();
  return *folder_;
}

std::string Claims::path_of(const std::string& name) const {
  return base::join_path(folder(), scope_.empty() ? name : name + "@" + scope_);
}

Result<Claim> Claims::take(const std::string& name, const model::LeftBehind& holder) const {
  if (folder().empty()) return Claim();
  const std::string path = path_of(name);
  constexpr int kTries = 20;  // each time another took it and gave it back between our two steps
  for (int i = 0; i < kTries; ++i) {
    auto file = open_file(path, O_CREAT);
    if (!file) return Claim();  // a full or read-only disk is no reason to ask nothing
    if (!lock(*file)) return make_error(ErrorKind::Conflict, "is claimed by another process", name);
    if (!is_at(*file, path)) continue;
    Claim claim(std::move(*file), path);
    claim.write(holder);
    return claim;
  }
  return make_error(ErrorKind::Conflict, "is claimed again and again", name);
}

std::optional<model::LeftBehind> Claims::holder(const std::string& name) const {
  return folder().empty() ? std::nullopt : holder_of(path_of(name));
}

std::vector<model::LeftBehind> Claims::holders(const std::string& beginning) const {
  std::vector<model::LeftBehind> all;
  const auto names = folder().empty() ? Result<std::vector<std::string>>(std::vector<std::string>())
                                      : base::list_directory(folder());
  if (!names) return all;
  for (const std::string& file : *names) {
    auto found = holder_of(base::join_path(folder(), file));  // of all, so that what the dead left goes
    const std::size_t at = std::min(file.find('@'), file.size());
    const bool ours = file.substr(at) == (scope_.empty() ? scope_ : "@" + scope_);
    if (ours && found && found->pid > 0 && file.starts_with(beginning)) all.push_back(std::move(*found));
  }
  return all;
}

std::vector<model::LeftBehind> Claims::stuck(const std::string& beginning) const {
  const auto settle = [](std::vector<model::LeftBehind>& found) {
    found.erase(std::remove_if(found.begin(), found.end(), [](const auto& one) { return !is_stuck(one); }),
                found.end());
  };
  auto first = holders(beginning);
  settle(first);
  if (first.empty()) return first;
  constexpr useconds_t kMoment = 2000;
  ::usleep(kMoment);
  auto second = holders(beginning);
  settle(second);
  return second;
}

std::vector<model::LeftBehind> left_behind() {
  const Claims gpus = Claims::of_this_user(nvml_scope());
  const Claims others = Claims::of_this_user();
  std::vector<model::LeftBehind> all;
  for (const auto& more : {gpus.stuck(kGpuClaim), gpus.stuck(kOpeningClaim), others.holders(kReaderClaim),
                           others.holders(kToolClaim)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  // Who opens NVML for one GPU holds both claims: the GPU says more.
  const auto same = [&all](const model::LeftBehind& one) {
    return std::find_if(all.begin(), all.end(), [&one](const auto& other) { return other.pid == one.pid; });
  };
  std::vector<model::LeftBehind> once;
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (same(*one) == one) once.push_back(*one);
  }
  return once;
}

model::LeftBehind claim_of(std::string what) {
  model::LeftBehind holder;
  holder.what = std::move(what);
  holder.pid = ::getpid();
  holder.since_ms = now_ms();
  return holder;
}

std::int64_t age_ms(const model::LeftBehind& holder) {
  return std::max<std::int64_t>(0, now_ms() - holder.since_ms);
}

bool survives_kill(std::int64_t pid) {
  const auto text = base::read_file(fmt::format("/proc/{}/status", pid), 65536);
  if (!text) return false;
  const std::size_t at = text->find("\nSigPnd:\t");
  if (at == std::string::npos) return false;
  const std::string_view rest = std::string_view(*text).substr(at + 9);
  const auto bits = base::parse_hex(rest.substr(0, rest.find('\n')));
  return bits && (*bits >> (SIGKILL - 1) & 1U) != 0;
}

bool is_stuck(const model::LeftBehind& holder) {
  if (holder.pid <= 0) return false;
  return age_ms(holder) > kLongestHold_ms || survives_kill(holder.pid);
}

std::string nvml_scope() {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325;  // FNV-1a
  constexpr std::uint64_t kFactor = 0x100000001b3;
  const char* library = std::getenv("GPUWRIGHT_NVML");
  if (library == nullptr || *library == '\0') return {};
  const char* scenario = std::getenv("GPUWRIGHT_FAKEGPU");
  std::uint64_t hash = kStart;
  for (const char letter : fmt::format("{}:{}", library, scenario == nullptr ? "" : scenario))
    hash = (hash ^ static_cast<unsigned char>(letter)) * kFactor;
  return fmt::format("{:016x}", hash);
}

}  // namespace gpuwright::host
