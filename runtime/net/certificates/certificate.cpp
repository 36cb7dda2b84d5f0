#include "runtime/net/certificates/certificate.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>

#include "troupe/error.hpp"

namespace troupe::net {
namespace {

void check(bool done, const char* what) {
  if (!done) throw Error(ErrorCode::system, std::string("cannot ") + what + ": " + openssl_error());
}

void set_serial(X509* certificate) {
  const std::unique_ptr<BIGNUM, Free<&BN_free>> number(BN_new());
  check(number && BN_rand(number.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
            BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr,
        "draw a serial number");
}

void set_name(X509_NAME* name, const std::string& text) {
  if (text.empty()) return;
  check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()), -1, 0) == 1,
        "write a name into a certificate");
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free<&X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  check(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "extend a certificate");
}

/// Makes a key and a certificate for this key, without extensions and signature, which the caller adds.
CertifiedKey start(const std::string& name, long valid_from, long valid_until) {
  CertifiedKey made{CertificatePtr(X509_new()), KeyPtr(EVP_EC_gen("P-256"))};
  check(made.certificate && made.key, "make a key");
  X509* const certificate = made.certificate.get();
  check(X509_set_version(certificate, X509_VERSION_3) == 1, "make a certificate");
  set_serial(certificate);
  set_name(X509_get_subject_name(certificate), name);
  check(X509_gmtime_adj(X509_getm_notBefore(certificate), valid_from) != nullptr &&
            X509_gmtime_adj(X509_getm_notAfter(certificate), valid_until) != nullptr &&
            X509_set_pubkey(certificate, made.key.get()) == 1,
        "make a certificate");
  return made;
}

void sign(X509* certificate, X509* issuer, EVP_PKEY* key) {
  check(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1, "name an authority");
  add_extension(certificate, issuer, NID_subject_key_identifier, "hash");
  add_extension(certificate, issuer, NID_authority_key_identifier, "keyid");
  check(X509_sign(certificate, key, EVP_sha256()) > 0, "sign a certificate");
}

}  // namespace

CertifiedKey make_authority(long valid_from, long valid_until) {
  CertifiedKey made = start("Troupe authority", valid_from, valid_until);
  X509* const certificate = made.certificate.get();
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  sign(certificate, certificate, made.key.get());
  return made;
}

CertifiedKey make_member(const CertifiedKey& authority, const CertificateText& text) {
  CertifiedKey made = start(text.name, text.valid_from, text.valid_until);
  X509* const certificate = made.certificate.get();
  X509* const issuer = authority.certificate.get();
  add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature");
  add_extension(certificate, issuer, NID_ext_key_usage, text.usage);
  if (!text.alternative_name.empty())
    add_extension(certificate, issuer, NID_subject_alt_name, "URI:" + text.alternative_name);
  sign(certificate, issuer, authority.key.get());
  return made;
}

std::string pem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  check(bio && PEM_write_bio_X509(bio.get(), certificate) == 1, "write a certificate");
  return text_of(bio.get());
}

std::string pem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  check(bio && PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "write a key");
  return text_of(bio.get());
}

}  // namespace troupe::net
