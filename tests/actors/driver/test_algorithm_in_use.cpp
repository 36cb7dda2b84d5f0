#include <doctest/doctest.h>

#include "actors/driver/algorithm_in_use.hpp"

using namespace troupe;

namespace {

struct InUse {
  explicit InUse(Algorithm algorithm) {
    options.algorithm = std::move(algorithm);
    options.num_shards = 4;
    used.begin();
  }

  Options options;
  UpdateRules optimizer{settings_of(options)};
  AlgorithmInUse used{options, optimizer};
};

}  // namespace

TEST_CASE("without a warm start, the configured algorithm makes the first step") {
  const InUse lbfgs(Lbfgs{.freeze = true});
  CHECK(std::string(lbfgs.used.name()) == "lbfgs");
  CHECK(lbfgs.used.awaited() == nullptr);
  CHECK(lbfgs.used.built_for() == BuiltFor{.all_shards = true, .frozen = true, .hears = true});
  CHECK_FALSE(lbfgs.used.warm_start_is_over(100));
}

TEST_CASE("during a warm start, steps are synchronous and replicas can already receive abandon requests") {
  InUse lbfgs(Lbfgs{.warm_start = 5});
  AlgorithmInUse& used = lbfgs.used;
  CHECK(std::string(used.name()) == "synchronous");
  CHECK(used.awaited() != nullptr);
  CHECK(used.built_for() == BuiltFor{.hears = true});
  CHECK_FALSE(used.passes());
  CHECK_FALSE(used.warm_start_is_over(4));
  REQUIRE(used.warm_start_is_over(5));
  used.exchange(used.take_awaited());
  CHECK(std::string(used.name()) == "lbfgs");
  CHECK(used.built_for().all_shards);
  CHECK_FALSE(used.warm_start_is_over(5));

  const auto saved = used.state_of_warm_start(1).saved;
  CHECK(used.is_of_warm_start(4, saved, 1));
  CHECK_FALSE(used.is_of_warm_start(6, saved, 1));
  CHECK_FALSE(used.is_of_warm_start(4, {"another"}, 1));
  used.begin_warm_start();
  CHECK(used.awaited() != nullptr);
  CHECK_FALSE(used.is_of_warm_start(4, saved, 1));
}

TEST_CASE("another algorithm can replace the current one, and the earlier one can be restored") {
  InUse run(LocalSgd{.steps = 4});
  CHECK(run.used->steps_a_call() == 4);
  auto before = run.used.exchange(make_runner({}));
  CHECK(run.used->steps_a_call() == 1);
  run.used.exchange(std::move(before));
  CHECK(run.used->steps_a_call() == 4);
}
