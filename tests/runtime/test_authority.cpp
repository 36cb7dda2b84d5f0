#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/expiry.hpp"
#include "runtime/net/certificates/role.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"
#include "trial_authority.hpp"

using namespace troupe;
using namespace troupe_test;
namespace fs = std::filesystem;

namespace {

std::int64_t days_of(const std::string& folder) {
  return (net::seconds_left(net::read_certificate(folder + "/cert.pem").get()) + 3600) / net::kDay;
}

std::string serial_of(const std::string& folder) {
  const net::CertificatePtr certificate = net::read_certificate(folder + "/cert.pem");
  const ASN1_INTEGER* const number = X509_get0_serialNumber(certificate.get());
  return {reinterpret_cast<const char*>(number->data), static_cast<std::size_t>(number->length)};
}

}  // namespace

TEST_CASE("existing credentials are replaced by renewal only") {
  const TrialAuthority authority(1);
  const std::string folder = authority.folder().path();
  CHECK(code_of([&] { create_authority(folder); }) == ErrorCode::bad_certificate);
  CHECK(code_of([&] { create_node_credentials(folder, "node0"); }) == ErrorCode::bad_certificate);
  fs::remove_all(folder + "/node0");
  create_node_credentials(folder, "node0");
  fs::remove_all(folder + "/driver");
  renew_credentials(folder, "driver");
  CHECK(authority.driver()->name() == "driver");
  CHECK(authority.node(0)->name() == "node0");
}

TEST_CASE("invalid names of nodes and drivers are refused") {
  const TrialAuthority authority;
  const TemporaryFolder other;
  for (const char* name : {"", "driver", "a/b", "..", ".x", "-x", "a b", "ca.pem", "a\nb"}) {
    CAPTURE(name);
    CHECK(code_of([&] { create_node_credentials(authority.folder().path(), name); }) == ErrorCode::invalid_argument);
  }
  for (const char* name : {"", "a/b", "-x", "a\nb"})
    CHECK(code_of([&] { create_authority(other / "certs", {.driver_name = name}); }) == ErrorCode::invalid_argument);
  CHECK_FALSE(fs::exists(other / "certs"));
  CHECK(code_of([&] { create_node_credentials(authority.folder() / "elsewhere", "a"); }) == ErrorCode::bad_certificate);
}

TEST_CASE("certificates are valid as long as requested, but no longer than their authority") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  create_authority(certs, {.days = 100, .driver_days = 30, .driver_name = "first"});
  CHECK(days_of(certs + "/driver") == 30);
  CHECK(Credentials(certs + "/driver", Role::driver).name() == "first");
  create_node_credentials(certs, "usual");
  CHECK(days_of(certs + "/usual") == 90);
  create_node_credentials(certs, "long", 100);
  CHECK(days_of(certs + "/long") == 100);
  for (const std::int64_t days :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{101}, std::int64_t{36501}, INT64_MAX, INT64_MIN}) {
    CAPTURE(days);
    CHECK(code_of([&] { create_node_credentials(certs, "other", days); }) == ErrorCode::invalid_argument);
    CHECK(code_of([&] { renew_credentials(certs, "usual", days); }) == ErrorCode::invalid_argument);
    CHECK(code_of([&] { create_authority(folder / "bad", {.days = 100, .driver_days = days}); }) ==
          ErrorCode::invalid_argument);
    if (days != 101)
      CHECK(code_of([&] { create_authority(folder / "bad", {.days = days}); }) == ErrorCode::invalid_argument);
    CHECK_FALSE(fs::exists(folder / "bad/ca.pem"));
  }
  CHECK_FALSE(fs::exists(certs + "/other"));
  create_authority(folder / "short", {.days = 1});
  CHECK(days_of(folder / "short/driver") == 1);
}

