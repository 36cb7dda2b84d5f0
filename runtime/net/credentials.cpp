#include "runtime/net/credentials.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "runtime/net/certificate.hpp"
#include "runtime/net/certificate_files.hpp"
#include "runtime/net/tls_context.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using net::CertificatePtr;
using net::KeyPtr;

[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& advice) {
  throw Error(ErrorCode::bad_certificate, file + " " + what + "; " + advice);
}

const char* const kMakeAnew = "make it anew with `troupe certs`";

int no_password(char*, int, int, void*) { return -1; }

std::string read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    refuse(file, "is missing or cannot be read", "`troupe certs` makes it, or copy it from where it was made");
  return {std::istreambuf_iterator<char>(stream), {}};
}

net::BioPtr bio_of(const std::string& text) {
  return net::BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void check_times(X509* certificate, const std::string& file) {
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) >= 0)
    refuse(file, "is not valid yet", "set this machine's clock");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0) refuse(file, "has expired", kMakeAnew);
}

KeyPtr read_key(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) == 0 && (status.st_mode & 077) != 0)
    refuse(file, "can be read by others", "run `chmod 600 " + file + "`, and make it anew if others may have read it");
  const std::string text = read_file(file);
  KeyPtr key(PEM_read_bio_PrivateKey(bio_of(text).get(), nullptr, &no_password, nullptr));
  ERR_clear_error();
  if (!key) refuse(file, "is no private key in PEM form without a password", kMakeAnew);
  return key;
}

/// As a peer would, for both sides of a connection.
void verify(X509* authority, X509* certificate, const std::string& file) {
  for (const int purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT}) {
    const net::StorePtr store(X509_STORE_new());
    const net::StoreContextPtr context(X509_STORE_CTX_new());
    const bool set_up = store && context && X509_STORE_add_cert(store.get(), authority) == 1 &&
                        X509_STORE_CTX_init(context.get(), store.get(), certificate, nullptr) == 1 &&
                        X509_STORE_CTX_set_purpose(context.get(), purpose) == 1;
    if (!set_up) throw Error(ErrorCode::system, "cannot verify a certificate: " + net::openssl_error());
    if (X509_verify_cert(context.get()) == 1) continue;
    const int error = X509_STORE_CTX_get_error(context.get());
    ERR_clear_error();
    if (error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY || error == X509_V_ERR_CERT_SIGNATURE_FAILURE ||
        error == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE || error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
      refuse(file, "was not signed by the ca.pem beside it", "copy both from the same `troupe certs` folder");
    refuse(file, std::string("cannot be used: ") + X509_verify_cert_error_string(error), kMakeAnew);
  }
}

void check_role(X509* certificate, Role role, const std::string& file) {
  if (net::has_role(certificate, role)) return;
  const Role other = role == Role::driver ? Role::node : Role::driver;
  const std::string what = net::has_role(certificate, other) ? std::string("is a ") + to_string(other) + "'s"
                                                             : std::string("is neither a driver's nor a node's");
  refuse(file, what + " certificate", std::string("a ") + to_string(role) + "'s is needed here");
}

CertificatePtr read_authority(const std::string& file) {
  CertificatePtr authority = net::read_certificate(file);
  if (X509_check_ca(authority.get()) != 1) refuse(file, "is no authority's certificate", kMakeAnew);
  check_times(authority.get(), file);
  return authority;
}

}  // namespace

namespace net {

CertificatePtr read_certificate(const std::string& file) {
  const std::string text = read_file(file);
  CertificatePtr certificate(PEM_read_bio_X509(bio_of(text).get(), nullptr, &no_password, nullptr));
  ERR_clear_error();
  if (!certificate) refuse(file, "is no certificate in PEM form", kMakeAnew);
  return certificate;
}

CertifiedKey read_certified_key(const std::string& certificate_file, const std::string& key_file) {
  CertifiedKey read{read_certificate(certificate_file), read_key(key_file)};
  const bool matches = X509_check_private_key(read.certificate.get(), read.key.get()) == 1;
  ERR_clear_error();
  if (!matches) refuse(key_file, "does not belong to " + certificate_file, "copy both from the same folder");
  return read;
}

}  // namespace net

const char* to_string(Role role) { return role == Role::driver ? "driver" : "node"; }

Credentials::Credentials(const std::string& folder, Role role) : role_(role) {
  const std::string file = folder + "/cert.pem";
  const CertificatePtr authority = read_authority(folder + "/ca.pem");
  const net::CertifiedKey own = net::read_certified_key(file, folder + "/key.pem");
  X509* const certificate = own.certificate.get();
  check_times(certificate, file);
  verify(authority.get(), certificate, file);
  check_role(certificate, role, file);
  name_ = net::common_name(certificate);
  if (name_.empty()) refuse(file, "names nobody", kMakeAnew);
  server_ = net::make_context(true, authority.get(), certificate, own.key.get());
  client_ = net::make_context(false, authority.get(), certificate, own.key.get());
}

Credentials::~Credentials() = default;

}  // namespace troupe
