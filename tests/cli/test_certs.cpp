#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "cli/refused.hpp"
#include "runtime/net/certificates/certificate_files.hpp"
#include "runtime/net/certificates/role.hpp"
#include "runtime/net/socket.hpp"
#include "support/text.hpp"

using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

namespace {

/// Runs a command that must succeed and returns its output.
std::string done(const std::vector<std::string>& arguments) {
  const Finished run = run_program(arguments);
  INFO(run.err);
  REQUIRE(run.status == 0);
  return run.out;
}

std::string text_of(const std::string& file) { return troupe::testing::read_file(file); }

}  // namespace

TEST_CASE("certificates are created once for valid names, and only their user can read the keys") {
  const TemporaryFolder folder;
  const std::string path = folder / "certs";
  check_refused({"certs", "node", path, "n0"}, {"bad_certificate", path});
  REQUIRE(run_program({"certs", "init", path}).status == 0);
  check_refused({"certs", "init", path}, {"bad_certificate", path});
  REQUIRE(run_program({"certs", "node", path, "n0"}).status == 0);
  check_refused({"certs", "node", path, "n0"}, {"bad_certificate", "n0"});
  for (const std::string& name :
       {std::string("a/b"), std::string(".."), std::string("."), std::string(" "), std::string("a b"),
        std::string("n\n0"), std::string(300, 'x'), std::string("driver")})
    check_refused({"certs", "node", path, name}, {});
  check_refused({"certs"}, {});
  for (const char* file : {"ca-key.pem", "driver/key.pem", "n0/key.pem"}) {
    struct stat status {};
    REQUIRE(::stat((path + "/" + file).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
  std::filesystem::permissions(path + "/n0/key.pem", std::filesystem::perms(0644));
  check_refused({"node", "--join", "127.0.0.1:1", "--certs", path + "/n0"}, {"bad_certificate", "key.pem"});
}

TEST_CASE("certs init that runs out of space leaves no files, and a retry succeeds") {
  const TemporaryFolder folder;
  const std::string there = folder / "there";
  std::filesystem::create_directory(there);
  troupe::testing::write_file(there + "/notes", "mine");
  bool complete = false;
  for (rlim_t most = 0; !complete; most += 50) {  // size limit per file; each file is the first that fails once
    REQUIRE(most < 10'000);
    CAPTURE(most);
    const auto limit = [most] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit bytes{most, most};
      ::setrlimit(RLIMIT_FSIZE, &bytes);
    };
    complete = run_program({"certs", "init", folder / "new/certs"}, {.limit = limit}).status == 0;
    CHECK(std::filesystem::exists(folder / "new") == complete);
    CHECK((run_program({"certs", "init", there}, {.limit = limit}).status == 0) == complete);
    if (!complete) CHECK(std::distance(std::filesystem::directory_iterator(there), {}) == 1);
  }
  CHECK(text_of(there + "/notes") == "mine");
  for (const std::string& certs : {folder / "new/certs", there}) done({"certs", "node", certs, "n0"});
}

TEST_CASE("all commands of the certificate authority work in sequence") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  CHECK(
      contains(done({"certs", "init", certs, "--days", "200", "--driver-days", "20", "--driver-name", "boss"}), certs));
  const std::string made = done({"certs", "node", certs, "n0", "n1", "n2", "--days", "10"});
  CHECK(lines_of(made).size() == 3);
  for (const char* name : {"n0", "n1", "n2"}) CHECK(contains(made, certs + "/" + name));
  const std::string before = text_of(certs + "/n0/cert.pem");
  CHECK(contains(done({"certs", "renew", certs, "n0"}), certs + "/n0"));
  CHECK(text_of(certs + "/n0/cert.pem") != before);
  CHECK(contains(done({"certs", "renew", certs, "driver", "--days", "30"}), certs + "/driver"));

  CHECK(contains(done({"certs", "revoke", certs, "n0"}), "revoked n0 (2 certificates, 0 of them before)"));
  CHECK(contains(done({"certs", "revoke", certs, "n0"}), "revoked n0 (2 certificates, 2 of them before)"));
  for (const char* where : {"", "/driver", "/n0", "/n1", "/n2"})
    CHECK(text_of(certs + where + "/crl.pem") == text_of(certs + "/crl.pem"));
  check_refused({"node", "--join", "127.0.0.1:1", "--certs", certs + "/n0"},
                {"bad_certificate", certs + "/n0/cert.pem", "revoked", "troupe certs renew"});
  done({"certs", "renew", certs, "n0"});
  CHECK(text_of(certs + "/n0/crl.pem") == text_of(certs + "/crl.pem"));

  check_refused({"certs", "revoke", certs, "nobody"}, {"invalid_argument", "nobody"});
  check_refused({"certs", "renew", certs, "nobody"}, {"invalid_argument", "nobody"});
  check_refused({"certs", "revoke", certs}, {"NAME"});
  for (const char* days : {"0", "-1", "201", "99999999", "99999999999999999999", "x"}) {
    check_refused({"certs", "node", certs, "n9", "--days", days}, {"invalid_argument"});
    check_refused({"certs", "renew", certs, "n1", "--days", days}, {"invalid_argument"});
  }
  check_refused({"certs", "init", folder / "other", "--days", "10", "--driver-days", "11"}, {"invalid_argument"});
  CHECK_FALSE(std::filesystem::exists(certs + "/n9"));
}

TEST_CASE("a damaged revocation list stops driver and node") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  done({"certs", "init", certs});
  done({"certs", "node", certs, "n0"});
  for (const char* name : {"driver", "n0"}) troupe::testing::write_file(certs + "/" + name + "/crl.pem", "rubbish");
  check_refused({"node", "--join", "127.0.0.1:1", "--certs", certs + "/n0"},
                {"bad_certificate", certs + "/n0/crl.pem", "troupe certs revoke"});
  check_refused(
      train_linear({"--steps", "1", "--placement", "cluster", "--listen", "127.0.0.1:1", "--certs", certs + "/driver"}),
      {"bad_certificate", certs + "/driver/crl.pem"});
}

TEST_CASE("a node that requires a driver's name refuses other drivers") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  done({"certs", "init", certs, "--driver-name", "boss"});
  done({"certs", "node", certs, "n0"});
  const auto port = troupe::net::local_of(troupe::net::listen_on({"127.0.0.1", 0}).get()).port;
  const std::string address = "127.0.0.1:" + std::to_string(port);
  Program driver(train_linear(
      {"--steps", "1", "--placement", "cluster", "--workers", "1", "--listen", address, "--certs", certs + "/driver"}));
  const auto node = [&](const std::string& name) {
    return run_program({"node", "--once", "--join", address, "--certs", certs + "/n0", "--driver-name", name});
  };
  const Finished refused = node("driver");
  CHECK(refused.status == 1);
  CHECK_MESSAGE(
      contains(refused.err, "protocol: " + address + ": it is the driver 'boss', but this node accepts only 'driver'"),
      refused.err);
  Program supervisor({"node", "--join", address, "--certs", certs + "/n0", "--driver-name", "driver"});
  CHECK(supervisor.says("waits for a driver: " + address + ": it is the driver 'boss', but this node accepts only"));
  ::kill(-supervisor.pid(), SIGTERM);
  supervisor.finish();
  CHECK(node("boss").status == 0);
  CHECK(driver.finish().status == 0);
}

