// The daemon's doors: one for those who may read everything, and, where it is wanted, one for the metrics
// alone. Each request passes the same checks in one place (Door::answer), then finds its route.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kit/event_loop.h"
#include "kit/http.h"
#include "server/access.h"
#include "server/auth.h"
#include "server/content.h"

#include <memory>
#include <string>
#include <vector>

namespace gpuwright::server {

/// What a door is for.
struct Door {
  bool metrics_only = false;
  bool loopback = true;
  Tokens tokens;
  std::vector<std::string> names;

  /// Host, route, token, then the content's answer.
  kit::HttpResponse answer(Content& content, const kit::HttpRequest& request) const;
};

class Site {
 public:
  /// Checks the settings, reads the tokens, listens. Loop and content must outlive it. Errors: Denied (nobody
  /// would be kept out), those of load_token, of parse_listen and of kit::HttpServer::listen.
  static base::Result<std::unique_ptr<Site>> open(kit::EventLoop& loop, const Settings& settings,
                                                  Content& content);

  /// Lines for the operator: where it serves what, and what is worth knowing about it.
  const std::vector<std::string>& notes() const { return notes_; }
  int port() const { return servers_.front()->port(); }
  /// 0 where there is none.
  int metrics_port() const { return servers_.size() > 1 ? servers_[1]->port() : 0; }
  /// Of both doors.
  kit::HttpCounts counts() const;
  /// Reads certificate and key again.
  base::Status reload() { return servers_.front()->reload_tls(); }

 private:
  Site() = default;
  std::vector<std::unique_ptr<kit::HttpServer>> servers_;
  std::vector<std::string> notes_;
};

}  // namespace gpuwright::server
