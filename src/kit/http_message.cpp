// Messages by Boost.Beast's parser; see the header. The only file that includes Beast. Its parser hands over
// what it found piece by piece; what it lets through and we do not is checked here: exactly one Host, a
// target that can be decoded, no control bytes.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_message.h"

#include "base/text.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace gpuwright::kit {

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using View = boost::beast::string_view;

std::string_view view(View text) {
  return {text.data(), text.size()};
}

bool has_control_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

/// What both kinds of parsers do alike.
template <bool kIsRequest>
class Parser : public http::basic_parser<kIsRequest> {
 public:
  HttpHeaders headers;
  std::string body;
  std::size_t body_bytes = 0;

  Parser(std::size_t header_limit, std::size_t body_limit) : limit_(body_limit) {
    this->header_limit(static_cast<std::uint32_t>(
        std::min<std::size_t>(header_limit, std::numeric_limits<std::uint32_t>::max())));
    this->body_limit(body_limit);
    this->eager(true);
  }

 protected:
  void on_request_impl(http::verb, View, View, int, error_code&) override {}
  void on_response_impl(int, View, int, error_code&) override {}
  void on_field_impl(http::field, View name, View value, error_code&) override {
    headers.push_back({std::string(view(name)), std::string(view(value))});
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(View piece, error_code& error) override { return add(piece, error); }
  void on_chunk_header_impl(std::uint64_t, View, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View piece, error_code& error) override {
    return add(piece, error);
  }
  void on_finish_impl(error_code&) override {}

 private:
  std::size_t add(View piece, error_code& error) {
    if (body.size() + piece.size() > limit_)
      error = http::error::body_limit;
    else
      body.append(piece.data(), piece.size());
    return piece.size();
  }

  std::size_t limit_;
};

class RequestParser final : public Parser<true> {
 public:
  using Parser::Parser;
  HttpRequest request;

 private:
  void on_request_impl(http::verb, View method, View target, int version, error_code&) override {
    request.method = std::string(view(method));
    request.target = std::string(view(target));
    request.version_1_0 = version == 10;
  }
};

class ResponseParser final : public Parser<false> {
 public:
  using Parser::Parser;
  int status = 0;

