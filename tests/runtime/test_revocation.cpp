#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <ctime>

#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/revocation.hpp"
#include "runtime/net/gate/gate.hpp"
#include "runtime/net/tls/tls_context.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"
#include "trial_authority.hpp"

using namespace troupe;
using namespace troupe_test;
namespace fs = std::filesystem;

namespace {

void write_public(const std::string& file, const std::string& text) { net::write_file(file, text, 0644); }

/// Returns the error that a node gets when it connects to a driver; empty if the driver accepts it.
std::string heard(const std::shared_ptr<const Credentials>& driver, const Credentials& node) {
  const Gate gate(
      {"127.0.0.1", 0}, driver, [](const Hello&, const TlsStream&) { return std::string(); },
      [](const Hello&, TlsStream) {});
  return message_of([&] {
    TlsStream stream = TlsStream::dial(gate.address(), node, Role::driver, soon());
    say_hello(stream, make_hello(Purpose::control), soon());
  });
}

struct Certs {
  TrialAuthority made{2};
  std::string folder = made.folder().path();
  net::CertifiedKey authority = net::read_certified_key(folder + "/ca.pem", folder + "/ca-key.pem");

  /// Returns a revocation list with node0's certificate. `from` is the beginning of its validity in seconds from now.
  std::string list(const net::CertifiedKey& signer, long from = -net::kBackdate) const {
    const net::ListPtr list = net::make_list(signer);
    net::add_to_list(list.get(), net::read_certificate(folder + "/node0/cert.pem").get());
    net::sign_list(list.get(), signer, from);
    return net::pem(list.get());
  }
};

}  // namespace

TEST_CASE("a revoked node is refused by a driver with the list, with a log line, and by itself") {
  const Certs certs;
  const auto before = certs.made.node(0);
  const auto driver_before = certs.made.driver();
  const Revoked revoked = revoke_credentials(certs.folder, "node0");
  CHECK(revoked.certificates == 1);
  CHECK(revoked.added == 1);
  CHECK(contains(refusal(certs.folder + "/node0", Role::node, "cert.pem"), "has been revoked"));
  const CapturedErrors errors;
  CHECK(heard(driver_before, *before).empty());  // the list is used from the next run on
  CHECK(errors.text().empty());
  CHECK(contains(heard(certs.made.driver(), *before), "our certificate, which is revoked"));
  const std::string log = errors.text();
  CHECK(contains(log, "certificate revoked"));
  CHECK(std::count(log.begin(), log.end(), '\n') == 1);
  CHECK(heard(certs.made.driver(), *certs.made.node(1)).empty());
}

TEST_CASE("a revoked driver is refused by nodes that have the list and accepted by others") {
  const Certs certs;
  const auto driver = certs.made.driver();
  revoke_credentials(certs.folder, "driver");
  const CapturedErrors errors;
  CHECK(contains(heard(driver, *certs.made.node(0)), "certificate revoked"));
  fs::remove(certs.folder + "/node1/crl.pem");
  CHECK(heard(driver, *certs.made.node(1)).empty());
  CHECK(contains(refusal(certs.folder + "/driver", Role::driver, "cert.pem"), "has been revoked"));
}

TEST_CASE("a revoked name can be issued again, and its old certificates stay revoked") {
  const Certs certs;
  const auto first = certs.made.node(0);
  renew_credentials(certs.folder, "node0");
  const auto second = certs.made.node(0);
  CHECK(revoke_credentials(certs.folder, "node0").added == 2);  // also the certificate that is no longer in the folder
  CHECK(revoke_credentials(certs.folder, "node0").added == 0);
  renew_credentials(certs.folder, "node0");
  CHECK(revoke_credentials(certs.folder, "node1").added == 1);
  const auto driver = certs.made.driver();
  const CapturedErrors errors;
  CHECK(contains(heard(driver, *first), "revoked"));
  CHECK(contains(heard(driver, *second), "revoked"));
  CHECK(heard(driver, *certs.made.node(0)).empty());
  fs::remove_all(certs.folder + "/node1");
  create_node_credentials(certs.folder, "node1");
  CHECK(heard(driver, *certs.made.node(1)).empty());
  CHECK(fs::exists(certs.folder + "/node1/crl.pem"));
}

TEST_CASE("revoking an unknown name fails, and a damaged list is not overwritten") {
  const Certs certs;
  for (const char* name : {"nobody", "", "../x", "a\nb"})
    CHECK(code_of([&] { revoke_credentials(certs.folder, name); }) == ErrorCode::invalid_argument);
  CHECK_FALSE(fs::exists(certs.folder + "/crl.pem"));
  CHECK(code_of([&] { revoke_credentials(certs.folder + "/nothere", "node0"); }) == ErrorCode::bad_certificate);
  write_public(certs.folder + "/crl.pem", "rubbish");
  CHECK(code_of([&] { revoke_credentials(certs.folder, "node0"); }) == ErrorCode::bad_certificate);
}

