#include "runtime/net/tls/credentials.hpp"

#include <openssl/err.h>

#include <ctime>

#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/revocation.hpp"
#include "runtime/net/tls/tls_context.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using net::CertificatePtr;
using net::kMakeAnew;
using net::refuse;

void check_times(X509* certificate, const std::string& file) {
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) >= 0)
    refuse(file, "is not valid yet", "set this machine's clock");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) <= 0)
    refuse(file, "has expired", "have its authority make a new one: `troupe certs renew`");
}

[[noreturn]] void refuse(const std::string& folder, int error) {
  const std::string file = folder + "/cert.pem";
  switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      refuse(file, "was not signed by the ca.pem beside it", "copy both from the same `troupe certs` folder");
    case X509_V_ERR_CERT_REVOKED:
      refuse(file, "has been revoked", "have its authority make a new one: `troupe certs renew`");
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
    case X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION:
    case X509_V_ERR_DIFFERENT_CRL_SCOPE:
      refuse(folder + "/crl.pem", std::string("cannot be used: ") + X509_verify_cert_error_string(error),
             "copy the newest one that `troupe certs revoke` has written");
    default:
      refuse(file, std::string("cannot be used: ") + X509_verify_cert_error_string(error), kMakeAnew);
  }
}

/// Verifies this process's certificate in the same way as a peer will verify it. Does this twice: for the server side
/// and for the client side of a connection.
void verify(X509* authority, X509_CRL* list, X509* certificate, const std::string& folder) {
  for (const int purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT}) {
    const net::StorePtr store(X509_STORE_new());
    const net::StoreContextPtr context(X509_STORE_CTX_new());
    const bool set_up = store && context && X509_STORE_add_cert(store.get(), authority) == 1 &&
                        (list == nullptr || (X509_STORE_add_crl(store.get(), list) == 1 &&
                                             X509_STORE_set_flags(store.get(), X509_V_FLAG_CRL_CHECK) == 1)) &&
                        X509_STORE_CTX_init(context.get(), store.get(), certificate, nullptr) == 1 &&
                        X509_STORE_CTX_set_purpose(context.get(), purpose) == 1;
    if (!set_up) throw Error(ErrorCode::system, "cannot verify a certificate: " + net::openssl_error());
    if (X509_verify_cert(context.get()) == 1) continue;
    const int error = X509_STORE_CTX_get_error(context.get());
    ERR_clear_error();
    refuse(folder, error);
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
  if (X509_check_ca(authority.get()) != 1) refuse(file, "is not a CA certificate", kMakeAnew);
  if (X509_cmp_current_time(X509_get0_notAfter(authority.get())) <= 0)
    refuse(file, "has expired", "make a new authority with `troupe certs init`");
  check_times(authority.get(), file);
  return authority;
}

}  // namespace

Role role_of(const std::string& folder) {
  const auto certificate = net::read_certificate(folder + "/cert.pem");
  return net::has_role(certificate.get(), Role::driver) ? Role::driver : Role::node;
}

Credentials::Credentials(const std::string& folder, Role role, std::string driver)
    : role_(role), driver_(std::move(driver)) {
  const std::string file = folder + "/cert.pem";
  const CertificatePtr authority = read_authority(folder + "/ca.pem");
  const net::CertifiedKey own = net::read_certified_key(file, folder + "/key.pem");
  const net::ListPtr list = net::read_list(folder + "/crl.pem", authority.get());
  X509* const certificate = own.certificate.get();
  check_times(certificate, file);
  verify(authority.get(), list.get(), certificate, folder);
  check_role(certificate, role, file);
  name_ = net::common_name(certificate);
  if (name_.empty()) refuse(file, "has no common name", kMakeAnew);
  server_ = net::make_context(true, authority.get(), certificate, own.key.get());
  client_ = net::make_context(false, authority.get(), certificate, own.key.get());
  for (SSL_CTX* const context : {server_.get(), client_.get()})
    net::check_peers(context, list.get(), std::time(nullptr));
}

Credentials::~Credentials() = default;

void Credentials::check_peer(Role role, const std::string& name) const {
  if (role == Role::driver && !driver_.empty() && name != driver_)
    throw Error(ErrorCode::protocol, "it is the driver '" + name + "', but this node accepts only '" + driver_ + "'");
}

}  // namespace troupe
