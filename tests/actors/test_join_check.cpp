#include <doctest/doctest.h>

#include "actors/placements/cluster/join_check.hpp"
#include "runtime/printable.hpp"

using namespace troupe;

namespace {

NodeJoin join_at(const std::string& host, std::uint16_t port = 4000) {
  NodeJoin join;
  join.pid = 4711;
  join.cores = 8;
  join.host = host;
  join.port = port;
  return join;
}

std::string problem(const std::string& host, const std::string& peer = "10.0.0.9") {
  return join_problem(join_at(host), peer);
}

}  // namespace

TEST_CASE("a node may listen at any address that other nodes can connect to") {
  for (const char* host : {"10.0.0.2", "192.0.2.7", "2001:db8::2", "fd00::1"}) CHECK(problem(host) == "");
  CHECK(problem("127.0.0.1", "127.0.0.2") == "");
  CHECK(problem("::1", "127.0.0.1") == "");
  CHECK(problem("169.254.3.4", "169.254.3.4") == "");
}

TEST_CASE("node addresses that need name resolution or are not on a network are refused") {
  const std::string rest(100'000, 'a');
  for (const std::string& host :
       {std::string(), std::string("metadata.internal"), std::string("localhost"), rest, std::string("0.0.0.0"),
        std::string("::"), std::string("224.0.0.1"), std::string("255.255.255.255"), std::string("ff02::1"),
        std::string("fe80::1"), std::string("fe80::1%eth0"), std::string("::ffff:127.0.0.1"), std::string("127.1"),
        std::string("2130706433"), std::string("10.0.0.2\n"), std::string("\x1b[2J"),
        std::string("10.0.0.2\0.evil", 14), std::string("[::1]")}) {
    CAPTURE(host);
    const std::string said = problem(host);
    CHECK(said.find("it announces the address ") == 0);
    CHECK(said.find("which other nodes cannot dial") != std::string::npos);
    CHECK(is_printable(said, 200));
  }
}

TEST_CASE("loopback and link-local addresses are refused if the node connects from another address") {
  for (const char* host : {"127.0.0.1", "127.8.8.8", "::1", "169.254.169.254"})
    CHECK(problem(host).find("which does not match the address that it connects from") != std::string::npos);
}

TEST_CASE("a joining node must have a port, a process, and valid numbers of cores and devices") {
  CHECK(join_problem(join_at("10.0.0.2", 0), "10.0.0.2").find("without a port") != std::string::npos);
  const auto changed = [](auto change) {
    NodeJoin join = join_at("10.0.0.2");
    change(join);
    return join_problem(join, "10.0.0.2");
  };
  CHECK(changed([](NodeJoin&) {}) == "");
  CHECK(changed([](NodeJoin& join) { join.cores = -1; }).find("-1 cores") != std::string::npos);
  CHECK(changed([](NodeJoin& join) { join.cores = INT32_MAX; }) != "");
  CHECK(changed([](NodeJoin& join) { join.devices = -1; }) != "");
  CHECK(changed([](NodeJoin& join) { join.devices = INT32_MAX; }) != "");
  CHECK(changed([](NodeJoin& join) { join.pid = 0; }) != "");
  CHECK(changed([](NodeJoin& join) { ++join.protocol; }).find("protocol") != std::string::npos);
}
