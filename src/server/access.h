// Where we listen, and for whom. Loopback is for the users of this machine; a browser on it may be led there
// by a page that gives its own name our address (DNS rebinding), so the name that it asks for must be one of
// ours. Any other address needs a token or mutual TLS; only the metrics alone may be given to everybody,
// where the operator says so. Source: CWE-350.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/url.h"
#include "kit/http.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::server {

constexpr int kDefaultPort = 9400;

struct ListenAddress {
  std::string address = "127.0.0.1";
  int port = kDefaultPort;
  bool operator==(const ListenAddress&) const = default;
};

/// "127.0.0.1:9400", "[::1]:9400", "0.0.0.0" (with the port 9400), ":9400" (all addresses), "9400"
/// (loopback). Errors: Malformed.
base::Result<ListenAddress> parse_listen(std::string_view text);

/// What the operator sets.
struct Settings {
  ListenAddress listen;
  std::optional<ListenAddress> metrics_listen;  ///< for /metrics, /healthz and /readyz alone, to everybody
  std::optional<kit::TlsFiles> tls;             ///< of `listen`
  std::string token_file;                       ///< empty: none
  std::string write_token_file;                 ///< empty: none
  std::vector<std::string> names;  ///< by which browsers may ask for us on loopback, beside localhost
  kit::HttpLimits limits;
};

/// 127.0.0.0/8, ::1, localhost.
bool is_loopback(std::string_view address);

/// Denied, saying what to do, where `listen` would let everybody in.
base::Status may_listen(const Settings& settings);

/// Whether a request for that Host header may be answered on loopback. Without one (HTTP/1.0) it is no
/// browser.
bool is_our_name(std::string_view host, const std::vector<std::string>& names);

}  // namespace gpuwright::server
