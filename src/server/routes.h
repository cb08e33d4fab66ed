// All that can be asked for, in one list: the method, the path, what it needs, and who answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kit/http_message.h"
#include "server/auth.h"
#include "server/content.h"

#include <span>
#include <string>
#include <string_view>

namespace gpuwright::server {

struct Route {
  const char* method;   ///< GET is HEAD, too
  const char* pattern;  ///< a path, or all that begins with what stands before a final '*'
  Need need;
  bool with_metrics;  ///< also where metrics alone are served
  kit::HttpResponse (*answer)(Content& content, const kit::HttpRequest& request);
};

/// The first that fits counts.
std::span<const Route> all_routes();

/// What a request finds.
struct Routed {
  const Route* route = nullptr;  ///< none: `status` says why
  int status = 404;
  std::string allowed;  ///< with 405: the methods that the path has
};
Routed find_route(std::string_view method, std::string_view path, bool metrics_only);

/// {"error": "..."} below /api/, else a line of text.
kit::HttpResponse error_response(std::string_view path, int status, const std::string& text);

}  // namespace gpuwright::server
