#include <doctest/doctest.h>

#include "cluster/hold_model.hpp"
#include "cluster/nodes.hpp"

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

TEST_CASE("nodes make the bits that one process makes, run after run") {
  Nodes nodes(3);
  const auto expected = run_here(Hold{}.text(), 5, 3);
  for (const char* strategy : {"hierarchical", "ring", "parameter-server"}) {
    CAPTURE(strategy);
    Options options = nodes.options();
    options.num_shards = 5;
    options.strategy = strategy;
    DistributedSGD sgd("hold", options);
    for (int step = 0; step < 3; ++step) sgd.step();
    CHECK(bits_of(sgd.weights()) == bits_of(expected));
  }
}
