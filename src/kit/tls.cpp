// TLS by OpenSSL, linked statically; see the header. Its configuration file is not read: it may name modules
// of another OpenSSL. It writes to the socket by a method of ours, for its own would let SIGPIPE end the
// process.
// SPDX-License-Identifier: Apache-2.0
#include "kit/tls.h"

#include "base/files.h"
#include "base/text.h"

#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

namespace gpuwright::kit {

namespace {

using base::ErrorKind;
using base::make_error;
using base::Result;

/// The reason of the newest failure; the list of failures is empty afterwards.
std::string reason() {
  const unsigned long code = ::ERR_peek_last_error();
  const char* text = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  ::ERR_clear_error();
  return text == nullptr ? "no reason is given" : text;
}

int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(::BIO_get_data(bio)));
}

int bio_result(BIO* bio, ssize_t moved, int retry) {
  BIO_clear_retry_flags(bio);
  if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  return static_cast<int>(moved);
}

int bio_read(BIO* bio, char* buffer, int size) {
  return bio_result(bio, ::recv(socket_of(bio), buffer, static_cast<std::size_t>(size), MSG_DONTWAIT),
                    BIO_FLAGS_READ);
}

int bio_write(BIO* bio, const char* bytes, int size) {
  return bio_result(
      bio, ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL),
      BIO_FLAGS_WRITE);
}

long bio_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
    ::BIO_meth_set_read(made, bio_read);
    ::BIO_meth_set_write(made, bio_write);
    ::BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

struct Free {
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { ::SSL_free(ssl); }
};
using ContextPointer = std::unique_ptr<SSL_CTX, Free>;
using SslPointer = std::unique_ptr<SSL, Free>;

class TlsChannel final : public Channel {
 public:
  TlsChannel(SslPointer ssl, std::shared_ptr<const TlsContext> context)
      : context_(std::move(context)), ssl_(std::move(ssl)) {}

  Moved handshake() override { return moved(::SSL_do_handshake(ssl_.get()), 0); }

  Moved read(std::span<char> buffer) override {
    std::size_t got = 0;
    const int ok = ::SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &got);
    return moved(ok, got);
  }

  Moved write(std::span<const iovec> pieces) override {
    std::size_t all = 0;
    for (const iovec& piece : pieces) {
      std::size_t sent = 0;
      if (piece.iov_len == 0) continue;
      const int ok = ::SSL_write_ex(ssl_.get(), piece.iov_base, piece.iov_len, &sent);
      all += sent;
      if (ok != 1 && all == 0) return moved(ok, 0);
      if (ok != 1 || sent < piece.iov_len) break;  // what stands in the way is still there at the next call
    }
    return {Moved::Kind::Bytes, all};
  }

  bool holds_bytes() const override { return ::SSL_has_pending(ssl_.get()) == 1; }

  void finish() override {
    if (::SSL_is_init_finished(ssl_.get()) == 1 && !failed_) ::SSL_shutdown(ssl_.get());
    ::ERR_clear_error();
    ::shutdown(socket_of(::SSL_get_wbio(ssl_.get())), SHUT_WR);
  }

  bool encrypted() const override { return true; }

  std::string peer_name() const override {
    if (::SSL_get_verify_result(ssl_.get()) != X509_V_OK) return {};
    X509* const certificate = ::SSL_get0_peer_certificate(ssl_.get());
    if (certificate == nullptr) return {};
    char name[256] = {};
    const int length =
        ::X509_NAME_get_text_by_NID(::X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    return length <= 0 ? "a certificate without a common name" : base::printable(name);
  }

  std::string why() const override { return why_; }

 private:
  Moved moved(int ok, std::size_t bytes) {
    if (ok == 1) return {Moved::Kind::Bytes, bytes};
    switch (::SSL_get_error(ssl_.get(), ok)) {
      case SSL_ERROR_WANT_READ:
        return {Moved::Kind::NeedsRead, 0};
      case SSL_ERROR_WANT_WRITE:
        return {Moved::Kind::NeedsWrite, 0};
      case SSL_ERROR_ZERO_RETURN:
        return {Moved::Kind::Ended, 0};
      default:
        break;
    }
    failed_ = true;
    const long verified = ::SSL_get_verify_result(ssl_.get());
    why_ = verified != X509_V_OK ? ::X509_verify_cert_error_string(verified) : reason();
    ::ERR_clear_error();
    return {Moved::Kind::Failed, 0};
  }

  std::shared_ptr<const TlsContext> context_;
  SslPointer ssl_;
  bool failed_ = false;
  std::string why_;
};

class Context final : public TlsContext, public std::enable_shared_from_this<Context> {
 public:
  explicit Context(ContextPointer context) : context_(std::move(context)) {}

  Result<std::unique_ptr<Channel>> accept(int fd) const override {
    GPUWRIGHT_TRY(SslPointer ssl, over(fd));
    ::SSL_set_accept_state(ssl.get());
    return channel(std::move(ssl));
  }

