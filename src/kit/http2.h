// One question at a time over gRPC, to a service that listens at a Unix socket: HTTP/2 by prior knowledge,
// no TLS, unary calls. The connection is kept between calls. Made for a process that may wait: a call waits,
// but never beyond its deadline.
// Source: RFC 9113; https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace gpuwright::kit {

struct GrpcLimits {
  std::chrono::milliseconds deadline{2000};          ///< for all of it, connecting included
  std::size_t answer_limit = std::size_t{16} << 20;  ///< bytes of the answer
};

class GrpcChannel {
 public:
  /// Nothing is connected before the first call.
  explicit GrpcChannel(std::string socket_path);
  ~GrpcChannel();
  GrpcChannel(const GrpcChannel&) = delete;
  GrpcChannel& operator=(const GrpcChannel&) = delete;

  /// Calls `method` ("/v1.PodResourcesLister/List") with this message; the answer's message. A kept
  /// connection that turns out to be closed is replaced once. Errors: NotFound (no such socket, or the
  /// service does not know), Denied, Unsupported (no such method), TimedOut, Malformed (no HTTP/2, no gRPC,
  /// too large), Io (nobody listens, it broke off).
  base::Result<std::string> call(const std::string& method, std::string_view request,
                                 const GrpcLimits& limits);
  /// Connections made so far.
  int connections() const { return connections_; }

 private:
  class Connection;
  std::string path_;
  std::unique_ptr<Connection> connection_;
  int connections_ = 0;
};

}  // namespace gpuwright::kit
