#include <doctest/doctest.h>

#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

#if defined(TROUPE_SANITIZED)
constexpr int kManyWorkers = 40;
#else
constexpr int kManyWorkers = 200;
#endif

}  // namespace

TEST_CASE("one node hosts many workers") {
  Nodes nodes(1);
  Hold hold;
  hold.size = 3000;
  Options options = nodes.options();
  options.num_workers = kManyWorkers;
  options.config = hold.text();
  DistributedSGD sgd("hold", options);
  for (int step = 0; step < 2; ++step) sgd.step();
  CHECK(bits_of(sgd.weights()) == bits_of(run_here(hold.text(), kManyWorkers, 2)));
}

TEST_CASE("runs on nodes are bitwise identical to one process, also in later runs") {
  Nodes nodes(3);
  const auto expected = run_here(Hold{}.text(), 5, 3);
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
    CAPTURE(to_string(strategy));
    Options options = nodes.options();
    options.num_shards = 5;
    options.gradients.strategy = strategy;
    DistributedSGD sgd("hold", options);
    for (int step = 0; step < 3; ++step) sgd.step();
    CHECK(bits_of(sgd.weights()) == bits_of(expected));
  }
}

TEST_CASE("clipping on nodes is bitwise identical to one process and reports the norm of the gradient") {
  Nodes nodes(3);
  const auto clipping = [](Options options) {
    options.num_shards = 5;
    options.config = Hold{}.text();
    options.verbose = false;
    edit(options)->kind = "adamw";
    options.gradients.clip_norm = 0.5;
    return options;
  };
  DistributedSGD here("hold", clipping({}));
  for (int step = 0; step < 3; ++step) here.step();
  CHECK(here.report().gradient_norm > 0.5);
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
    CAPTURE(to_string(strategy));
    Options options = clipping(nodes.options());
    options.gradients.strategy = strategy;
    DistributedSGD sgd("hold", options);
    for (int step = 0; step < 3; ++step) sgd.step();
    CHECK(sgd.report().gradient_norm == here.report().gradient_norm);
    CHECK(bits_of(sgd.weights()) == bits_of(here.weights()));
  }
}
