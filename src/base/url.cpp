// Reading addresses; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "base/url.h"

#include "base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace gpuwright::base {

namespace {

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_unreserved(char c) {
  return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// A name or an IPv4 address. '_' is no letter of host names (RFC 952), but of many that are in use.
bool is_name(std::string_view host) {
  return !host.empty() && host.size() <= 255 &&
         std::all_of(host.begin(), host.end(), [](char c) { return is_unreserved(c) && c != '~'; });
}

bool is_ipv6(std::string_view host) {
  return host.size() >= 2 && host.size() <= 64 && host.find(':') != std::string_view::npos &&
         std::all_of(host.begin(), host.end(),
                     [](char c) { return hex_digit(c) >= 0 || c == ':' || c == '.'; });
}

std::optional<int> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5 || hex_digit(text[0]) < 0) return std::nullopt;
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > 65535) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
  HostPort found;
  std::string_view rest;
  if (!text.empty() && text[0] == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || !is_ipv6(text.substr(1, end - 1))) return std::nullopt;
    found.host = lower(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else if (is_ipv6(text) && std::count(text.begin(), text.end(), ':') > 1) {
    found.host = lower(text);
  } else {
    const std::string_view name = text.substr(0, text.find(':'));
    if (!is_name(name)) return std::nullopt;
    found.host = lower(name);
    rest = text.substr(name.size());
  }
  if (rest.empty()) return found;
  if (rest[0] != ':') return std::nullopt;
  found.port = parse_port(rest.substr(1));
  if (!found.port) return std::nullopt;
  return found;
}

std::string host_port_text(std::string_view host, int port) {
  if (host.find(':') != std::string_view::npos) return fmt::format("[{}]:{}", host, port);
  return fmt::format("{}:{}", host, port);
}

Result<Url> parse_url(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return make_error(ErrorKind::Malformed, fmt::format("not an address to call: {}", why),
                      printable(text, 200));
  };
  Url url;
  for (const std::string_view scheme : {"http", "https"}) {
    if (starts_with_ignoring_case(text, fmt::format("{}://", scheme))) url.scheme = scheme;
  }
  if (url.scheme.empty()) return wrong("it begins with neither http:// nor https://");
  std::string_view rest = text.substr(url.scheme.size() + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) return wrong("a user name or password stands in it");
  const auto where = parse_host_port(authority);
  if (!where) return wrong("its host or port is none");
  url.host = where->host;
  url.port = where->port.value_or(url.scheme == "https" ? 443 : 80);
  rest = rest.substr(0, rest.find('#'));
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return c <= ' ' || c >= '\x7f'; }))
    return wrong("it holds a space, a control byte or a letter that must be written as %XX");
  url.target = rest.empty() || rest[0] != '/' ? fmt::format("/{}", rest) : std::string(rest);
  return url;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[at + 1]);
    const int low = hex_digit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c))
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::optional<Parameters> parse_query(std::string_view text) {
  Parameters parameters;
  if (text.empty()) return parameters;
  for (const std::string_view piece : split(text, '&')) {
    if (piece.empty()) continue;
    const std::string spaced = replace_all(std::string(piece), "+", " ");
    const std::size_t equals = spaced.find('=');
    auto name = percent_decode(std::string_view(spaced).substr(0, equals));
    auto value =
        percent_decode(equals == std::string::npos ? "" : std::string_view(spaced).substr(equals + 1));
    if (!name || !value) return std::nullopt;
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

}  // namespace gpuwright::base