 private:
  void on_response_impl(int code, View, int, error_code&) override { status = code; }
};

/// What is left of a message in chunks has at least "0", a line end, and another. Beast 1.74 asserts that it
/// is given so much once it has seen the "0" (basic_parser.ipp, parse_chunk_header).
constexpr std::size_t kShortestChunkEnd = 5;

/// Feeds a parser what it can take now. The rest of `bytes` stays.
template <class P>
error_code feed(P& parser, std::string_view& bytes) {
  error_code error;
  if (parser.is_header_done() && parser.chunked() && bytes.size() < kShortestChunkEnd) return error;
  while (!parser.is_done() && !bytes.empty() && !error) {
    const std::size_t taken = parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    bytes.remove_prefix(taken);
    if (taken == 0) break;
  }
  if (error == http::error::need_more) error = {};
  return error;
}

int status_of(const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

/// Sorts out target and host. False when they are none.
bool understand(HttpRequest& request) {
  const auto hosts =
      std::count_if(request.headers.begin(), request.headers.end(),
                    [](const HttpHeader& header) { return base::equals_ignoring_case(header.name, "host"); });
  if (hosts > 1 || (hosts == 0 && !request.version_1_0)) return false;
  const auto coding = request.header("transfer-encoding");
  if (coding && (request.version_1_0 || !base::equals_ignoring_case(*coding, "chunked"))) return false;
  request.host = request.header("host").value_or("");
  std::string_view target = request.target;
  if (request.method == "OPTIONS" && target == "*") {
    request.path = "*";
    return true;
  }
  if (!target.empty() && target[0] != '/') {  // a client that takes us for its proxy writes a whole URL
    const auto url = base::parse_url(target);
    if (!url.ok()) return false;
    request.host = base::host_port_text(url->host, url->port);
    request.target = url->target;
    target = request.target;
  }
  const std::size_t question = target.find('?');
  auto path = base::percent_decode(target.substr(0, question));
  auto query = base::parse_query(question == std::string_view::npos ? "" : target.substr(question + 1));
  if (!path || path->empty() || !query || has_control_bytes(*path)) return false;
  request.path = std::move(*path);
  request.query = std::move(*query);
  return true;
}

}  // namespace

std::optional<std::string> find_header(const HttpHeaders& headers, std::string_view name) {
  std::optional<std::string> found;
  for (const HttpHeader& header : headers) {
    if (!base::equals_ignoring_case(header.name, name)) continue;
    if (found)
      *found += ", " + header.value;
    else
      found = header.value;
  }
  return found;
}

std::optional<std::string> HttpRequest::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

HttpResponse text_response(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.headers.push_back({"Content-Type", "text/plain; charset=utf-8"});
  response.body = std::make_shared<const std::string>(std::move(text));
  return response;
}

void HttpLater::answer(HttpResponse response) {
  if (std::exchange(answered_, true)) return;
  response.later = nullptr;
  if (taker_)
    std::exchange(taker_, nullptr)(std::move(response));
  else
    early_ = std::move(response);
}

void HttpLater::deliver_to(std::function<void(HttpResponse)> taker) {
  if (!early_) {
    taker_ = std::move(taker);
    return;
  }
  taker(std::move(*early_));
  early_.reset();
}

std::string_view status_phrase(int status) {
  const http::status known = http::int_to_status(static_cast<unsigned>(status));
  return known == http::status::unknown ? std::string_view() : view(http::obsolete_reason(known));
}

struct HttpRequestReader::State {
  std::size_t header_limit;
  std::size_t body_limit;
  std::optional<RequestParser> parser;
  int broken_status = 400;
};

HttpRequestReader::HttpRequestReader(std::size_t header_limit, std::size_t body_limit)
    : state_(std::make_unique<State>(State{header_limit, body_limit, std::nullopt, 400})) {
  reset();
}
HttpRequestReader::~HttpRequestReader() = default;

void HttpRequestReader::reset() {
  state_->parser.emplace(state_->header_limit, state_->body_limit);
}

HttpProgress HttpRequestReader::take(std::string_view& bytes) {
  RequestParser& parser = *state_->parser;
  // Line ends before a request do not count (RFC 9112, section 2.2).
  while (!parser.got_some() && bytes.substr(0, 2) == "\r\n") bytes.remove_prefix(2);
  if (!parser.got_some() && bytes == "\r") return HttpProgress::NeedsMore;
  if (const error_code error = feed(parser, bytes)) {
    state_->broken_status = status_of(error);
    return HttpProgress::Broken;
  }
  if (!parser.is_done()) return HttpProgress::NeedsMore;
  parser.request.headers = std::move(parser.headers);
  parser.request.body = std::move(parser.body);
  if (understand(parser.request)) return HttpProgress::Complete;
  state_->broken_status = 400;
  return HttpProgress::Broken;
}

bool HttpRequestReader::wants_continue() const {
  const RequestParser& parser = *state_->parser;
  if (!parser.is_header_done() || parser.is_done() || parser.request.version_1_0) return false;
  const auto expect = find_header(parser.headers, "expect");
  return expect && base::equals_ignoring_case(*expect, "100-continue");
}

bool HttpRequestReader::keep_alive() const {
  return state_->parser->keep_alive();
}
HttpRequest& HttpRequestReader::request() {
  return state_->parser->request;
}
int HttpRequestReader::broken_status() const {
  return state_->broken_status;
}

struct HttpResponseReader::State {
  ResponseParser parser;
  std::string why;
};

HttpResponseReader::HttpResponseReader(std::size_t header_limit, std::size_t body_limit, bool head)
    : state_(new State{ResponseParser(header_limit, body_limit), ""}) {
  state_->parser.skip(head);
}
HttpResponseReader::~HttpResponseReader() = default;

HttpProgress HttpResponseReader::take(std::string_view& bytes) {
  if (const error_code error = feed(state_->parser, bytes)) {
    state_->why = error.message();
    return HttpProgress::Broken;
  }
  return state_->parser.is_done() ? HttpProgress::Complete : HttpProgress::NeedsMore;
}

HttpProgress HttpResponseReader::end() {
  if (state_->parser.is_done()) return HttpProgress::Complete;
  error_code error;
  if (state_->parser.got_some()) state_->parser.put_eof(error);
  if (!error && state_->parser.is_done()) return HttpProgress::Complete;
  state_->why = "the answer ends in the middle";
  return HttpProgress::Broken;
}

int HttpResponseReader::status() const {
  return state_->parser.status;
}
const HttpHeaders& HttpResponseReader::headers() const {
  return state_->parser.headers;
}
std::string& HttpResponseReader::body() {
  return state_->parser.body;
}
const std::string& HttpResponseReader::why() const {
  return state_->why;
}

}  // namespace gpuwright::kit
