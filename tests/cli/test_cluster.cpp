#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "cli/refused.hpp"
#include "support/free_address.hpp"

using namespace troupe_test;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

// Invalid input for the commands of a cluster. Training on nodes is tested in tests/cluster.

namespace {

/// Certificates, created once because keys take time.
const TemporaryFolder& certificates() {
  static const TemporaryFolder folder;
  static const bool made = [] {
    const std::string path = folder.path().string();
    return run_program({"certs", "init", path}).status == 0 && run_program({"certs", "node", path, "n0"}).status == 0;
  }();
  REQUIRE(made);
  return folder;
}

std::string driver_folder() { return certificates() / "driver"; }
std::string node_folder() { return certificates() / "n0"; }

std::vector<std::string> train_in_cluster(const std::vector<std::string>& more) {
  return joined(train_linear({"--steps", "1", "--placement", "cluster", "--workers", "2", "--start-timeout", "1"}),
                more);
}

/// Checks that the program prints one line and keeps waiting.
void check_waits(const std::vector<std::string>& arguments, const std::string& why) {
  Program program(arguments);
  CHECK(program.says("\n"));
  program.read_until_silent(1s);
  ::kill(program.pid(), SIGTERM);
  const Finished run = program.finish();
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(lines_of(run.err).size() == 1);
  CHECK(run.err.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("a cluster that cannot work is refused with advice") {
  const std::string listen = free_address();
  const std::string certs = driver_folder();
  const auto refused = [](const std::vector<std::string>& more, const std::vector<std::string>& named) {
    check_refused(train_in_cluster(more), named);
  };
  refused({"--listen", listen}, {"bad_certificate", "troupe certs init"});
  refused({"--certs", certs}, {"invalid_argument", "listen"});
  refused({"--listen", "127.0.0.1:0", "--certs", certs}, {"invalid_argument", "127.0.0.1:0"});
  refused({"--listen", "127.0.0.1", "--certs", certs}, {"invalid_argument", "127.0.0.1"});
  refused({"--listen", "127.0.0.1:70000", "--certs", certs}, {"invalid_argument", "70000"});
  refused({"--listen", listen, "--certs", node_folder()}, {"bad_certificate", "driver"});
  refused({"--listen", listen, "--certs", certificates() / "nobody"}, {"bad_certificate", "nobody"});
  refused({"--listen", listen, "--certs", certs, "--nodes", "3"}, {"invalid_argument", "2 workers", "3 nodes"});
  for (const char* nodes : {"0", "3:2", "0:2", "2:", ":2", "2:x", "1:2:3"})
    refused({"--listen", listen, "--certs", certs, "--nodes", nodes}, {"--nodes"});
  refused({"--listen", listen, "--certs", certs, "--streams", "65"}, {"streams"});
  for (const char* strategy : {"driver", "sharded"})
    refused({"--listen", listen, "--certs", certs, "--strategy", strategy, "--nodes", "2"},
            {"invalid_argument", strategy});
  refused({"--listen", listen, "--certs", certs, "--strategy", "parameter-server", "--slice-owners", "9"}, {"9"});
  // TEST-NET-1 is not an address of this machine.
  refused({"--listen", "192.0.2.1:7070", "--certs", certs}, {"system", "192.0.2.1:7070"});
  refused({"--listen", "no.such.host.invalid:7070", "--certs", certs}, {"system", "no.such.host.invalid"});
}

TEST_CASE("nodes that never join and a port in use are errors") {
  const auto taken = troupe::net::listen_on({"127.0.0.1", 0});
  const std::string address = "127.0.0.1:" + std::to_string(troupe::net::local_of(taken.get()).port);
  check_refused(train_in_cluster({"--listen", address, "--certs", driver_folder()}), {"system", address});
  const std::string free = free_address();
  check_refused(train_in_cluster({"--listen", free, "--certs", driver_folder(), "--nodes", "2"}),
                {"timeout", "2 of 2 nodes", free});
  check_refused(train_in_cluster({"--listen", free, "--certs", driver_folder(), "--nodes", "1:2"}),
                {"timeout", "1 of at least 1 nodes", free});
}

TEST_CASE("a driver that waits for nodes prints the number of missing nodes and each node that joins") {
  const std::string address = free_address();
  Program driver(train_linear(
      {"--placement", "cluster", "--workers", "2", "--nodes", "2", "--listen", address, "--certs", driver_folder()}));
  CHECK(driver.says("troupe: waiting for 2 of 2 nodes at " + address + "\n"));
  Program node({"node", "--join", address, "--certs", node_folder()});
  CHECK(driver.says("troupe: waiting for 1 of 2 nodes at " + address + " (n0 joined)\n"));
  CHECK(driver.out().empty());
}

TEST_CASE("a node that cannot serve prints the reason") {
  const std::string join = free_address();
  check_refused({"node", "--join", join, "--certs", "/nonexistent"}, {"bad_certificate", "/nonexistent"});
  check_refused({"node", "--join", join, "--certs", driver_folder()}, {"bad_certificate", "node"});
  check_refused({"node", "--join", "nowhere", "--certs", node_folder()}, {"invalid_argument", "nowhere"});
  check_refused({"node", "--join", join, "--certs", node_folder(), "--listen", "a:b:c"}, {"invalid_argument"});
  check_refused({"node", "--join", join}, {"--certs"});
  check_refused({"node", "--certs", node_folder()}, {"--join"});
  check_waits({"node", "--join", join, "--certs", node_folder()}, "waits for a driver");
}

TEST_CASE("troupe nodes without a driver is an error") {
  const std::string join = free_address();
  check_refused({"nodes", "--join", join, "--certs", node_folder()}, {"system", join});
  check_refused({"nodes", "--join", join, "--certs", "/nonexistent"}, {"bad_certificate", "/nonexistent"});
  check_refused({"nodes", "--join", "x:0", "--certs", node_folder()}, {"invalid_argument", "x:0"});
}
