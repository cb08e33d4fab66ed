// One question over HTTP/1.1, to a receiver of alerts or a Prometheus: it waits, but never beyond its
// deadline. Made for a child process, which nobody waits for. Redirects are answers; no proxy is asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/http_message.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace gpuwright::kit {

struct HttpCall {
  std::string url;  ///< http or https
  std::string method = "GET";
  HttpHeaders headers;  ///< beside Host, Content-Length, User-Agent and Connection
  std::string body;
  std::chrono::milliseconds deadline{10'000};       ///< for all of it: the name, connecting, the whole answer
  std::size_t answer_limit = std::size_t{8} << 20;  ///< bytes of the answer's body
  std::string authorities;  ///< PEM file of whom to trust; empty: whom the machine does
};

struct HttpAnswer {
  int status = 0;
  HttpHeaders headers;
  std::string body;
};

/// Asks. An answer of any status is a value. Errors: Malformed (the URL, or what came is no HTTP, or too
/// large), NotFound (no such host), Denied (its certificate is not trusted), TimedOut, Io (nobody listens,
/// the connection broke).
base::Result<HttpAnswer> http_call(const HttpCall& call);

base::Result<HttpAnswer> http_get(const std::string& url, std::chrono::milliseconds deadline);
base::Result<HttpAnswer> http_post(const std::string& url, std::string body, std::string content_type,
                                   std::chrono::milliseconds deadline);

}  // namespace gpuwright::kit
