#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "files.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::testing;
using models::FunctionModel;

namespace {

BatchResult parabola(const ShardStep& at, std::span<const float> w) {
  return {double{w[0]} * double{w[0]}, at.shard + 1};
}

void slope(const ShardStep&, std::span<const float> w, std::span<float> gradient) { gradient[0] = 2 * w[0]; }

}  // namespace

TEST_CASE("a FunctionModel computes loss and gradient with its functions") {
  FunctionModel model(1, parabola, slope);
  std::vector<float> gradient(1);
  const BatchResult result = model.gradient({.shard = 2, .num_shards = 3}, std::vector<float>{3}, gradient);
  CHECK(result.loss_sum == 9);
  CHECK(result.samples == 3);
  CHECK(gradient[0] == 6);
}

TEST_CASE("a FunctionModel without parameters or functions is refused") {
  const auto invalid = [](auto call) { check_throws(ErrorCode::invalid_argument, "FunctionModel", call); };
  invalid([] { FunctionModel model(0, parabola, slope); });
  invalid([] { FunctionModel model(1, nullptr, slope); });
  invalid([] { FunctionModel model(1, parabola, nullptr); });
}

TEST_CASE("a model without overrides starts from zeros and has one tensor") {
  FunctionModel model(1, parabola, slope);
  std::vector<float> weights{NAN};
  model.initialize(weights, 1);
  CHECK(weights[0] == 0);
  CHECK(model.evaluate({}, weights).samples == 0);
  const auto& tensors = model.start({}).tensors;
  REQUIRE(tensors.size() == 1);
  CHECK(tensors[0].name == "weights");
  CHECK(tensors[0].shape == std::vector<std::int64_t>{1});
  std::vector<float> copy(1);
  model.to_canonical(std::vector<float>{4}, copy);
  model.from_canonical(copy, weights);
  CHECK(weights[0] == 4);
}

TEST_CASE("info that a model leaves unset has defaults after the start and is an error before") {
  FunctionModel model(3, parabola, slope);
  check_throws(ErrorCode::invalid_argument, "only after start()", [&] { model.info(); });
  model.start({});
  CHECK(model.info().size == 3);
  CHECK(model.info().learned_size == 3);
  CHECK(model.info().fingerprint == "plain");
}

TEST_CASE("a wrapper model passes on the info of the inner model and may change it") {
  class Outer final : public Model {
   public:
    BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> out) override {
      return inner_.gradient(at, weights, out);
    }

   protected:
    ModelInfo prepare(const ReplicaContext& context) override {
      ModelInfo info = inner_.start(context);
      info.num_samples = 7;
      return info;
    }

   private:
    FunctionModel inner_{64, parabola, slope};
  };
  Outer outer;
  CHECK(outer.start({}).size == 64);
  CHECK(outer.info().tensors.at(0).shape == std::vector<std::int64_t>{64});
  CHECK(outer.info().num_samples == 7);
}
