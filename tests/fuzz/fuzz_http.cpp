// What a client may send: a request is the same in whatever pieces it comes, and all that is read from it
// later ends.
// SPDX-License-Identifier: Apache-2.0
#include "kit/http_message.h"
#include "server/access.h"
#include "server/auth.h"
#include "server/negotiate.h"
#include "server/routes.h"

#include "support/fuzz.h"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace gpuwright;

namespace {

struct Read {
  kit::HttpProgress progress = kit::HttpProgress::NeedsMore;
  kit::HttpRequest request;
};

Read read_in_pieces(const std::string& bytes, std::size_t piece) {
  kit::HttpRequestReader reader(4096, 4096);
  Read read;
  std::string input;
  for (std::size_t at = 0; at < bytes.size() && read.progress == kit::HttpProgress::NeedsMore; at += piece) {
    input += bytes.substr(at, piece);
    std::string_view left = input;
    read.progress = reader.take(left);
    input.erase(0, input.size() - left.size());
  }
  if (read.progress == kit::HttpProgress::Complete) read.request = reader.request();
  if (read.progress == kit::HttpProgress::Broken && reader.broken_status() < 400) std::abort();
  return read;
}

void check_parts(const kit::HttpRequest& request) {
  (void)server::negotiate(request.header("accept"), request.header("accept-encoding"));
  (void)server::is_our_name(request.host, {"gpu07"});
  (void)server::find_route(request.method, request.path, true);
  const server::Tokens tokens = {"0123456789abcdef", ""};
  if (server::judge(server::Need::WriteToken, tokens, request.header("authorization")) ==
      server::Verdict::Allowed)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::own_copy(data, size);
  const Read whole = read_in_pieces(text, text.size() + 1);
  const Read pieces = read_in_pieces(text, size % 7 + 1);
  if (whole.progress == kit::HttpProgress::Complete) {
    if (pieces.progress != kit::HttpProgress::Complete || pieces.request.path != whole.request.path ||
        pieces.request.body != whole.request.body ||
        pieces.request.headers.size() != whole.request.headers.size())
      std::abort();
    check_parts(whole.request);
  }
  (void)server::negotiate(text, text);
  (void)server::parse_listen(text);
  (void)base::parse_query(text);
  if (const auto url = base::parse_url(text); url.ok() && url->target[0] != '/') std::abort();
  if (base::percent_decode(base::percent_encode(text)) != text) std::abort();
  kit::HttpResponseReader answer(4096, 4096, false);
  std::string_view left = text;
  if (answer.take(left) == kit::HttpProgress::NeedsMore) (void)answer.end();
  return 0;
}
