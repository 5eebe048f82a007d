// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "bloomery/bits/late_library.h"

// OpenSSL, loaded when a server is first reached by TLS. What is not listed here does not link.
namespace bloomery::redis {

static_assert(OPENSSL_SHLIB_VERSION == 3);
// Brings libcrypto.so.3 along, whose functions are found by it.
inline constinit const LateLibrary kLibssl{"libssl.so.3", "libssl3", "TLS"};

#define BLOOMERY_LATE(name)                                    \
  inline constinit const LateFunction<decltype(::name)> name { \
    kLibssl, #name                                             \
  }
BLOOMERY_LATE(BIO_ctrl);
BLOOMERY_LATE(BIO_free);
BLOOMERY_LATE(BIO_new);
BLOOMERY_LATE(BIO_read);
BLOOMERY_LATE(BIO_s_mem);
BLOOMERY_LATE(BIO_write);
BLOOMERY_LATE(ERR_clear_error);
BLOOMERY_LATE(ERR_error_string_n);
BLOOMERY_LATE(ERR_get_error);
BLOOMERY_LATE(SSL_CTX_ctrl);
BLOOMERY_LATE(SSL_CTX_free);
BLOOMERY_LATE(SSL_CTX_load_verify_file);
BLOOMERY_LATE(SSL_CTX_new);
BLOOMERY_LATE(SSL_CTX_set_default_passwd_cb);
BLOOMERY_LATE(SSL_CTX_set_default_verify_paths);
BLOOMERY_LATE(SSL_CTX_set_verify);
BLOOMERY_LATE(SSL_CTX_use_PrivateKey_file);
BLOOMERY_LATE(SSL_CTX_use_certificate_chain_file);
BLOOMERY_LATE(SSL_ctrl);
BLOOMERY_LATE(SSL_do_handshake);
BLOOMERY_LATE(SSL_free);
BLOOMERY_LATE(SSL_get0_param);
BLOOMERY_LATE(SSL_get_error);
BLOOMERY_LATE(SSL_get_verify_result);
BLOOMERY_LATE(SSL_new);
BLOOMERY_LATE(SSL_read);
BLOOMERY_LATE(SSL_set1_host);
BLOOMERY_LATE(SSL_set_bio);
BLOOMERY_LATE(SSL_set_connect_state);
BLOOMERY_LATE(SSL_write);
BLOOMERY_LATE(TLS_client_method);
BLOOMERY_LATE(X509_VERIFY_PARAM_set1_ip_asc);
BLOOMERY_LATE(X509_verify_cert_error_string);
#undef BLOOMERY_LATE

}  // namespace bloomery::redis
