#include <doctest/doctest.h>

#include <cmath>

#include "models/files.hpp"
#include "models/optimizers/settings.hpp"
#include "models/optimizers/update_rules.hpp"

using namespace troupe;
using testing::check_throws;

namespace {

OptimizerSettings settings_of(const Optimizer& optimizer) { return troupe::settings_of(optimizer, 0); }

/// Converts an optimizer to settings and back.
template <class Kind>
Kind again(const Kind& kind) {
  return std::get<Kind>(optimizer_of(settings_of(kind)));
}

}  // namespace

TEST_CASE("each optimizer has a name, and its members survive the conversion to settings and back") {
  CHECK(to_string(Optimizer()) == "sgd");
  CHECK(to_string(Adagrad()) == "adagrad");
  CHECK(to_string(Adam()) == "adam");
  CHECK(to_string(AdamW()) == "adamw");
  CHECK(to_string(RegisteredOptimizer{.name = "mine"}) == "mine");

  const Sgd sgd = again(Sgd{.learning_rate = {0.5, {.kind = ScheduleKind::step, .step_size = 3}},
                            .momentum = 0.9,
                            .nesterov = true,
                            .weight_decay = 0.01,
                            .groups = {{.pattern = "*.bias", .frozen = true}}});
  CHECK(sgd.learning_rate.rate() == 0.5);
  CHECK(sgd.learning_rate.schedule().kind == ScheduleKind::step);
  CHECK(sgd.learning_rate.schedule().step_size == 3);
  CHECK(sgd.momentum == 0.9);
  CHECK(sgd.nesterov);
  CHECK(sgd.weight_decay == 0.01);
  REQUIRE(sgd.groups.size() == 1);
  CHECK(sgd.groups[0].frozen);
  CHECK(again(Adagrad{.epsilon = 0.25}).epsilon == 0.25);
  const AdamW adamw = again(AdamW{.beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.125});
  CHECK(adamw.learning_rate.rate() == 0.001);
  CHECK(adamw.beta1 == 0.5);
  CHECK(adamw.beta2 == 0.75);
  CHECK(adamw.epsilon == 0.125);
  CHECK(troupe::settings_of(Sgd(), 2).clip_norm == 2);
}

TEST_CASE("a learning rate may be a function of the step") {
  const UpdateRules rules(settings_of(Sgd{.learning_rate = [](std::int64_t step) { return 1.0 / (step + 1.0); }}));
  CHECK(rules.learning_rate(0) == 1);
  CHECK(rules.learning_rate(3) == 0.25);
  const UpdateRules falling(settings_of(Sgd{.learning_rate = {8, {.kind = ScheduleKind::step, .step_size = 1}}}));
  CHECK(falling.learning_rate(1) == doctest::Approx(0.8));
}

TEST_CASE("a registered rule receives its options by name, and built-in rules accept no such options") {
  register_optimizer("test-with-options", [](const RegisteredOptimizer& options) {
    const auto rate = static_cast<float>(options.options.at("pull"));
    return UpdateRule{{}, [rate](const UpdateStep&) {
                        return [rate](const UpdateChunk& chunk) {
                          for (std::size_t i = 0; i < chunk.count; ++i) chunk.new_weights[i] = rate;
                          return true;
                        };
                      }};
  });
  const UpdateRules rules(settings_of(RegisteredOptimizer{.name = "test-with-options", .options = {{"pull", 0.5}}}));
  float weight = 0;
  CHECK(rules.prepare({0.1, 0, 0}).front()({1, nullptr, nullptr, &weight, nullptr, nullptr}));
  CHECK(weight == 0.5F);
  const auto refused = [](const std::string& what, const Optimizer& optimizer) {
    check_throws(ErrorCode::invalid_argument, what, [&] { UpdateRules refused_rules(settings_of(optimizer)); });
  };
  refused("adam has no options", RegisteredOptimizer{.name = "adam", .options = {{"beta1", 0.5}}});
  refused("option pull must be finite, but is nan",
          RegisteredOptimizer{.name = "test-with-options", .options = {{"pull", NAN}}});
  refused("no optimizer named 'nobody'", RegisteredOptimizer{.name = "nobody"});
}

TEST_CASE("settings with unsupported momentum or an unknown kind are refused") {
  check_throws(ErrorCode::invalid_argument, "adam has no momentum",
               [] { optimizer_of({.kind = "adam", .momentum = 0.5}); });
  check_throws(ErrorCode::invalid_argument, "adagrad has no momentum",
               [] { optimizer_of({.kind = "adagrad", .nesterov = true}); });
  check_throws(ErrorCode::invalid_argument, "no optimizer named 'nobody'", [] { optimizer_of({.kind = "nobody"}); });
}

TEST_CASE("an optimizer by name has its default settings") {
  CHECK(settings_of(usual_optimizer("adamw")).learning_rate == AdamW().learning_rate.rate());
  CHECK(settings_of(usual_optimizer("sgd")).momentum == 0);
  CHECK(std::holds_alternative<Adagrad>(usual_optimizer("adagrad")));
  check_throws(ErrorCode::invalid_argument, "did you mean 'adam'?", [] { usual_optimizer("adma"); });
}

TEST_CASE("a learning rate function must not be empty, and files store the base rate next to it") {
  check_throws(ErrorCode::invalid_argument, "is empty", [] { LearningRate rate = LearningRate::Function(); });
  const auto falling = [](std::int64_t step) { return 0.5 / static_cast<double>(1 + step); };
  const Sgd sgd{.learning_rate = {0.5, falling}};
  CHECK(settings_of(sgd).learning_rate == 0.5);
  CHECK(again(sgd).learning_rate.rate() == 0.5);
  CHECK(again(sgd).learning_rate.function()(1) == 0.25);
}
