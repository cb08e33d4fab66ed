// What there is to serve. The room `server` knows who may ask for what and how an answer is dressed; what is
// said comes from here, and never waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/url.h"
#include "kit/http_message.h"
#include "server/negotiate.h"

#include <memory>
#include <optional>
#include <string>

namespace gpuwright::server {

struct Health {
  bool good = false;  ///< 200, else 503
  std::string text;   ///< one line: what is wrong
};

/// A file of the page.
struct Page {
  std::string content_type;
  std::string tag;  ///< changes with the body; the browser keeps what has the same
  std::shared_ptr<const std::string> body;
  std::shared_ptr<const std::string> gzip;  ///< the same, compressed; may be absent
};

class Content {
 public:
  virtual ~Content() = default;
  Content() = default;
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;

  /// The newest metrics, kept ready in each form: called for every scrape.
  virtual std::shared_ptr<const std::string> metrics(report::MetricsFormat format, bool gzip) = 0;
  /// Whether the daemon itself works (a sick GPU is no reason to restart it).
  virtual Health health() = 0;
  /// Whether it has something to say yet.
  virtual Health ready() = 0;
  /// The answer to GET of a path below "/api/v1/" (without that), JSON; HttpLater where it takes time; 404
  /// for what there is not.
  virtual kit::HttpResponse api(const std::string& path, const base::Parameters& query) = 0;
  /// The same for POST: it changes something. Nobody comes here without the write token.
  virtual kit::HttpResponse act(const std::string& path, const std::string& body) = 0;
  /// The live events: what a newcomer has to know as the body (kit::event_text), then the stream. `last_id`
  /// is the last one that it has seen, or empty.
  virtual kit::HttpResponse events(const std::string& last_id) = 0;
  /// The file at that path ("/", "/page.js"), or nothing.
  virtual std::optional<Page> page(const std::string& path) = 0;
};

}  // namespace gpuwright::server
