#include <doctest/doctest.h>

#include "collectives/state/lineage.hpp"

using namespace troupe;
using Sources = std::vector<std::string>;

TEST_CASE("a run can restart from its newest checkpoints, and otherwise from its initial state") {
  Lineage lineage(2);
  CHECK_FALSE(lineage.known());
  lineage.begin("");
  CHECK(lineage.sources() == Sources{""});
  lineage.save("10", 10);
  lineage.save("20", 20);
  CHECK(lineage.newest_step() == 20);
  CHECK(lineage.sources() == Sources{"20", "10", ""});
  lineage.save("30", 30);  // the oldest checkpoint is pruned
  CHECK(lineage.sources() == Sources{"30", "20", ""});
  lineage.begin("7");
  CHECK(lineage.sources() == Sources{"7"});
  lineage.save("7", 7);
  CHECK(lineage.sources() == Sources{"7"});
}

TEST_CASE("after an edit outside of a step, a run can restart only from later checkpoints") {
  Lineage lineage(2);
  lineage.begin("");
  lineage.save("10", 10);
  CHECK(lineage.edits() == 0);
  lineage.edit();
  CHECK(lineage.edits() == 1);
  CHECK_FALSE(lineage.known());
  CHECK(lineage.sources().empty());
  lineage.save("10", 10);
  CHECK(lineage.sources() == Sources{"10"});
}
