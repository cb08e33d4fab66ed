// SPDX-License-Identifier: Apache-2.0
#include "host/hosts_file.h"

#include "base/shell_words.h"
#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace gpuwright::host {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;
using base::Status;

constexpr std::size_t kMaxHosts = 100'000;
constexpr std::size_t kMaxName = 255;  // of a DNS name

bool only(std::string_view text, std::string_view further) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || further.find(c) != std::string_view::npos;
  });
}

Status check_part(std::string_view part, const char* what, std::string_view further) {
  const std::string shown = base::printable(part, 60);
  if (part.empty()) return make_error(ErrorKind::Malformed, fmt::format("no {}", what));
  if (part.starts_with('-')) {
    return make_error(ErrorKind::Malformed,
                      fmt::format("{} '{}' begins with '-': ssh would take it for an option", what, shown));
  }
  if (part.size() > kMaxName || !only(part, further)) {
    return make_error(
        ErrorKind::Malformed,
        fmt::format("{} '{}' may hold letters, digits and {} only (give other names an alias in "
                    "ssh's configuration)",
                    what, shown, further));
  }
  return base::Done{};
}

Status set_port(RemoteHost& remote, std::string_view text) {
  const auto port = base::parse_int(text);
  if (!port || *port < 1 || *port > 65535 || !only(text, ""))
    return make_error(ErrorKind::Malformed,
                      fmt::format("port '{}' is not 1 to 65535", base::printable(text, 20)));
  remote.port = *port;
  return base::Done{};
}

/// "[address]" with or without ":port".
Status set_bracketed(RemoteHost& remote, std::string_view text) {
  const auto end = text.find(']');
  const std::string_view behind = end == std::string_view::npos ? "" : text.substr(end + 1);
  if (end == std::string_view::npos || (!behind.empty() && behind.front() != ':'))
    return make_error(ErrorKind::Malformed, "an address in brackets ends with ] or ]:PORT");
  const std::string_view address = text.substr(1, end - 1);
  GPUWRIGHT_TRY([[maybe_unused]] auto checked, check_part(address, "address", ".:%_-"));
  remote.host = address;
  return behind.empty() ? Status(base::Done{}) : set_port(remote, behind.substr(1));
}

Status set_value(RemoteHost& remote, std::string_view word) {
  const auto equals = word.find('=');
  const std::string_view key = word.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
  std::string* field = key == "sysroot"  ? &remote.sysroot
                       : key == "binary" ? &remote.binary
                       : key == "name"   ? &remote.name
                                         : nullptr;
  if (equals == std::string_view::npos || field == nullptr) {
    return make_error(ErrorKind::Malformed,
                      fmt::format("'{}' is not name=, sysroot= or binary=", base::printable(word, 60)));
  }
  if (value.empty()) return make_error(ErrorKind::Malformed, fmt::format("{}= without a value", key));
  if (base::printable(value, value.size()) != value)
    return make_error(ErrorKind::Malformed, fmt::format("{}= holds bytes that are no text", key));
  if (key != "name" && value.starts_with('-'))
    return make_error(ErrorKind::Malformed, fmt::format("{}= begins with '-'", key));
  *field = value;
  return base::Done{};
}

/// The line without its comment: a '#' at its start or behind white space.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '#' && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t'))
      return line.substr(0, at);
  }
  return line;
}

Result<RemoteHost> parse_line(const std::vector<std::string>& words) {
  GPUWRIGHT_TRY(RemoteHost remote, parse_remote_host(words.front()));
  for (std::size_t at = 1; at < words.size(); ++at) {
    GPUWRIGHT_TRY([[maybe_unused]] auto set, set_value(remote, words[at]));
  }
  return remote;
}

}  // namespace

Result<RemoteHost> parse_remote_host(std::string_view text) {
  RemoteHost remote;
  remote.name = text;
  std::string_view rest = text;
  const auto at = rest.rfind('@');
  if (at != std::string_view::npos) {
    GPUWRIGHT_TRY([[maybe_unused]] auto checked, check_part(rest.substr(0, at), "user", "._-+@"));
    remote.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  if (rest.starts_with('[')) {
    GPUWRIGHT_TRY([[maybe_unused]] auto set, set_bracketed(remote, rest));
    return remote;
  }
  const auto colons = std::count(rest.begin(), rest.end(), ':');
  if (colons == 1) {
    GPUWRIGHT_TRY([[maybe_unused]] auto set, set_port(remote, rest.substr(rest.find(':') + 1)));
    rest = rest.substr(0, rest.find(':'));
  }
  GPUWRIGHT_TRY([[maybe_unused]] auto checked, check_part(rest, "host", colons > 1 ? ".:%_-" : "._-"));
  remote.host = rest;
  return remote;
}

Result<std::vector<RemoteHost>> parse_hosts(std::string_view text, const std::string& file) {
  std::vector<RemoteHost> hosts;
  std::map<std::string, std::int64_t> seen;
  std::int64_t number = 0;
  for (const std::string_view line : base::lines(text)) {
    const std::string where = fmt::format("{}:{}", file, ++number);
    const auto words = base::split_words(without_comment(line));
    if (!words) return make_error(ErrorKind::Malformed, words.error().message, where);
    if (words->empty()) continue;
    auto remote = parse_line(*words);
    if (!remote) return make_error(ErrorKind::Malformed, remote.error().message, where);
    remote->line = number;
    const auto known = seen.emplace(remote->name, number);
    if (!known.second) {
      return make_error(ErrorKind::Malformed,
                        fmt::format("'{}' stands in line {} already (name= tells two apart)",
                                    base::printable(remote->name, 60), known.first->second),
                        where);
    }
    if (hosts.size() == kMaxHosts)
      return make_error(ErrorKind::Malformed, fmt::format("more than {} hosts", kMaxHosts), where);
    hosts.push_back(std::move(*remote));
  }
  if (hosts.empty())
    return make_error(ErrorKind::Malformed, "names no host (one a line: user@host:port or an alias of ssh)",
                      file);
  return hosts;
}

}  // namespace gpuwright::host
