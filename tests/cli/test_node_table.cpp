#include <doctest/doctest.h>

#include "cli/node_table.hpp"

TEST_CASE("a table of nodes replaces control characters") {
  const std::string table = troupe::cli::node_table(
      R"([{"node":"\u001b[2Jalice\u202e","address":"10.0.0.2:1\n","cores":2,"devices":0,"workers":1,)"
      R"("state":"serving","round_trip_us":80,"copy_of":"node1","copy_step":20,"copy_age_s":3}])");
  CHECK(table.find("?[2Jalice?  10.0.0.2:1   2") != std::string::npos);
  CHECK(table.find('\x1b') == std::string::npos);
}
