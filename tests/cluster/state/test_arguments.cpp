#include <doctest/doctest.h>

#include "actors/test_models.hpp"
#include "cluster/nodes.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;

TEST_CASE("the argument of a function is sent once per node and freed after the call") {
  constexpr std::size_t kBytes = (std::size_t{20} << 20) + 3;
  Nodes nodes(2, nullptr, NodeProgram::own, {"--troupe-store-bytes=50000000"});  // enough for two
  Options options = nodes.options(2);
  options.num_workers = 4;
  DistributedSGD sgd("hold", options);
  const std::string argument(kBytes, 'a');
  const std::vector<Json> nothing(4);
  for (int again = 0; again < 5; ++again) CHECK((sgd.foreach_worker("swallow", argument) == nothing));
  CHECK(sgd.foreach_worker("length", argument) == std::vector<Json>(4, kBytes));
  const Json few{{"layer", "fc"}, {"numbers", {1, 2.5}}};
  CHECK((sgd.call_model("echo", few) == Json{{"of", sgd.weights().size()}, {"got", few}}));
  for (int again = 0; again < 3; ++again)
    CHECK(message_of([&] { sgd.foreach_worker("fails-with", std::string(kBytes, 'x')); }).find("function fails") !=
          std::string::npos);
  CHECK(sgd.step().step == 1);
}
