#include <doctest/doctest.h>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/test_models.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

Options learning(Placement placement, int workers, const char* algorithm) {
  Options options = quiet_options(placement, workers);
  options.num_shards = 3;
  options.algorithm = algorithm_by_name(algorithm);
  edit(options)->learning_rate = 1e-6;
  options.config = R"({"data": "mock-images:6,3,60", "batch_size": 0, "measures": true})";
  return options;
}

}  // namespace

TEST_CASE("a step's training accuracy equals that of an evaluation with the same samples and weights") {
  for (const Placement placement : kPlacements)
    for (const char* const model : {"softmax", "mlp", "cnn"})
      for (const int workers : {1, 2}) {
        CAPTURE(model);
        CAPTURE(workers);
        DistributedSGD sgd(model, learning(placement, workers, "synchronous"));
        for (int step = 0; step < 2; ++step) {
          const double expected = sgd.evaluate().accuracy;
          const StepReport report = sgd.step();
          REQUIRE(report.accuracy());
          CHECK(*report.accuracy() == expected);
          CHECK(report.correct == static_cast<std::int64_t>(expected * 60 + 0.5));
        }
      }
}

TEST_CASE("all algorithms report a training accuracy if the loss has one") {
  for (const char* const algorithm : {"synchronous", "local", "lbfgs", "downpour", "ssp"}) {
    CAPTURE(algorithm);
    DistributedSGD sgd("softmax", learning(Placement::in_process, 2, algorithm));
    for (int step = 0; step < 3; ++step) {
      const StepReport report = sgd.step();
      REQUIRE(report.accuracy());
      CHECK(*report.accuracy() >= 0);
      CHECK(*report.accuracy() <= 1);
    }
    Options squares = learning(Placement::in_process, 2, algorithm);
    squares.config = R"({"data": "synthetic-linear", "batch_size": 20})";
    DistributedSGD linear("linear", squares);
    CHECK_FALSE(linear.step().accuracy());
  }
}