  Result<std::unique_ptr<Channel>> connect(int fd, const std::string& host) const override {
    GPUWRIGHT_TRY(SslPointer ssl, over(fd));
    X509_VERIFY_PARAM* const asked = ::SSL_get0_param(ssl.get());
    if (::X509_VERIFY_PARAM_set1_ip_asc(asked, host.c_str()) != 1) {
      ::ERR_clear_error();
      if (::SSL_set1_host(ssl.get(), host.c_str()) != 1 ||
          SSL_set_tlsext_host_name(ssl.get(), host.c_str()) != 1)  // a macro of OpenSSL
        return make_error(ErrorKind::Malformed, "no name that a certificate could be for: " + reason(), host);
    }
    ::SSL_set_connect_state(ssl.get());
    return channel(std::move(ssl));
  }

 private:
  Result<SslPointer> over(int fd) const {
    SslPointer ssl(::SSL_new(context_.get()));
    BIO* const bio = ssl == nullptr ? nullptr : ::BIO_new(socket_method());
    if (bio == nullptr)
      return make_error(ErrorKind::Internal, "no TLS connection could be made: " + reason());
    ::BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)));
    ::BIO_set_init(bio, 1);
    ::SSL_set_bio(ssl.get(), bio, bio);
    return ssl;
  }

  std::unique_ptr<Channel> channel(SslPointer ssl) const {
    return std::make_unique<TlsChannel>(std::move(ssl), shared_from_this());
  }

  ContextPointer context_;
};

Result<ContextPointer> new_context(const SSL_METHOD* method) {
  ::OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  ContextPointer context(::SSL_CTX_new(method));
  if (context == nullptr) return make_error(ErrorKind::Internal, "TLS could not be set up: " + reason());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  // A key that is locked by a password would ask for it at the terminal.
  ::SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  return context;
}

base::Status readable(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{8} << 20;
  GPUWRIGHT_TRY([[maybe_unused]] const std::string text, base::read_file(path, kLimit));
  return base::Done{};
}

base::Error wrong(std::string_view what, const std::string& path) {
  return make_error(ErrorKind::Malformed, fmt::format("{} ({})", what, reason()), path);
}

}  // namespace

std::vector<std::string> trust_stores() {
  std::vector<std::string> stores;
  if (const char* chosen = std::getenv("SSL_CERT_FILE"); chosen != nullptr && *chosen != '\0')
    stores.emplace_back(chosen);
  for (const char* path : {"/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Alpine
                           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // RHEL, Fedora
                           "/etc/pki/tls/certs/ca-bundle.crt",                   // older RHEL
                           "/etc/ssl/ca-bundle.pem",                             // SUSE
                           "/var/lib/ca-certificates/ca-bundle.pem", "/etc/ssl/cert.pem"})
    stores.emplace_back(path);
  return stores;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_server(const TlsFiles& files) {
  GPUWRIGHT_TRY(ContextPointer made, new_context(::TLS_server_method()));
  SSL_CTX* const context = made.get();
  GPUWRIGHT_TRY([[maybe_unused]] auto certificate, readable(files.certificate));
  GPUWRIGHT_TRY([[maybe_unused]] auto key, readable(files.key));
  if (::SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
    return wrong("no certificate in PEM stands in it that may be used", files.certificate);
  if (::SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return wrong("no key in PEM stands in it that fits the certificate and needs no password", files.key);
  if (::SSL_CTX_check_private_key(context) != 1)
    return wrong("the key does not fit the certificate", files.key);
  if (!files.client_authorities.empty()) {
    GPUWRIGHT_TRY([[maybe_unused]] auto authorities, readable(files.client_authorities));
    if (::SSL_CTX_load_verify_file(context, files.client_authorities.c_str()) != 1)
      return wrong("no certificate of an authority in PEM stands in it", files.client_authorities);
    ::SSL_CTX_set_client_CA_list(context, ::SSL_load_client_CA_file(files.client_authorities.c_str()));
    ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  ::SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);  // many clients just go
  static constexpr unsigned char kSession[] = "gpuwright";       // a resumed session is one of ours
  ::SSL_CTX_set_session_id_context(context, kSession, sizeof kSession - 1);
  return std::shared_ptr<const TlsContext>(std::make_shared<const Context>(std::move(made)));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::for_client(const std::string& authorities) {
  GPUWRIGHT_TRY(ContextPointer made, new_context(::TLS_client_method()));
  std::string store = authorities;
  for (const std::string& path : trust_stores()) {
    if (store.empty() && ::access(path.c_str(), R_OK) == 0) store = path;
  }
  if (store.empty())
    return make_error(ErrorKind::NotFound,
                      "this machine has no list of trusted authorities; install ca-certificates");
  GPUWRIGHT_TRY([[maybe_unused]] auto found, readable(store));
  if (::SSL_CTX_load_verify_file(made.get(), store.c_str()) != 1)
    return wrong("no certificate of an authority in PEM stands in it", store);
  ::SSL_CTX_set_verify(made.get(), SSL_VERIFY_PEER, nullptr);
  return std::shared_ptr<const TlsContext>(std::make_shared<const Context>(std::move(made)));
}

}  // namespace gpuwright::kit
