// TLS 1.2 and 1.3, for our server (its certificate, and where wanted that of each client) and for our
// clients. Nothing of OpenSSL is touched before the first context is made, so who serves without it pays
// nothing. Source: OpenSSL 3.0 manual, ssl(7).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/channel.h"

#include <memory>
#include <string>
#include <vector>

namespace gpuwright::kit {

/// PEM files of a server.
struct TlsFiles {
  std::string certificate;  ///< with what stands between it and an authority that clients know
  std::string key;
  std::string client_authorities;  ///< who may have signed a client's certificate; empty: none is asked for
};

/// Where the authorities that the machine trusts may stand: its own choice first ($SSL_CERT_FILE), then as
/// the distributions have it.
std::vector<std::string> trust_stores();

class TlsContext {
 public:
  /// Errors: NotFound and Denied (a file), Malformed (it holds no certificate or key, or they do not belong
  /// together).
  static base::Result<std::shared_ptr<const TlsContext>> for_server(const TlsFiles& files);
  /// `authorities` is a PEM file, else the first of trust_stores() that is there. Errors: as above.
  static base::Result<std::shared_ptr<const TlsContext>> for_client(const std::string& authorities = {});

  virtual ~TlsContext() = default;
  TlsContext() = default;
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  /// A connection that a client began. The descriptor is borrowed, and must not block; the channel keeps the
  /// context.
  virtual base::Result<std::unique_ptr<Channel>> accept(int fd) const = 0;
  /// A connection that we began to this host: its certificate must be for that name or address.
  virtual base::Result<std::unique_ptr<Channel>> connect(int fd, const std::string& host) const = 0;
};

}  // namespace gpuwright::kit
