// What is said over HTTP/1.1: a request, an answer, and how either is read from bytes that somebody sends who
// may mean no good. Source: RFC 9110 (semantics), RFC 9112 (HTTP/1.1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/url.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuwright::kit {

struct HttpHeader {
  std::string name;
  std::string value;
};
using HttpHeaders = std::vector<HttpHeader>;

/// The header's value, its name in any case; several of one name are joined by ", ".
std::optional<std::string> find_header(const HttpHeaders& headers, std::string_view name);

struct HttpRequest {
  std::string method;      ///< "GET", as sent
  std::string target;      ///< as sent
  std::string path;        ///< decoded, begins with '/'; "*" for OPTIONS *
  base::Parameters query;  ///< decoded, in order
  std::string host;        ///< the Host header, or the host within the target; empty only with HTTP/1.0
  HttpHeaders headers;     ///< in order
  std::string body;        ///< complete
  bool version_1_0 = false;
  std::string peer;  ///< the client's address, without port
  bool over_tls = false;
  std::string client_name;  ///< who the client's verified certificate speaks of; empty without one

  std::optional<std::string> header(std::string_view name) const { return find_header(headers, name); }
  /// The first parameter of that name.
  std::optional<std::string> parameter(std::string_view name) const;
};

class EventStream;
class HttpLater;

/// What the client gets. The length, the date and how the connection goes on are added to the headers.
struct HttpResponse {
  int status = 200;
  HttpHeaders headers;
  std::shared_ptr<const std::string> body;  ///< shared, never copied; none is an empty one
  std::shared_ptr<EventStream> events;      ///< after the body the client gets what is pushed to it
  std::shared_ptr<HttpLater> later;         ///< the answer comes later, and gets these headers, too
};

/// An answer without further ado.
HttpResponse text_response(int status, std::string text);

/// An answer that the handler does not have yet.
class HttpLater {
 public:
  /// Sends it; the first counts. It may be said at any time, also when the client has gone.
  void answer(HttpResponse response);
  /// For the server: who takes it.
  void deliver_to(std::function<void(HttpResponse)> taker);

 private:
  std::function<void(HttpResponse)> taker_;
  std::optional<HttpResponse> early_;
  bool answered_ = false;
};

/// "Not Found" for 404; "" for a number that has no phrase here.
std::string_view status_phrase(int status);

/// What a reader has got so far.
enum class HttpProgress { NeedsMore, Complete, Broken };

/// Reads one request from bytes as they come.
class HttpRequestReader {
 public:
  HttpRequestReader(std::size_t header_limit, std::size_t body_limit);
  ~HttpRequestReader();
  HttpRequestReader(const HttpRequestReader&) = delete;
  HttpRequestReader& operator=(const HttpRequestReader&) = delete;

  /// Takes bytes off the front of `bytes`; what is left belongs to the next request, or must be given again
  /// with more behind it.
  HttpProgress take(std::string_view& bytes);
  /// Makes ready for the next request.
  void reset();

  /// Once the headers are complete: the client waits for "100 Continue" before it sends the body.
  bool wants_continue() const;
  /// Once complete: whether the client wants to keep the connection.
  bool keep_alive() const;
  /// Once complete.
  HttpRequest& request();
  /// Once broken: the status that says why (400, 413, 431, 501, 505).
  int broken_status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads one answer. The same, for clients.
class HttpResponseReader {
 public:
  /// `head` tells that HEAD was asked: no body follows.
  HttpResponseReader(std::size_t header_limit, std::size_t body_limit, bool head);
  ~HttpResponseReader();
  HttpResponseReader(const HttpResponseReader&) = delete;
  HttpResponseReader& operator=(const HttpResponseReader&) = delete;

  HttpProgress take(std::string_view& bytes);
  /// The other side has ended: complete where the end of the connection is the end of the answer.
  HttpProgress end();

  int status() const;
  const HttpHeaders& headers() const;
  std::string& body();
  /// Once broken: why.
  const std::string& why() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuwright::kit
