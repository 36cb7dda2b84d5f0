#include <doctest/doctest.h>

#include "cli/data/summary.hpp"
#include "troupe/data.hpp"

using namespace troupe;

TEST_CASE("the points of scatter charts are evenly distributed over the whole set") {
  const TrainingData data = load_data("synthetic-linear");
  const cli::SetSummary summary = cli::summarise("training", *data.train, /*training=*/false, {});
  REQUIRE(summary.looked_at == 1000);
  CHECK(summary.points.size() == 500);  // every second sample; every sample would be more than a chart shows
}
