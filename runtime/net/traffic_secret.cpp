#include "runtime/net/traffic_secret.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <span>
#include <string_view>

#include "runtime/net/openssl.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

/// HKDF-Expand-Label (RFC 8446, 7.1) without a context.
void expand(std::span<const std::byte> secret, std::string_view label, std::span<std::byte> into) {
  static EVP_KDF* const kdf = EVP_KDF_fetch(nullptr, "TLS13-KDF", nullptr);  // never freed, as the socket's method
  const std::unique_ptr<EVP_KDF_CTX, Free<&EVP_KDF_CTX_free>> context(kdf != nullptr ? EVP_KDF_CTX_new(kdf) : nullptr);
  int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
  char digest[] = "SHA256";
  char prefix[] = "tls13 ";
  const auto octets = [](const char* name, const void* bytes, std::size_t size) {
    return OSSL_PARAM_construct_octet_string(name, const_cast<void*>(bytes), size);
  };
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
                                   OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
                                   octets(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
                                   octets(OSSL_KDF_PARAM_PREFIX, prefix, sizeof prefix - 1),
                                   octets(OSSL_KDF_PARAM_LABEL, label.data(), label.size()),
                                   OSSL_PARAM_construct_end()};
  const bool done = context && EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char*>(into.data()), into.size(),
                                              parameters) == 1;
  if (!done) throw Error(ErrorCode::system, "cannot derive a key of TLS: " + openssl_error());
}

}  // namespace

TrafficSecret::~TrafficSecret() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

AeadKey TrafficSecret::key() const {
  AeadKey key;
  expand(bytes_, "key", key);
  return key;
}

AeadNonce TrafficSecret::iv() const {
  AeadNonce iv;
  expand(bytes_, "iv", iv);
  return iv;
}

TrafficSecret TrafficSecret::next() const {
  TrafficSecret next(*this);
  expand(bytes_, "traffic upd", next.bytes_);
  return next;
}

}  // namespace troupe::net
