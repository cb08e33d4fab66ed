// TLS with certificates that openssl makes for the test: our client and curl against our server.
// SPDX-License-Identifier: Apache-2.0
#include "kit/tls.h"

#include "base/text.h"
#include "kit/http.h"
#include "kit/http_client.h"

#include "support/http_site.h"
#include "support/sanitizer.h"
#include <gtest/gtest.h>

#include <thread>

namespace gpuwright::tests {
namespace {

using namespace std::chrono_literals;

kit::HttpResponse who(const kit::HttpRequest& request) {
  kit::HttpResponse response =
      kit::text_response(200, "client: " + request.client_name + (request.over_tls ? ", encrypted" : ""));
  if (request.path == "/big") response.body = std::make_shared<const std::string>(std::size_t{3} << 20, 'b');
  return response;
}

class Tls : public testing::Test {
 protected:
  static const Certificates& made() {
    static const Certificates certificates;
    return certificates;
  }
  static kit::HttpOptions options(bool mutual) {
    kit::HttpOptions options;
    options.limits.send = 2s;
    options.tls = kit::TlsFiles{made().path("server.pem"), made().path("server.key"),
                                mutual ? made().path("authority.pem") : std::string()};
    return options;
  }
  static kit::HttpCall call(const std::string& url) {
    kit::HttpCall call;
    call.url = url;
    call.authorities = made().path("authority.pem");
    return call;
  }
};

TEST_F(Tls, EncryptsForOurClientAndForCurl) {
  HttpSite site(options(false), who);
  const auto answer = kit::http_call(call(site.url("/")));
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_EQ(answer->body, "client: , encrypted");
  const auto big = kit::http_call(call(site.url("/big")));
  ASSERT_TRUE(big.ok()) << big.error().text();
  EXPECT_EQ(big->body.size(), std::size_t{3} << 20);
  const Ran curl =
      run({"curl", "-sS", "--cacert", made().path("authority.pem"), site.url("/"), site.url("/")});
  EXPECT_EQ(curl.exit_code, 0) << curl.err;
  EXPECT_EQ(curl.out, "client: , encryptedclient: , encrypted");
  if (!kNamesCanBeLookedUp) GTEST_SKIP() << "names cannot be looked up under this sanitizer";
  auto by_name = call("https://localhost:" + std::to_string(site.port()) + "/");
  EXPECT_TRUE(kit::http_call(by_name).ok());
}

TEST_F(Tls, IsRefusedByAClientThatDoesNotKnowTheAuthority) {
  HttpSite site(options(false), who);
  auto stranger = call(site.url("/"));
  stranger.authorities = made().path("other.pem");
  const auto answer = kit::http_call(stranger);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, base::ErrorKind::Denied);
  EXPECT_TRUE(base::contains(answer.error().message, "certificate")) << answer.error().text();
}

TEST_F(Tls, KnowsAClientByItsCertificateAndRefusesAllOthers) {
  HttpSite site(options(true), who);
  const auto curl = [&](const std::vector<std::string>& more) {
    std::vector<std::string> argv = {
        "curl", "-sS", "--max-time", "10", "--cacert", made().path("authority.pem"), site.url("/")};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv);
  };
  const Ran known = curl({"--cert", made().path("client.pem"), "--key", made().path("client.key")});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_EQ(known.out, "client: prometheus, encrypted");
  const Ran stranger =
      curl({"--cert", made().path("other_client.pem"), "--key", made().path("other_client.key")});
  EXPECT_NE(stranger.exit_code, 0);
  EXPECT_EQ(stranger.out, "");
  const Ran nobody = curl({});
  EXPECT_NE(nobody.exit_code, 0);
  EXPECT_EQ(nobody.out, "");
}

TEST_F(Tls, EndsWhoSpeaksPlainOrNothing) {
  kit::HttpOptions quick = options(false);
  quick.limits.send = 100ms;
  HttpSite site(quick, who);
  RawClient plain(site.port()), silent(site.port());
  ASSERT_TRUE(plain.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_TRUE(plain.ended());
  EXPECT_TRUE(silent.ended());
  EXPECT_EQ(site.counts().timed_out, 1);
}

TEST_F(Tls, FilesThatWillNotDoAreNamed) {
  const TempFolder folder;
  const std::string empty = folder.write("empty.pem", "");
  const auto refused = [](kit::TlsFiles files) {
    const auto context = kit::TlsContext::for_server(files);
    return context.ok() ? base::Error() : context.error();
  };
  const kit::TlsFiles good = *options(true).tls;
  kit::TlsFiles files = good;
  files.certificate = "/nowhere.pem";
  EXPECT_EQ(refused(files).kind, base::ErrorKind::NotFound);
  files = good;
  files.certificate = empty;
  EXPECT_EQ(refused(files).kind, base::ErrorKind::Malformed);
  EXPECT_EQ(refused(files).where, empty);
  files = good;
  files.key = made().path("client.key");
  EXPECT_EQ(refused(files).where, files.key);
  files = good;
  files.client_authorities = empty;
  EXPECT_EQ(refused(files).where, empty);
}

}  // namespace
}  // namespace gpuwright::tests
