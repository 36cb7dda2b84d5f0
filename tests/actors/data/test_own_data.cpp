#include <doctest/doctest.h>

#include <string>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/test_models.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

Options own(Placement placement, const std::string& config) {
  Options options = quiet_options(placement, 2);
  options.config = config;
  edit(options)->learning_rate = 0.01;
  return options;
}

/// Takes ten steps, or fewer if a step throws.
void train(DistributedSGD& sgd) {
  for (int step = 0; step < 10; ++step) sgd.step();
}

}  // namespace

TEST_CASE("user-defined data and losses work with every placement, and results are bitwise identical") {
  std::vector<float> weights;
  for (const Placement placement : kPlacements) {
    DistributedSGD sgd("mlp", own(placement, R"({"data": "own", "batch_size": 4, "loss": "fourth-power"})"));
    const double first = sgd.evaluate().loss;
    train(sgd);
    CHECK(sgd.evaluate().loss < first);
    CHECK(sgd.evaluate().samples == 20);
    CHECK(sgd.evaluate().accuracy == 0);
    if (weights.empty()) weights = sgd.weights();
    CHECK(sgd.weights() == weights);
  }
}

TEST_CASE("a step reports how long each worker waited for its samples, as a part of the compute time") {
  for (const char* algorithm : {"synchronous", "downpour"})
    for (const Placement placement : kPlacements) {
      Options options = own(placement, R"({"data": "own", "batch_size": 4})");
      options.algorithm = algorithm_by_name(algorithm);
      DistributedSGD sgd("mlp", options);
      for (int step = 0; step < 5; ++step) {
        const PhaseSeconds seconds = sgd.step().seconds;
        REQUIRE(seconds.data.size() == 2);
        for (std::size_t worker = 0; worker < 2; ++worker) {
          CHECK(seconds.data[worker] <= seconds.compute[worker]);
          if (std::string(algorithm) == "synchronous") CHECK(seconds.data[worker] > 0);
        }
      }
    }
}

TEST_CASE("a step that cannot read a sample throws an error that names the sample, and changes nothing") {
  for (const Placement placement : kPlacements) {
    for (const auto& [fault, code, words] :
         {std::tuple{"label", ErrorCode::bad_data, "label 2 of sample 7 is not in [0, 2)"},
          std::tuple{"throw", ErrorCode::model_failed, "sample 7 cannot be read"}}) {
      CAPTURE(fault);
      DistributedSGD sgd("mlp", own(placement, R"({"batch_size": 0, "data": "own:)" + std::string(fault) + "\"}"));
      const std::vector<float> before = sgd.weights();
      try {
        train(sgd);
        FAIL("not refused");
      } catch (const Error& error) {
        CHECK(error.code() == code);
        CHECK_MESSAGE(error.message().find(words) != std::string::npos, error.message());
        CHECK(error.where().worker == 1);
        CHECK(error.where().phase == "compute");
      }
      CHECK(sgd.weights() == before);
    }
  }
}
