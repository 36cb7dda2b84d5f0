#include <doctest/doctest.h>

#include <algorithm>

#include "actors/test_models.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

/// A network with an update that takes a relevant part of a step, on two workers with two replicas each.
Options busy(Placement placement) {
  Options options = quiet_options(placement, 2);
  options.compute.devices_per_worker = 2;
  options.config = R"({"data": "mock-images:32,10,16", "batch_size": 2})";
  edit(options)->learning_rate = 1e-5;
  return options;
}

void check_phases(const Options& options, int steps) {
  CAPTURE(to_string(options.algorithm));
  CAPTURE(to_string(options.gradients.strategy));
  CAPTURE(static_cast<int>(options.placement));
  DistributedSGD sgd("cnn-bn", options);
  for (int step = 0; step < steps; ++step) {
    const PhaseSeconds seconds = sgd.step().seconds;
    CHECK(std::ranges::max(seconds.compute) <= seconds.compute_all);
    CHECK(std::ranges::max(seconds.apply) <= seconds.apply_all);
    CHECK(seconds.reduce > 0);
    CHECK(seconds.compute_all + seconds.reduce + seconds.apply_all <= seconds.step);
    for (std::size_t worker = 0; worker < seconds.data.size(); ++worker)
      CHECK(seconds.data[worker] <= seconds.compute[worker]);
  }
}

}  // namespace

TEST_CASE("no worker's seconds inside a phase exceed those of the phase") {
  for (const Placement placement : kPlacements) {
    for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
      Options options = busy(placement);
      options.gradients.strategy = strategy;
      check_phases(options, 8);
      options.gradients.clip_norm = 1;
      check_phases(options, 4);
    }
    Options local = busy(placement);
    local.algorithm = LocalSgd{.steps = 2};
    check_phases(local, 4);
    Options lbfgs = busy(placement);
    lbfgs.algorithm = Lbfgs{.freeze = true};
    check_phases(lbfgs, 2);
  }
}
