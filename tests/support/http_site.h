// An HTTP server of ours on a thread of its own, and clients that say exactly the bytes that a test wants
// said.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "kit/event_loop.h"
#include "kit/http.h"

#include "support/run.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace gpuwright::tests {

/// Serves on a free port of loopback until it is dropped.
class HttpSite {
 public:
  HttpSite(kit::HttpOptions options, kit::HttpServer::Handler handler);
  ~HttpSite();
  HttpSite(const HttpSite&) = delete;
  HttpSite& operator=(const HttpSite&) = delete;

  int port() const { return port_; }
  /// "http://127.0.0.1:PORT" and the path; https where it has a certificate.
  std::string url(const std::string& path) const;
  kit::HttpCounts counts();
  /// Runs it on the server's thread, and waits for it.
  void on_loop(const std::function<void()>& action);
  kit::EventLoop& loop() { return loop_; }

 private:
  kit::EventLoop loop_;
  std::unique_ptr<kit::HttpServer> server_;
  int port_ = 0;
  bool tls_ = false;
  std::thread thread_;
};

/// A connection that says what it is told to.
class RawClient {
 public:
  explicit RawClient(int port);
  /// False when the other side has gone.
  bool say(const std::string& bytes);
  /// Reads until `end` has come, the other side has ended, or the time is over; returns all that came with
  /// this call.
  std::string hear(const std::string& end, std::chrono::milliseconds time = std::chrono::milliseconds(5000));
  /// Reads until the other side ends.
  std::string hear_all(std::chrono::milliseconds time = std::chrono::milliseconds(5000));
  /// Whether the other side has ended the connection, within the time.
  bool ended(std::chrono::milliseconds time = std::chrono::milliseconds(5000));
  /// The kernel keeps little of what we do not read. Before the first answer comes.
  void read_little();
  void stop_saying();
  int fd() const { return fd_.get(); }

 private:
  base::Fd fd_;
  bool ended_ = false;
};

/// Certificates made by openssl, for the time of a test: an authority, a server of 127.0.0.1 and localhost,
/// and a client of the name "prometheus"; `other_` ones are of another authority.
class Certificates {
 public:
  Certificates();
  /// The path of authority.pem, server.pem, server.key, client.pem, client.key, other.pem, other_client.pem,
  /// other_client.key.
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  void authority(const std::string& name);
  void signed_by(const std::string& authority, const std::string& name, const std::string& common_name);
  void openssl(const std::string& arguments);

  TempFolder folder_;
};

}  // namespace gpuwright::tests
