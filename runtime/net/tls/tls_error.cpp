#include "runtime/net/tls/tls_error.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace troupe::net {
namespace {

/// Of an alert that the peer sent (RFC 8446, 6).
std::string alert_text(int alert) {
  switch (alert) {
    case SSL_AD_CERTIFICATE_REQUIRED:
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_DECRYPT_ERROR:
      return "it refuses our certificate";
    case SSL_AD_CERTIFICATE_REVOKED:
      return "it says that our certificate is revoked";
    case SSL_AD_PROTOCOL_VERSION:
      return "it does not speak TLS 1.3";
    default:
      return std::string("it ended the connection with an alert: ") + SSL_alert_desc_string_long(alert);
  }
}

}  // namespace

std::string tls_error(const SSL* ssl, const char* doing) {
  const unsigned long code = ERR_peek_error();
  const int reason = ERR_GET_REASON(code);
  const char* const text = code != 0 ? ERR_reason_error_string(code) : nullptr;
  std::string fallback = std::string("TLS cannot ") + doing + ": " + (text != nullptr ? text : "unknown error");
  ERR_clear_error();
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return fallback;
  if (reason > SSL_AD_REASON_OFFSET) return alert_text(reason - SSL_AD_REASON_OFFSET);
  switch (reason) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return "it shows no certificate";
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return std::string("its certificate is not good: ") + X509_verify_cert_error_string(SSL_get_verify_result(ssl));
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
      return "a TLS record of it was changed on the way";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
      return "it does not speak TLS 1.3";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_UNEXPECTED_MESSAGE:
    case SSL_R_LENGTH_TOO_SHORT:
    case SSL_R_BAD_RECORD_TYPE:
      return "it does not speak TLS";
    default:
      return fallback;
  }
}

}  // namespace troupe::net
