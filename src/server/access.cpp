// Addresses and names; see the header.
// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace gpuwright::server {

using base::ErrorKind;
using base::make_error;

base::Result<ListenAddress> parse_listen(std::string_view text) {
  ListenAddress listen;
  if (!text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    const auto port = base::parse_host_port("localhost:" + std::string(text));
    if (port) {
      listen.port = *port->port;
      return listen;
    }
  }
  const auto where =
      base::parse_host_port(base::starts_with_ignoring_case(text, ":") && text.find(':', 1) == text.npos
                                ? "[::]" + std::string(text)
                                : std::string(text));
  if (!where)
    return make_error(ErrorKind::Malformed,
                      "no address to listen on; write it as 127.0.0.1:9400 or [::1]:9400",
                      base::printable(text, 100));
  listen.address = where->host;
  listen.port = where->port.value_or(kDefaultPort);
  return listen;
}

bool is_loopback(std::string_view address) {
  if (address == "localhost") return true;
  const std::string text(address);
  in_addr four = {};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == 127;
  in6_addr six = {};
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 &&
         (IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127));
}

base::Status may_listen(const Settings& settings) {
  const bool mutual_tls = settings.tls && !settings.tls->client_authorities.empty();
  if (is_loopback(settings.listen.address) || !settings.token_file.empty() || mutual_tls) return base::Done{};
  return make_error(
      ErrorKind::Denied,
      "others could read everything there; add --token-file FILE, or --tls-client-ca FILE with a certificate "
      "of the server, or give them only the metrics with --metrics-listen",
      base::host_port_text(settings.listen.address, settings.listen.port));
}

bool is_our_name(std::string_view host, const std::vector<std::string>& names) {
  if (host.empty()) return true;
  const auto asked = base::parse_host_port(host);
  if (!asked) return false;
  for (const char* own : {"localhost", "127.0.0.1", "::1"}) {
    if (asked->host == own) return true;
  }
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return base::equals_ignoring_case(name, asked->host); });
}

}  // namespace gpuwright::server