TEST_CASE("a renewal creates a new key and certificate with the same name") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  create_authority(certs, {.driver_name = "boss"});
  create_node_credentials(certs, "alice");
  for (const std::string name : {"alice", "driver"}) {
    const Role role = name == "driver" ? Role::driver : Role::node;
    const std::string own = Credentials(certs + "/" + name, role).name();
    std::set<std::string> serials{serial_of(certs + "/" + name)};
    std::set<std::string> keys{net::read_text(certs + "/" + name + "/key.pem")};
    for (int again = 0; again < 2; ++again) {
      renew_credentials(certs, name);
      serials.insert(serial_of(certs + "/" + name));
      keys.insert(net::read_text(certs + "/" + name + "/key.pem"));
    }
    CHECK(serials.size() == 3);
    CHECK(keys.size() == 3);
    CHECK(Credentials(certs + "/" + name, role).name() == own);
    struct stat status = {};
    REQUIRE(::stat((certs + "/" + name + "/key.pem").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
  CHECK(net::read_certificates(certs + "/issued.pem").size() == 6);
  CHECK(code_of([&] { renew_credentials(certs, "nobody"); }) == ErrorCode::invalid_argument);
  for (const auto& entry : fs::directory_iterator(certs)) CHECK(entry.path().filename().string().front() != '.');
}

TEST_CASE("a killed renewal leaves a matching pair of key and certificate, and the next renewal succeeds") {
  const TrialAuthority authority(1);
  const std::string folder = authority.folder().path();
  fs::copy(folder + "/node0", folder + "/.node0.new");  // contains a pair that is not used yet, or no longer
  fs::remove(folder + "/.node0.new/cert.pem");
  CHECK(authority.node(0)->name() == "node0");
  renew_credentials(folder, "node0");
  CHECK(authority.node(0)->name() == "node0");
  CHECK_FALSE(fs::exists(folder + "/.node0.new"));
}

TEST_CASE("a reader gets a matching pair of key and certificate during a renewal") {
  const TrialAuthority authority(1);
  std::atomic<bool> over = false;
  std::thread renewing([&] {
    while (!over) renew_credentials(authority.folder().path(), "node0");
  });
  std::string problem;
  for (int i = 0; i < 300 && problem.empty(); ++i) problem = message_of([&] { authority.node(0); });
  over = true;
  renewing.join();
  CHECK(problem.empty());
}

TEST_CASE("an authority without its list of issued certificates refuses to work") {
  const TrialAuthority authority(1);
  const std::string folder = authority.folder().path();
  fs::remove(folder + "/issued.pem");
  for (const std::string& problem : {message_of([&] { create_node_credentials(folder, "node1"); }),
                                     message_of([&] { renew_credentials(folder, "node0"); }),
                                     message_of([&] { revoke_credentials(folder, "node0"); })})
    CHECK(problem.find("issued.pem is missing") != std::string::npos);
}

TEST_CASE("members that are created at the same time are all recorded") {
  const TrialAuthority authority;
  const std::string folder = authority.folder().path();
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 4; ++maker)
    makers.emplace_back([&, maker] {
      for (int i = 0; i < 4; ++i) create_node_credentials(folder, std::to_string(maker) + "-" + std::to_string(i));
    });
  for (std::thread& maker : makers) maker.join();
  CHECK(net::read_certificates(folder + "/issued.pem").size() == 17);
}

TEST_CASE("a certificate that expires soon causes a notice with the renewal command") {
  const net::CertifiedKey authority = net::make_authority();
  const TemporaryFolder folder;
  const auto notice = [&](long age, long left, Role role = Role::node) {
    const net::CertificateText text{
        .name = "alice", .alternative_name = net::role_name(role), .valid_from = -age, .valid_until = left};
    net::write_member(folder.path(), authority.certificate.get(), net::make_member(authority, text));
    return expiry_notice(folder.path());
  };
  CHECK(notice(net::kBackdate, kMemberDays * net::kDay).empty());
  CHECK(notice(80 * net::kDay, 15 * net::kDay).empty());
  CHECK(notice(net::kBackdate, 5 * net::kDay).empty());  // its whole lifetime is short
  const std::string soon = notice(80 * net::kDay, 10 * net::kDay + 60);
  CHECK(soon.starts_with(folder / "cert.pem expires in 10 days, on 20"));
  CHECK(contains(soon, "`troupe certs renew DIR alice`"));
  CHECK(contains(notice(80 * net::kDay, net::kDay, Role::driver), "`troupe certs renew DIR driver`"));
  const net::CertifiedKey old = net::make_authority(-3000 * net::kDay, 10 * net::kDay);
  net::write_member(folder.path(), old.certificate.get(),
                    net::make_member(old, {.name = "alice", .alternative_name = ""}));
  CHECK(expiry_notice(folder.path()).starts_with(folder / "ca.pem expires in "));
}
