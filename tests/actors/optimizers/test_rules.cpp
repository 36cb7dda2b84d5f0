#include <doctest/doctest.h>

#include "actors/optimizers/sign_rule.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::TemporaryFolder;

namespace {

constexpr std::size_t kRulesSize = 4097;
constexpr int kRulesShards = 5;

Options signs(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.num_shards = kRulesShards;
  edit(options)->kind = "signs";
  edit(options)->learning_rate = 0.125;
  options.config = std::to_string(kRulesSize);
  return options;
}

std::vector<float> expected(int steps) {
  NoiseModel model(kRulesSize);
  return plain_run(model, kRulesShards, steps, 1,
                   [](std::size_t, float old, float, float sum, std::int64_t) { return sign_step(old, 0.125F, sum); });
}

}  // namespace

TEST_CASE("a user-defined update rule is bitwise identical with all placements, and its state is saved") {
  for (const Placement placement : {Placement::in_process, Placement::processes})
    for (int workers = 1; workers <= 3; ++workers) {
      CAPTURE(workers);
      const TemporaryFolder folder;
      DistributedSGD sgd("noise", signs(placement, workers));
      for (int step = 0; step < 3; ++step) sgd.step();
      REQUIRE(sgd.weights() == expected(3));
      sgd.save_state(folder / "part");
      DistributedSGD other("noise", signs(Placement::in_process, 4 - workers));
      other.load_state(folder / "part");
      for (int step = 0; step < 2; ++step) other.step();
      REQUIRE(other.weights() == expected(5));
    }
}

TEST_CASE("the error for an unknown update rule lists the registered ones") {
  Options options = signs(Placement::in_process, 1);
  options.optimizer = RegisteredOptimizer{.name = "sings"};
  const auto start = [&] { DistributedSGD sgd("noise", options); };
  CHECK(code_of(start) == ErrorCode::invalid_argument);
  CHECK(message_of(start).find("no optimizer named 'sings'; there are adagrad, adam, adamw, sgd, signs") !=
        std::string::npos);
}
