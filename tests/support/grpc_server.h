// A gRPC service on a Unix socket for tests, spoken by nghttp2's server side in a process of its own: it
// answers well, badly, or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/forked.h"

#include <string>

namespace gpuwright::tests {

enum class GrpcManner {
  Good,        ///< the message
  Hangs,       ///< takes the call and is silent
  Garbage,     ///< speaks no HTTP/2
  Huge,        ///< a message of 64 MiB
  Refuses,     ///< status 7, with a text
  NoGrpc,      ///< HTTP status 404
  Truncated,   ///< says that more will come than comes
  Breaks,      ///< resets the stream
  ClosesAfter  ///< the message; then it closes the connection
};

class GrpcServer {
 public:
  /// Listens at `path`. The process must have one thread only.
  GrpcServer(const std::string& path, GrpcManner manner, std::string message);
  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

 private:
  std::string path_;
  host::Forked server_;
};

}  // namespace gpuwright::tests
