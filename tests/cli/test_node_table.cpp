#include <doctest/doctest.h>

#include "cli/node_table.hpp"
#include "troupe/error.hpp"

namespace {

std::string status(const std::string& name, int step, const std::string& changes) {
  return R"({"nodes":[{"node":")" + name + R"(","address":"10.0.0.2:1\n","cores":2,"devices":0,"workers":1,)" +
         R"("state":"serving","round_trip_us":80,"copy_of":"node1"}],"copies":{"step":)" + std::to_string(step) +
         R"(,"age_s":3,"bytes_sent":4096,"milliseconds":17},"changes":[)" + changes + "]}";
}

}  // namespace

TEST_CASE("a table of nodes replaces control characters") {
  const std::string table = troupe::cli::node_table(status("\\u001b[2Jalice\\u202e", -1, ""));
  CHECK(table.find("?[2Jalice?  10.0.0.2:1   2") != std::string::npos);
  CHECK(table.find('\x1b') == std::string::npos);
  CHECK(table.find("copy of the state") == std::string::npos);
}

TEST_CASE("the table of nodes is followed by the copies and the changes of the nodes") {
  const std::string change = R"({"step":12,"age_s":40,"joined":["carol","d\u001bve"],"left":["bob"]})";
  const std::string table = troupe::cli::node_table(status("alice", 20, change));
  CHECK(
      table.ends_with("newest copy of the state: 3 s ago, step 20; all copies so far: 4096 bytes sent in 17 ms\n"
                      "changed 40 s ago, after step 12; joined: carol, d?ve; left: bob\n"));
  CHECK_THROWS_AS(troupe::cli::node_table(status("alice", 20, R"({"step":12})")), troupe::Error);
  CHECK_THROWS_AS(troupe::cli::node_table(status("alice", 20, R"("none")")), troupe::Error);
}
