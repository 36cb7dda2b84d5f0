#include <doctest/doctest.h>
#include <signal.h>

#include "cluster/nodes.hpp"
#include "support/patience.hpp"
#include "support/small_gpt.hpp"

using namespace troupe;
using namespace troupe_test;

TEST_CASE("a language model on nodes has the weights of one process, for each strategy and after a death") {
  Options here;
  here.num_shards = 4;
  here.verbose = false;
  here.config = gpt_config(/*dropout=*/0.1, /*micro_batch=*/3);
  here.optimizer = AdamW{.learning_rate = 0.01, .weight_decay = 0.1};
  const auto expected = bits_of(gpt_after(here, 4));

  Nodes nodes(2);
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
    CAPTURE(to_string(strategy));
    Options options = nodes.options();
    options.num_workers = 4;
    options.num_shards = here.num_shards;
    options.config = here.config;
    options.optimizer = here.optimizer;
    options.gradients.strategy = strategy;
    options.fault_tolerance.copy_every = 1;
    options.timeouts.start = kPatience;
    DistributedSGD sgd("gpt", options);
    std::size_t repairs = 0;
    for (int step = 0; step < 4; ++step) {
      if (step == 2) ::kill(sgd.worker_pids().at(3), SIGKILL);
      repairs += sgd.step().repairs.size();
    }
    CHECK(repairs == 1);
    CHECK(sgd.report().unit == "tokens");
    CHECK(bits_of(sgd.weights()) == expected);
  }
}
