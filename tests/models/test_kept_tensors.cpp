#include <doctest/doctest.h>

#include <algorithm>

#include "models/devices/buffer_schedule.hpp"
#include "models/optimizers/groups.hpp"
#include "network_trial.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

using Keeps = std::function<bool(const std::string&)>;

Keeps fitting(const std::vector<std::string>& patterns) {
  return [patterns](const std::string& name) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) { return fits(pattern, name); });
  };
}

/// Returns the gradient of the learning tensors that `keeps` does not name.
std::vector<float> learned_gradient(const NetworkTrial& trial, const Keeps& keeps) {
  const std::vector<float> all = trial.canonical(trial.gradient);
  std::vector<float> learned;
  auto next = all.begin();
  for (const LayerTensor& tensor : trial.plan.tensors) {
    const auto end = next + static_cast<std::ptrdiff_t>(tensor.info.size());
    if (!keeps(tensor.info.name)) learned.insert(learned.end(), next, end);
    next = end;
  }
  return learned;
}

Case plain_case() {
  return {"convolutions",
          {2, 12, 12},
          {conv2d(5, {.kernel = 3, .padding = 1}), relu(), max_pool2d({.kernel = 2}),
           conv2d(18, {.kernel = 3, .padding = 1}), max_pool2d({.kernel = 2}), relu(), flatten(), linear(7), relu(),
           linear(kClasses)}};
}

Case normed_case() {
  return {"batch-norm",
          {3, 8, 8},
          {conv2d(5, {.kernel = 3, .padding = 1, .bias = false}), batch_norm(), relu(),
           conv2d(6, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), batch_norm(), relu(),
           global_average_pool(), linear(kClasses)}};
}

}  // namespace

TEST_CASE("layers with kept tensors leave the gradients of other layers bitwise unchanged") {
  for (const std::int64_t batch : {1, 5})
    for (const auto& patterns : std::vector<std::vector<std::string>>{
             {"0.*"}, {"3.*"}, {"7.*"}, {"9.*"}, {"0.*", "3.*"}, {"0.*", "3.*", "7.*"}, {"0.*", "7.*"}, {"*.bias"}}) {
      CAPTURE(patterns.front());
      CAPTURE(batch);
      const Keeps keeps = fitting(patterns);
      const NetworkTrial all(plain_case(), batch);
      const NetworkTrial some(plain_case(), batch, Precision::f32, /*frozen=*/false, keeps);
      CHECK(some.loss == all.loss);
      const auto learned = learned_gradient(some, keeps);
      CHECK(std::ranges::any_of(learned, [](float value) { return value != 0; }));
      CHECK(learned == learned_gradient(all, keeps));
    }
}

TEST_CASE("a batch-norm with kept tensors uses its running statistics, and others use the batch") {
  for (const std::int64_t batch : {1, 5}) {
    const Keeps all = fitting({"1.*", "4.*"});
    const NetworkTrial kept(normed_case(), batch, Precision::f32, /*frozen=*/false, all);
    const NetworkTrial frozen(normed_case(), batch, Precision::f32, /*frozen=*/true);
    CHECK(kept.loss == frozen.loss);
    CHECK(learned_gradient(kept, all) == learned_gradient(frozen, all));
    const Keeps first = fitting({"1.*"});
    const NetworkTrial some(normed_case(), batch, Precision::f32, /*frozen=*/false, first);
    const NetworkTrial none(normed_case(), batch);
    CHECK(some.loss != frozen.loss);
    CHECK(some.loss != none.loss);
    // If only scale and bias are kept, the statistics still learn.
    const Keeps partly = fitting({"1.weight", "1.bias"});
    const NetworkTrial part(normed_case(), batch, Precision::f32, /*frozen=*/false, partly);
    CHECK(part.loss == none.loss);
    CHECK(learned_gradient(part, partly) == learned_gradient(none, partly));
  }
}

TEST_CASE("values before the first learning layer have no gradient") {
  NetworkPlan plan = plan_network(plain_case().graph, plain_case().shape, kClasses);
  const auto learning = [&] {
    const std::vector<bool> learns = learning_values(plan);
    return std::ranges::count(learns, true);
  };
  const auto values = std::ssize(plan.layers);
  CHECK(learning() == values);  // all but the input
  keep_tensors(plan, fitting({"0.*", "3.*"}));
  CHECK(learning() == 2);  // both linear layers
  keep_tensors(plan, fitting({"3.*"}));
  CHECK(learning() == values);
  keep_tensors(plan, fitting({"*.weight"}));
  CHECK(learning() == values);
}