TEST_CASE("each task of srun has its own certificate") {
  const TemporaryFolder folder;
  const std::string certs = folder / "certs";
  done({"certs", "init", certs});
  done({"certs", "node", certs, "node-1"});
  // Slurm's jobs use ports from 20000 on. No other test acts as Slurm.
  const auto as_task = [&](int rank, const std::vector<std::string>& arguments) {
    for (const auto& [name, value] :
         {std::pair{"SLURM_STEP_ID", std::string("0")}, std::pair{"SLURM_STEP_NUM_TASKS", std::string("2")},
          std::pair{"SLURM_PROCID", std::to_string(rank)}, std::pair{"SLURM_STEP_NODELIST", std::string("localhost")},
          std::pair{"SLURM_JOB_ID", std::to_string(::getpid())}, std::pair{"TROUPE_CERTS", certs}})
      ::setenv(name, value.c_str(), 1);
    auto program = std::make_unique<Program>(arguments);
    for (const char* name : {"SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_STEP_NODELIST",
                             "SLURM_JOB_ID", "TROUPE_CERTS"})
      ::unsetenv(name);
    return program;
  };
  const auto train = train_linear({"--steps", "1", "--placement", "cluster", "--workers", "1"});
  const auto driver = as_task(0, train);
  const auto node = as_task(1, train);
  const Finished run = driver->finish();
  CHECK_MESSAGE(run.status == 0, run.err);
  std::filesystem::remove_all(certs + "/node-1");
  const Finished without = as_task(1, train)->finish();
  CHECK(without.status == 1);
  CHECK_MESSAGE(contains(without.err, certs + "/node-1/"), without.err);
}

TEST_CASE("a driver warns if its certificate expires soon") {
  const TemporaryFolder folder;
  const troupe::net::CertifiedKey authority = troupe::net::make_authority();
  troupe::net::CertificateText text{.name = "driver",
                                    .alternative_name = troupe::net::role_name(troupe::Role::driver),
                                    .valid_from = -80 * troupe::net::kDay,
                                    .valid_until = 9 * troupe::net::kDay + 600};
  troupe::net::write_member(folder.path().string(), authority.certificate.get(),
                            troupe::net::make_member(authority, text));
  const auto port = troupe::net::local_of(troupe::net::listen_on({"127.0.0.1", 0}).get()).port;
  const Finished run = run_program(
      train_linear({"--steps", "1", "--placement", "cluster", "--listen", "127.0.0.1:" + std::to_string(port),
                    "--certs", folder.path().string(), "--start-timeout", "0.2"}));
  const auto lines = lines_of(run.err);
  REQUIRE(lines.size() == 2);  // the second line is the timeout for nodes
  CHECK(contains(lines[0], folder / "cert.pem expires in 9 days"));
  CHECK(contains(lines[0], "`troupe certs renew DIR driver`"));
}
