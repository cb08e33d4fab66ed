// Tokens; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "server/auth.h"

#include "base/files.h"
#include "base/text.h"
#include "kit/hash.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace gpuwright::server {

namespace {

using base::ErrorKind;
using base::make_error;

constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 4096;

/// Looks at what was opened, so that nobody changes it between looking and reading.
base::Status kept_secret(int fd, const std::string& path) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return base::system_error(errno, path);
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return make_error(ErrorKind::Denied,
                      "the token belongs to somebody else; chown it to the user of the daemon", path);
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0)
    return make_error(ErrorKind::Denied, "others can read or change the token; chmod 600 it", path);
  return base::Done{};
}

}  // namespace

base::Result<std::string> load_token(const std::string& path) {
  GPUWRIGHT_TRY(base::Fd fd, base::open_for_reading(path));
  GPUWRIGHT_TRY([[maybe_unused]] auto secret, kept_secret(fd.get(), path));
  base::FileStream stream(std::move(fd), path);
  GPUWRIGHT_TRY(const std::string text, base::read_all(stream, kLongest));
  const std::string_view token = base::trim(text);
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (token.size() < kShortest || !plain)
    return make_error(ErrorKind::Malformed,
                      "no token of at least 16 characters in one line; make one: openssl rand -hex 32", path);
  return std::string(token);
}

Verdict judge(Need need, const Tokens& tokens, const std::optional<std::string>& authorization) {
  if (need == Need::Open || (need == Need::Token && tokens.read.empty())) return Verdict::Allowed;
  if (need == Need::WriteToken && tokens.write.empty()) return Verdict::NotYou;
  constexpr std::string_view kScheme = "Bearer ";
  if (!authorization || !base::starts_with_ignoring_case(*authorization, kScheme)) return Verdict::WhoAreYou;
  const std::string_view given = base::trim(std::string_view(*authorization).substr(kScheme.size()));
  // All comparisons are made, whichever succeeds.
  const bool reads = !tokens.read.empty() && kit::equal_secrets(given, tokens.read);
  const bool writes = !tokens.write.empty() && kit::equal_secrets(given, tokens.write);
  if (writes || (reads && need == Need::Token)) return Verdict::Allowed;
  return reads ? Verdict::NotYou : Verdict::WhoAreYou;
}

}  // namespace gpuwright::server
