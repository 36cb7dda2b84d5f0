#include "runtime/net/certificates/revocation.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <filesystem>

#include "runtime/net/certificates/certificate_files.hpp"
#include "troupe/error.hpp"

namespace troupe::net {
namespace {

using IntegerPtr = std::unique_ptr<ASN1_INTEGER, Free<&ASN1_INTEGER_free>>;
using RevokedPtr = std::unique_ptr<X509_REVOKED, Free<&X509_REVOKED_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, Free<&ASN1_TIME_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Free<&X509_EXTENSION_free>>;

const char* const kSignAnew = "copy the newest one that `troupe certs revoke` has written";

void check(bool done) {
  if (!done) throw Error(ErrorCode::system, "cannot make a list of revoked certificates: " + openssl_error());
}

TimePtr from_now(long seconds) {
  TimePtr time(X509_gmtime_adj(nullptr, seconds));
  check(time != nullptr);
  return time;
}

/// Increases the sequence number of a revocation list by one.
void number(X509_CRL* list) {
  const IntegerPtr before(static_cast<ASN1_INTEGER*>(X509_CRL_get_ext_d2i(list, NID_crl_number, nullptr, nullptr)));
  std::int64_t last = 0;
  check(!before || ASN1_INTEGER_get_int64(&last, before.get()) == 1);
  const IntegerPtr next(ASN1_INTEGER_new());
  check(next && ASN1_INTEGER_set_int64(next.get(), last + 1) == 1 &&
        X509_CRL_add1_ext_i2d(list, NID_crl_number, next.get(), 0, X509V3_ADD_REPLACE) == 1);
}

ListPtr next_list(BIO* bio) { return ListPtr(PEM_read_bio_X509_CRL(bio, nullptr, nullptr, nullptr)); }

void check_times(X509_CRL* list, const std::string& file) {
  if (X509_cmp_current_time(X509_CRL_get0_lastUpdate(list)) >= 0)
    refuse(file, "is not valid yet", "set this machine's clock");
  const ASN1_TIME* const end = X509_CRL_get0_nextUpdate(list);
  if (end != nullptr && X509_cmp_current_time(end) <= 0) refuse(file, "has expired", kSignAnew);
}

/// A verification callback, which OpenSSL calls for each check of a certificate. `good` is 1 if the check has
/// succeeded. Returns 1 to accept the certificate, or 0. If a certificate or revocation list has expired, but was still
/// valid at the time that `check_peers` has stored, returns 1.
int forgive_expiry(int good, X509_STORE_CTX* context) {
  const int error = X509_STORE_CTX_get_error(context);
  if (good == 1 || (error != X509_V_ERR_CERT_HAS_EXPIRED && error != X509_V_ERR_CRL_HAS_EXPIRED)) return good;
  const ASN1_TIME* const end = error == X509_V_ERR_CERT_HAS_EXPIRED
                                   ? X509_get0_notAfter(X509_STORE_CTX_get_current_cert(context))
                                   : X509_CRL_get0_nextUpdate(X509_STORE_CTX_get0_current_crl(context));
  std::time_t since = X509_VERIFY_PARAM_get_time(X509_STORE_get0_param(X509_STORE_CTX_get0_store(context)));
  if (X509_cmp_time(end, &since) <= 0) return 0;
  X509_STORE_CTX_set_error(context, X509_V_OK);
  return 1;
}

}  // namespace

ListPtr read_list(const std::string& file, X509* authority) {
  std::error_code ignored;
  if (std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found) return nullptr;
  const std::string text = read_text(file);
  const BioPtr bio = bio_of(text);
  ListPtr list = next_list(bio.get());
  const bool alone = list && !next_list(bio.get()) && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!alone) refuse(file, "is not one list of revoked certificates in PEM format", kSignAnew);
  const bool is_ours = X509_CRL_verify(list.get(), X509_get0_pubkey(authority)) == 1;
  ERR_clear_error();
  if (!is_ours) refuse(file, "was not signed by the ca.pem beside it", "copy both from the same `troupe certs` folder");
  check_times(list.get(), file);
  return list;
}

ListPtr make_list(const CertifiedKey& authority) {
  ListPtr list(X509_CRL_new());
  X509* const issuer = authority.certificate.get();
  check(list && X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1 &&
        X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(issuer)) == 1 &&
        X509_CRL_set1_nextUpdate(list.get(), X509_get0_notAfter(issuer)) == 1);
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, nullptr, nullptr, list.get(), 0);
  const ExtensionPtr key(X509V3_EXT_conf_nid(nullptr, &context, NID_authority_key_identifier, "keyid"));
  check(key && X509_CRL_add_ext(list.get(), key.get(), -1) == 1);
  return list;
}

bool add_to_list(X509_CRL* list, X509* certificate) {
  X509_REVOKED* known = nullptr;
  if (X509_CRL_get0_by_cert(list, &known, certificate) != 0) return false;
  RevokedPtr entry(X509_REVOKED_new());
  check(entry && X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(certificate)) == 1 &&
        X509_REVOKED_set_revocationDate(entry.get(), from_now(0).get()) == 1 &&
        X509_CRL_add0_revoked(list, entry.get()) == 1);
  static_cast<void>(entry.release());  // now owned by the list
  return true;
}

void sign_list(X509_CRL* list, const CertifiedKey& authority, long valid_from) {
  number(list);
  check(X509_CRL_set1_lastUpdate(list, from_now(valid_from).get()) == 1 && X509_CRL_sort(list) == 1 &&
        X509_CRL_sign(list, authority.key.get(), EVP_sha256()) > 0);
}

std::string pem(X509_CRL* list) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  check(bio && PEM_write_bio_X509_CRL(bio.get(), list) == 1);
  return text_of(bio.get());
}

void check_peers(SSL_CTX* context, X509_CRL* list, std::int64_t since) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  // Stores the time `since`, which `forgive_expiry` reads. The flag is cleared, because OpenSSL itself must still
  // verify certificates at the present time.
  X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), since);
  X509_VERIFY_PARAM_clear_flags(X509_STORE_get0_param(store), X509_V_FLAG_USE_CHECK_TIME);
  X509_STORE_set_verify_cb(store, &forgive_expiry);
  if (list == nullptr) return;
  check(X509_STORE_add_crl(store, list) == 1 && X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK) == 1);
}

}  // namespace troupe::net
