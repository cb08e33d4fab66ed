// Addresses as people and browsers write them: URLs, what stands in a Host header or behind --listen, and the
// parameters behind the question mark. Source: RFC 3986; HTML, application/x-www-form-urlencoded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuwright::base {

/// A host with its port, if one was written.
struct HostPort {
  std::string host;  ///< lower case; of IPv6 without the brackets
  std::optional<int> port;
  bool operator==(const HostPort&) const = default;
};

/// "localhost:9400", "[::1]:9400", "gpu07" ... Nothing when it is none: characters that no host has, a port
/// outside 0 to 65535, IPv6 with a port but without brackets. A bare IPv6 address is fine.
std::optional<HostPort> parse_host_port(std::string_view text);

/// "HOST:PORT", with the brackets that IPv6 needs.
std::string host_port_text(std::string_view host, int port);

/// What to connect to, and what to ask for there.
struct Url {
  std::string scheme;  ///< "http" or "https"
  std::string host;
  int port = 0;        ///< the scheme's own where none was written
  std::string target;  ///< path and parameters as written; "/" at least; without fragment
};

/// Malformed when it is no http or https URL, holds a user name, or bytes that a request line cannot hold.
Result<Url> parse_url(std::string_view text);

/// %41 becomes A. Nothing when two hexadecimal digits do not follow each '%'.
std::optional<std::string> percent_decode(std::string_view text);

/// Everything but letters, digits and "-._~" becomes %XX: safe as a parameter or one part of a path.
std::string percent_encode(std::string_view text);

using Parameters = std::vector<std::pair<std::string, std::string>>;

/// "a=1&b=x+y" without the question mark, decoded, in order; '+' is a space. Nothing when a percent sign is
/// wrong.
std::optional<Parameters> parse_query(std::string_view text);

}  // namespace gpuwright::base
