#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "models/files.hpp"
#include "models/optimizers/update_rules.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Returns a rule that changes nothing.
UpdateRule idle_rule(std::vector<std::string> state) {
  const auto prepare = [](const UpdateStep&) { return [](const UpdateChunk&) { return true; }; };
  return {std::move(state), prepare};
}

OptimizerSettings kind(const std::string& name) {
  OptimizerSettings options;
  options.kind = name;
  return options;
}

}  // namespace

TEST_CASE("a custom rule is made from options and receives the learning rate, the step and the number of updates") {
  register_optimizer("test-told", [](const RegisteredOptimizer& options) {
    const auto prepare = [decay = options.weight_decay](const UpdateStep& at) {
      return [=](const UpdateChunk& chunk) {
        chunk.new_weights[0] = 2 * static_cast<float>(decay);
        chunk.new_weights[1] = static_cast<float>(at.learning_rate);
        chunk.new_weights[2] = static_cast<float>(at.step);
        chunk.new_state[0][0] = static_cast<float>(at.updates);
        return all_finite({chunk.new_weights, chunk.count});
      };
    };
    return UpdateRule{{"updates"}, prepare};
  });
  auto options = kind("test-told");
  options.weight_decay = 0.25;
  options.learning_rate = 8;
  options.schedule = {.kind = ScheduleKind::step, .step_size = 2, .gamma = 0.5};
  const UpdateRules optimizer(options);
  CHECK(optimizer.state_vectors() == 1);
  CHECK(optimizer.state_name(0) == "updates");
  std::array<float, 3> weights{};
  std::array<float, 3> state{};
  float* const states[] = {state.data()};
  const UpdateChunk chunk{3, nullptr, nullptr, weights.data(), nullptr, states};
  CHECK(optimizer.prepare({optimizer.learning_rate(5), 5, 3}).front()(chunk));
  CHECK(weights == std::array<float, 3>{0.5F, 2, 5});
  CHECK(state[0] == 3);
  options.weight_decay = 3e38;
  CHECK_FALSE(UpdateRules(options).prepare({0.1, 0, 0}).front()(chunk));
}

TEST_CASE("the built-in rules report weights or state that are not finite, at any position") {
  constexpr std::size_t kSize = 37;
  for (const char* name : {"sgd", "adagrad", "adam", "adamw"})
    for (const float bad : {INFINITY, NAN}) {
      CAPTURE(name);
      const UpdateRules optimizer(kind(name));
      const UpdateFunction update = optimizer.prepare({0.1, 0, 0}).front();
      std::vector<float> gradient(kSize, 1);
      const std::vector<float> from(kSize, 1);
      std::array<std::vector<float>, 3> to{from, from, from};
      const float* const states[] = {from.data(), from.data()};
      float* const new_states[] = {to[1].data(), to[2].data()};
      const UpdateChunk chunk{kSize, gradient.data(), from.data(), to[0].data(), states, new_states};
      CHECK(update(chunk));
      for (float& value : gradient) {
        value = bad;
        CHECK_FALSE(update(chunk));
        value = 1;
      }
    }
}

TEST_CASE("errors of a custom rule contain its name, and values that are not finite are reported") {
  const std::array<float, 2> gradient{1, 1};
  std::array<float, 2> weights{};
  std::array<float, 2> state{};
  float* const states[] = {state.data()};
  const UpdateChunk chunk{2, gradient.data(), weights.data(), weights.data(), nullptr, states};
  int rules = 0;
  const auto update = [&](std::function<UpdateFunction(const UpdateStep&)> prepare) {
    const std::string name = "test-wrong-" + std::to_string(++rules);
    register_optimizer(name, [prepare](const RegisteredOptimizer&) { return UpdateRule{{"state"}, prepare}; });
    return UpdateRules(kind(name)).prepare({0.1, 0, 0}).front()(chunk);
  };
  const auto writing = [&](float weight, float in_state) {
    return update([=](const UpdateStep&) {
      return [=](const UpdateChunk& at) {
        at.new_weights[1] = weight;
        at.new_state[0][1] = in_state;
        return true;
      };
    });
  };
  CHECK(writing(1, 1));
  CHECK_FALSE(writing(NAN, 1));
  CHECK_FALSE(writing(1, INFINITY));
  const auto fails = [&](const std::string& what, const auto& run) {
    check_throws(ErrorCode::model_failed, what, run);
  };
  fails("optimizer 'test-wrong-4': prepare() returned no function",
        [&] { update([](const UpdateStep&) { return UpdateFunction(); }); });
  fails("optimizer 'test-wrong-5': no luck",
        [&] { update([](const UpdateStep&) -> UpdateFunction { throw std::runtime_error("no luck"); }); });
  fails("optimizer 'test-wrong-6': no luck", [&] {
    update([](const UpdateStep&) { return [](const UpdateChunk&) -> bool { throw std::runtime_error("no luck"); }; });
  });
  fails("optimizer 'test-wrong-7' threw", [&] { update([](const UpdateStep&) -> UpdateFunction { throw 3; }); });
  register_optimizer("test-maker",
                     [](const RegisteredOptimizer&) -> UpdateRule { throw std::runtime_error("no luck"); });
  fails("optimizer 'test-maker': no luck", [] { UpdateRules optimizer(kind("test-maker")); });
}

TEST_CASE("a custom rule needs a unique name, a function and valid state") {
  const auto refused = [](const std::string& what, const auto& run) {
    check_throws(ErrorCode::invalid_argument, what, run);
  };
  refused("'adam' is registered already", [] { register_optimizer("adam", [](const auto&) { return UpdateRule{}; }); });
  refused("name", [] { register_optimizer("", [](const auto&) { return UpdateRule{}; }); });
  refused("name", [] { register_optimizer("\x1b[2J", [](const auto&) { return UpdateRule{}; }); });
  refused("test-null", [] { register_optimizer("test-null", nullptr); });
  refused("adagrad, adam, ", [] { UpdateRules optimizer(kind("test-unknown")); });

  int rules = 0;
  const auto rule = [&](UpdateRule made) {
    const std::string name = "test-rule-" + std::to_string(++rules);
    register_optimizer(name, [made = std::move(made)](const RegisteredOptimizer&) { return made; });
    return [name] { UpdateRules optimizer(kind(name)); };
  };
  refused("no prepare function", rule({}));
  refused("state vectors", rule(idle_rule({"1", "2", "3", "4", "5"})));
  refused("names", rule(idle_rule({"a", "b", "a"})));
  refused("names", rule(idle_rule({""})));
  refused("names", rule(idle_rule({"a/b"})));
  refused("names", rule(idle_rule({"a\nb"})));
  CHECK_NOTHROW(rule(idle_rule({"1", "2", "3", "4"}))());
}
