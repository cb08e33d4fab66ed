// The server's thread ends by its own loop; nothing is left.
// SPDX-License-Identifier: Apache-2.0
#include "support/http_site.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <future>

namespace gpuwright::tests {

using Clock = std::chrono::steady_clock;

HttpSite::HttpSite(kit::HttpOptions options, kit::HttpServer::Handler handler)
    : tls_(options.tls.has_value()) {
  auto server = kit::HttpServer::listen(loop_, std::move(options), std::move(handler));
  EXPECT_TRUE(server.ok()) << server.error().text();
  if (!server.ok()) return;
  server_ = std::move(server).value();
  port_ = server_->port();
  thread_ = std::thread([this] { loop_.run(); });
}

HttpSite::~HttpSite() {
  if (!thread_.joinable()) return;
  loop_.soon([this] { loop_.stop(); });
  thread_.join();
}

std::string HttpSite::url(const std::string& path) const {
  return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_) + path;
}

kit::HttpCounts HttpSite::counts() {
  kit::HttpCounts counts;
  on_loop([&] { counts = server_->counts(); });
  return counts;
}

void HttpSite::on_loop(const std::function<void()>& action) {
  std::promise<void> done;
  loop_.soon([&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

RawClient::RawClient(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

bool RawClient::say(const std::string& bytes) {
  return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::string RawClient::hear(const std::string& end, std::chrono::milliseconds time) {
  std::string heard;
  const auto until = Clock::now() + time;
  while (!ended_ && (end.empty() || !base::contains(heard, end))) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd one = {fd_.get(), POLLIN, 0};
    if (left <= 0 || ::poll(&one, 1, static_cast<int>(left)) <= 0) break;
    char buffer[65536];
    const ssize_t got = ::recv(fd_.get(), buffer, sizeof buffer, 0);
    if (got <= 0)
      ended_ = true;
    else
      heard.append(buffer, static_cast<std::size_t>(got));
  }
  return heard;
}

std::string RawClient::hear_all(std::chrono::milliseconds time) {
  return hear("", time);
}

bool RawClient::ended(std::chrono::milliseconds time) {
  hear_all(time);
  return ended_;
}

void RawClient::read_little() {
  const int little = 4096;
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
}

void RawClient::stop_saying() {
  ::shutdown(fd_.get(), SHUT_WR);
}

Certificates::Certificates() {
  authority("authority");
  authority("other");
  signed_by("authority", "server", "gpu node");
  signed_by("authority", "client", "prometheus");
  signed_by("other", "other_client", "prometheus");
}

void Certificates::authority(const std::string& name) {
  openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" + name +
          " -keyout " + path(name + ".key") + " -out " + path(name + ".pem"));
}

void Certificates::signed_by(const std::string& authority, const std::string& name,
                             const std::string& common_name) {
  const std::string names = folder_.write("names", "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  openssl("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=" + common_name + "' -keyout " +
          path(name + ".key") + " -out " + path(name + ".csr"));
  openssl("x509 -req -days 2 -in " + path(name + ".csr") + " -CA " + path(authority + ".pem") + " -CAkey " +
          path(authority + ".key") + " -CAcreateserial -extfile " + names + " -out " + path(name + ".pem"));
}

void Certificates::openssl(const std::string& arguments) {
  const Ran ran = run({"sh", "-c", "openssl " + arguments});
  EXPECT_EQ(ran.exit_code, 0) << arguments << "\n" << ran.err;
}

}  // namespace gpuwright::tests
