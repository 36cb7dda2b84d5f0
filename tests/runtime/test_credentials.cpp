#include <doctest/doctest.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sys/stat.h>

#include <fstream>

#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/role.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"
#include "trial_authority.hpp"

using namespace troupe;
using namespace troupe_test;
namespace fs = std::filesystem;

namespace {

mode_t mode_of(const std::string& file) {
  struct stat status = {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

void overwrite(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

TEST_CASE("credentials of an authority, a driver and a node are created and loaded") {
  const TrialAuthority authority(1);
  const TemporaryFolder& folder = authority.folder();
  CHECK(authority.driver()->name() == "driver");
  CHECK(authority.node(0)->name() == "node0");
  CHECK(authority.node(0)->role() == Role::node);
  CHECK(mode_of(folder.path()) == 0700);
  CHECK(mode_of(folder / "node0") == 0700);
  for (const char* key : {"ca-key.pem", "driver/key.pem", "node0/key.pem"}) CHECK(mode_of(folder / key) == 0600);
  CHECK_FALSE(fs::exists(folder / "node0/ca-key.pem"));
}

TEST_CASE("files that are missing, invalid or readable by others are refused") {
  const TrialAuthority authority(1);
  const std::string node = authority.folder() / "node0";
  CHECK(contains(refusal(authority.folder() / "nobody", Role::node, "ca.pem"), "is missing"));
  for (const std::string file : {"ca.pem", "cert.pem", "key.pem"}) {
    const std::string path = node + "/" + file;
    fs::rename(path, path + ".away");
    CHECK(contains(refusal(node, Role::node, file), "is missing"));
    overwrite(path, "-----BEGIN NOTHING-----\n");
    fs::permissions(path, fs::perms::owner_read);
    CHECK(contains(refusal(node, Role::node, file), "PEM"));
    fs::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(refusal(node, Role::node, file) != "");  // without blocking
    fs::remove(path);
    fs::rename(path + ".away", path);
  }
  fs::permissions(node + "/key.pem", fs::perms::owner_read | fs::perms::group_read);
  CHECK(contains(refusal(node, Role::node, "key.pem"), "chmod 600"));
  fs::permissions(node + "/key.pem", fs::perms::owner_read);
  CHECK(authority.node(0)->name() == "node0");
}

TEST_CASE("a key, authority or role that does not match is refused") {
  const TrialAuthority authority(2);
  const TrialAuthority other(1);
  const std::string node = authority.folder() / "node0";
  CHECK(contains(refusal(node, Role::driver, "cert.pem"), "is a node's certificate"));
  CHECK(contains(refusal(authority.folder() / "driver", Role::node, "cert.pem"), "is a driver's certificate"));

  fs::copy(authority.folder() / "node1/key.pem", node + "/key.pem", fs::copy_options::overwrite_existing);
  CHECK(contains(refusal(node, Role::node, "key.pem"), "does not belong"));
  for (const char* const kind : {"ed25519", "rsa"}) {
    CAPTURE(kind);
    const net::KeyPtr other_kind(std::string(kind) == "rsa" ? EVP_RSA_gen(2048)
                                                            : EVP_PKEY_Q_keygen(nullptr, nullptr, kind));
    net::write_key(node + "/key.pem", other_kind.get());
    CHECK(contains(refusal(node, Role::node, "key.pem"), "is not an elliptic-curve private key"));
  }

  const std::string second = authority.folder() / "node1";
  fs::copy(other.folder() / "ca.pem", second + "/ca.pem", fs::copy_options::overwrite_existing);
  CHECK(contains(refusal(second, Role::node, "cert.pem"), "was not signed by"));
  fs::copy(second + "/cert.pem", second + "/ca.pem", fs::copy_options::overwrite_existing);
  CHECK(contains(refusal(second, Role::node, "ca.pem"), "is not a CA certificate"));
}

TEST_CASE("certificates that are expired, not valid yet, without a role or for another use are refused") {
  const net::CertifiedKey authority = net::make_authority();
  const TemporaryFolder folder;
  const auto write = [&](const net::CertificateText& text) {
    net::write_member(folder.path(), authority.certificate.get(), net::make_member(authority, text));
  };
  const std::string role = net::role_name(Role::node);
  write({.name = "n", .alternative_name = role});
  CHECK(Credentials(folder.path(), Role::node).name() == "n");
  write({.name = "n", .alternative_name = role, .valid_until = -60});
  CHECK(contains(refusal(folder.path(), Role::node, "cert.pem"), "has expired"));
  write({.name = "n", .alternative_name = role, .valid_from = 3600});
  CHECK(contains(refusal(folder.path(), Role::node, "cert.pem"), "not valid yet"));
  write({.name = "n", .alternative_name = ""});
  CHECK(contains(refusal(folder.path(), Role::node, "cert.pem"), "neither"));
  write({.name = "n", .alternative_name = role, .usage = "clientAuth"});
  CHECK(contains(refusal(folder.path(), Role::node, "cert.pem"), "cannot be used"));

  const net::CertifiedKey old = net::make_authority(-2 * net::kDay, -net::kDay);
  net::write_member(folder.path(), old.certificate.get(),
                    net::make_member(old, {.name = "n", .alternative_name = role}));
  CHECK(contains(refusal(folder.path(), Role::node, "ca.pem"), "has expired"));
}

TEST_CASE("keys are read in the format of `troupe certs` and in traditional PEM format") {
  const TrialAuthority authority(1);
  const std::string file = authority.folder() / "node0/key.pem";
  std::string text;
  {
    const net::BioPtr bio(BIO_new_file(file.c_str(), "r"));
    const net::KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
    const net::BioPtr written(BIO_new(BIO_s_mem()));
    REQUIRE(PEM_write_bio_PrivateKey_traditional(written.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
    text = net::text_of(written.get());
  }
  REQUIRE(contains(text, "BEGIN EC PRIVATE KEY"));
  overwrite(file, text);
  CHECK(authority.node(0)->name() == "node0");
  overwrite(file, text.substr(0, text.size() / 2));
  CHECK(contains(refusal(authority.folder() / "node0", Role::node, "key.pem"), "is not an elliptic-curve private key"));
  overwrite(file, std::string(1 << 20, 'x'));
  CHECK(contains(refusal(authority.folder() / "node0", Role::node, "key.pem"), "is not an elliptic-curve private key"));
}
