#include <doctest/doctest.h>

#include "collectives/state/lineage.hpp"

using namespace troupe;
using Sources = std::vector<std::string>;

TEST_CASE("a run goes back to its newest checkpoint, and at last to how it began") {
  Lineage lineage(2);
  CHECK_FALSE(lineage.known());
  lineage.begin("");
  CHECK(lineage.sources() == Sources{""});
  lineage.save("10");
  lineage.save("20");
  CHECK(lineage.sources() == Sources{"20", "10", ""});
  lineage.save("30");  // the oldest is pruned
  CHECK(lineage.sources() == Sources{"30", "20", ""});
  lineage.begin("7");
  CHECK(lineage.sources() == Sources{"7"});
  lineage.save("7");
  CHECK(lineage.sources() == Sources{"7"});
}

TEST_CASE("behind a change that is no step, a run goes back to later checkpoints only") {
  Lineage lineage(2);
  lineage.begin("");
  lineage.save("10");
  CHECK(lineage.edits() == 0);
  lineage.edit();
  CHECK(lineage.edits() == 1);
  CHECK_FALSE(lineage.known());
  CHECK(lineage.sources().empty());
  lineage.save("10");
  CHECK(lineage.sources() == Sources{"10"});
}
