// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/tls.h"

#include <arpa/inet.h>

#include <algorithm>
#include <climits>

#include "bloomery/redis/client/openssl.h"
#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

// The errors of this thread, which are then forgotten.
std::string openssl_error() {
  std::string text;
  while (const unsigned long code = ERR_get_error()) {
    char one[256];
    ERR_error_string_n(code, one, sizeof one);
    text += (text.empty() ? "" : "; ") + std::string(one);
  }
  return text.empty() ? "no reason given" : text;
}

[[noreturn]] void refuse_file(const std::string& file, const char* what) {
  throw StoreError(file + ": " + what + " cannot be used: " + openssl_error());
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

int as_int(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

}  // namespace

void TlsSettings::Free::operator()(ssl_ctx_st* context) const noexcept {
  SSL_CTX_free(context);
}

TlsSettings::TlsSettings(const Location& location) {
  ERR_clear_error();
  context_.reset(SSL_CTX_new(TLS_client_method()));
  if (!context_) throw StoreError(location.server() + ": no TLS: " + openssl_error());
  const TlsOptions& tls = location.tls;
  SSL_CTX_set_min_proto_version(get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(get(), tls.insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (!tls.ca_file.empty()) {
    if (SSL_CTX_load_verify_file(get(), tls.ca_file.c_str()) != 1) {
      refuse_file(tls.ca_file, "the certificates of ?ca=");
    }
  } else if (SSL_CTX_set_default_verify_paths(get()) != 1) {
    throw StoreError(location.server() +
                     ": whom this machine trusts is not to be read: " + openssl_error());
  }
  if (tls.certificate_file.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(get(), tls.certificate_file.c_str()) != 1) {
    refuse_file(tls.certificate_file, "the certificate of ?cert=");
  }
  // No question on a terminal for the password of a key.
  SSL_CTX_set_default_passwd_cb(get(), [](char*, int, int, void*) { return -1; });
  if (SSL_CTX_use_PrivateKey_file(get(), tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    refuse_file(tls.key_file, "the key of ?cert_key=");
  }
}

TlsSession::TlsSession(const TlsSettings& settings, const Location& location)
    : server_(location.server()), session_(SSL_new(settings.get())) {
  arriving_ = BIO_new(BIO_s_mem());
  leaving_ = BIO_new(BIO_s_mem());
  const std::string& name =
      location.tls.server_name.empty() ? location.host : location.tls.server_name;
  bool is_set = session_ != nullptr && arriving_ != nullptr && leaving_ != nullptr;
  if (is_set) {
    if (is_address(name)) {
      is_set = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_), name.c_str()) == 1;
    } else {
      is_set = SSL_set1_host(session_, name.c_str()) == 1 &&
               SSL_set_tlsext_host_name(session_, name.c_str()) == 1;
    }
  }
  if (!is_set) {
    BIO_free(arriving_);
    BIO_free(leaving_);
    SSL_free(session_);
    throw ConnectionError(server_ + ": no TLS for this name: " + openssl_error());
  }
  BIO_set_mem_eof_return(arriving_, -1);  // an empty one waits for more
  SSL_set_bio(session_, arriving_, leaving_);
  SSL_set_connect_state(session_);
}

TlsSession::~TlsSession() {
  SSL_free(session_);  // and both of the others
}

void TlsSession::fail(const char* doing) const {
  const long verdict = SSL_get_verify_result(session_);
  std::string why = openssl_error();
  if (verdict != X509_V_OK) {
    why = std::string("the server's certificate: ") + X509_verify_cert_error_string(verdict);
  }
  throw ConnectionError(server_ + ": TLS failed while " + doing + ": " + why);
}

bool TlsSession::shake_hands() {
  ERR_clear_error();
  const int done = SSL_do_handshake(session_);
  if (done == 1) return true;
  if (SSL_get_error(session_, done) != SSL_ERROR_WANT_READ) fail("shaking hands");
  return false;
}

std::size_t TlsSession::write(std::string_view plain) {
  if (plain.empty()) return 0;
  ERR_clear_error();
  const int written = SSL_write(session_, plain.data(), as_int(plain.size()));
  if (written > 0) return static_cast<std::size_t>(written);
  if (SSL_get_error(session_, written) != SSL_ERROR_WANT_READ) fail("writing");
  return 0;
}

std::size_t TlsSession::read(std::span<char> plain) {
  ERR_clear_error();
  const int came = SSL_read(session_, plain.data(), as_int(plain.size()));
  if (came > 0) return static_cast<std::size_t>(came);
  const int error = SSL_get_error(session_, came);
  if (error == SSL_ERROR_ZERO_RETURN) {
    throw ConnectionError(server_ + ": the server ended the connection");
  }
  if (error != SSL_ERROR_WANT_READ) fail("reading");
  return 0;
}

std::string_view TlsSession::leaving() const noexcept {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(leaving_, &bytes);
  return {bytes, static_cast<std::size_t>(std::max(0L, size))};
}

void TlsSession::drop_left(std::size_t size) {
  char bin[16 * 1024];
  while (size > 0) {
    const int dropped = BIO_read(leaving_, bin, as_int(std::min(size, sizeof bin)));
    if (dropped <= 0) fail("sending");
    size -= static_cast<std::size_t>(dropped);
  }
}

void TlsSession::take_arrived(std::string_view bytes) {
  if (BIO_write(arriving_, bytes.data(), as_int(bytes.size())) != static_cast<int>(bytes.size())) {
    fail("receiving");
  }
}

}  // namespace bloomery::redis
