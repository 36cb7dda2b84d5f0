#include <doctest/doctest.h>

#include <vector>

#include "actors/test_models.hpp"

using namespace troupe;
using troupe_test::kSanitized;
using troupe_test::quiet_options;

namespace {

std::vector<float> run(Placement placement, int workers, int devices = 1, std::uint64_t seed = 3) {
  Options options = quiet_options(placement, workers);
  options.compute.devices_per_worker = devices;
  options.num_shards = 5;
  options.seed = seed;
  DistributedSGD sgd("dropping", options);
  for (int step = 0; step < 4; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace

TEST_CASE("dropout is bitwise identical for any number of workers and placement, and differs for each seed") {
  const std::vector<float> expected = run(Placement::in_process, 1);
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (int workers = 1; workers <= 4; ++workers) {
      if (kSanitized && placement == Placement::processes && workers != 3) continue;
      CAPTURE(workers);
      CHECK(run(placement, workers) == expected);
    }
  CHECK(run(Placement::in_process, 2, 2) == expected);
  CHECK(run(Placement::in_process, 2, 1, 4) != expected);
}