TEST_CASE("an old authority without the right to sign lists cannot revoke") {
  const Certs certs;
  X509* const old = certs.authority.certificate.get();
  X509_EXTENSION_free(X509_delete_ext(old, X509_get_ext_by_NID(old, NID_key_usage, -1)));
  const std::unique_ptr<X509_EXTENSION, net::Free<&X509_EXTENSION_free>> usage(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_key_usage, "critical,keyCertSign"));
  REQUIRE(X509_add_ext(old, usage.get(), -1) == 1);
  REQUIRE(X509_sign(old, certs.authority.key.get(), EVP_sha256()) > 0);
  write_public(certs.folder + "/ca.pem", net::pem(old));
  const auto revoke = [&] { revoke_credentials(certs.folder, "node0"); };
  CHECK(code_of(revoke) == ErrorCode::bad_certificate);
  CHECK(contains(message_of(revoke), "may not sign lists"));
  CHECK_FALSE(fs::exists(certs.folder + "/crl.pem"));
}

TEST_CASE("a revocation list that is damaged, foreign, not valid yet or expired is an error") {
  const Certs certs;
  const std::string node = certs.folder + "/node1";
  const auto says = [&](const std::string& list, const char* why) {
    CAPTURE(why);
    write_public(node + "/crl.pem", list);
    CHECK(contains(refusal(node, Role::node, "crl.pem"), why));
  };
  const std::string good = certs.list(certs.authority);
  write_public(node + "/crl.pem", good);
  CHECK(certs.made.node(1)->name() == "node1");
  says("", "is not one list");
  says("rubbish", "is not one list");
  says(good.substr(0, good.size() / 2), "is not one list");
  says(good + good, "is not one list");
  says(good + good.substr(0, good.size() / 2), "is not one list");
  says(net::pem(certs.authority.certificate.get()), "is not one list");
  says(certs.list(net::make_authority()), "was not signed by the ca.pem beside it");
  says(certs.list(certs.authority, 3600), "is not valid yet");
  const net::CertifiedKey other = net::make_authority(-3600, -60);
  const net::ListPtr old = net::make_list(certs.authority);
  X509_CRL_set1_nextUpdate(old.get(), X509_get0_notAfter(other.certificate.get()));
  net::sign_list(old.get(), certs.authority);
  says(net::pem(old.get()), "has expired");
  fs::remove(node + "/crl.pem");
  fs::create_symlink("nowhere", node + "/crl.pem");
  CHECK(contains(refusal(node, Role::node, "crl.pem"), "is missing or cannot be read"));
}

TEST_CASE("a running driver accepts certificates that have expired since the start of the run") {
  const Certs certs;
  const net::CertifiedKey node = net::make_member(
      certs.authority, {.name = "n", .alternative_name = net::role_name(Role::node), .valid_until = -60});
  const auto verified = [&](std::int64_t since) {
    const auto driver =
        net::make_context(true, certs.authority.certificate.get(), node.certificate.get(), node.key.get());
    net::check_peers(driver.get(), nullptr, since);
    const net::StoreContextPtr context(X509_STORE_CTX_new());
    X509_STORE_CTX_init(context.get(), SSL_CTX_get_cert_store(driver.get()), node.certificate.get(), nullptr);
    const bool good = X509_verify_cert(context.get()) == 1;
    CHECK(good == (X509_STORE_CTX_get_error(context.get()) == X509_V_OK));
    return good;
  };
  CHECK(verified(std::time(nullptr) - 3600));
  CHECK_FALSE(verified(std::time(nullptr)));
}

TEST_CASE("a node accepts only the driver with the configured name") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  create_authority(certs, {.driver_name = "boss"});
  create_node_credentials(certs, "alice");
  const auto driver = std::make_shared<const Credentials>(certs + "/driver", Role::driver);
  CHECK(heard(driver, Credentials(certs + "/alice", Role::node)).empty());
  CHECK(heard(driver, Credentials(certs + "/alice", Role::node, "boss")).empty());
  const std::string refused = heard(driver, Credentials(certs + "/alice", Role::node, "driver"));
  CHECK(contains(refused, "it is the driver 'boss', but this node accepts only 'driver'"));

  // A driver that connects to a node, as for data.
  const CapturedErrors errors;
  const Gate gate(
      {"127.0.0.1", 0}, std::make_shared<const Credentials>(certs + "/alice", Role::node, "driver"),
      [](const Hello&, const TlsStream&) { return std::string(); }, [](const Hello&, TlsStream) {});
  CHECK(code_of([&] {
          TlsStream stream = TlsStream::dial(gate.address(), *driver, Role::node, soon());
          say_hello(stream, make_hello(Purpose::data), soon());
        }).has_value());
  CHECK(contains(errors.text(), "it is the driver 'boss', but this node accepts only 'driver'"));
}
