#include <doctest/doctest.h>

#include "models/files.hpp"
#include "models/optimizers/groups.hpp"
#include "models/optimizers/pytorch_trial.hpp"
#include "models/optimizers/update_rules.hpp"
#include "models/optimizers/vector_update.hpp"
#include "support/started.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Groups = std::vector<ParameterGroup>;

const std::vector<TensorInfo> kGroupedTensors{
    {"conv.weight", {2, 3}}, {"conv.bias", {2}}, {"bn.weight", {2}}, {"bn.bias", {2}}};

/// A model with the same tensors in reverse order, each with a float of padding before it.
class Reversed : public Model {
 public:
  BatchResult gradient(const ShardStep&, std::span<const float>, std::span<float>) override { return {}; }
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override {
    std::size_t end = weights.size();
    for (const TensorInfo& tensor : kGroupedTensors) {
      for (std::size_t i = 0; i < tensor.size(); ++i) weights[end - tensor.size() + i] = scale * canonical[i];
      canonical = canonical.subspan(tensor.size());
      end -= tensor.size() + 1;
      weights[end] = 0;
    }
  }

  float scale = 1;

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    return {.size = total_size(kGroupedTensors) + kGroupedTensors.size(), .tensors = kGroupedTensors};
  }
};

}  // namespace

TEST_CASE("patterns match whole names") {
  struct Row {
    const char* pattern;
    const char* name;
    bool fits;
  };
  const Row rows[] = {{"*.bias", "conv.bias", true},
                      {"*.bias", "conv.bias2", false},
                      {"*.bias", "bias", false},
                      {"*", "", true},
                      {"", "", true},
                      {"", "a", false},
                      {"a", "", false},
                      {"a", "a", true},
                      {"a", "aa", false},
                      {"?", "", false},
                      {"?", "a", true},
                      {"?", "ab", false},
                      {"a?c", "abc", true},
                      {"a?c", "ac", false},
                      {"a*c", "ac", true},
                      {"a*c", "abcbc", true},
                      {"a*c", "abcb", false},
                      {"**a**", "bab", true},
                      {"*ab*ab", "abaab", true},
                      {"*ab*ab", "abb", false},
                      {"*?", "", false},
                      {"layer?.*.weight", "layer1.0.conv1.weight", true},
                      {"layer?.*.weight", "layer10.conv1.weight", false}};
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.name);
    CHECK(fits(row.pattern, row.name) == row.fits);
  }
}

TEST_CASE("matching a pattern with many stars is fast") {
  std::string pattern;
  for (int i = 0; i < 400; ++i) pattern += "a*";
  CHECK(fits(pattern, std::string(900, 'a') + "b"));
  CHECK_FALSE(fits(pattern + "b", std::string(1000, 'a')));
}

TEST_CASE("the first matching pattern determines the group of a tensor") {
  CHECK(groups_of({}, kGroupedTensors) == std::vector<std::size_t>{0, 0, 0, 0});
  CHECK(groups_of(Groups{{"*.bias"}}, kGroupedTensors) == std::vector<std::size_t>{0, 1, 0, 1});
  CHECK(groups_of(Groups{{"bn.*"}, {"*.bias"}}, kGroupedTensors) == std::vector<std::size_t>{0, 2, 1, 1});
  CHECK(groups_of(Groups{{"conv.weight"}, {"*"}}, kGroupedTensors) == std::vector<std::size_t>{1, 2, 2, 2});
  const ParameterGroup vectors{.pattern = "*", .dimensions = 1};
  CHECK(groups_of(Groups{vectors}, kGroupedTensors) == std::vector<std::size_t>{0, 1, 1, 1});
  CHECK(groups_of(Groups{{.pattern = "bn.*", .dimensions = 1}, {"*"}}, kGroupedTensors) ==
        std::vector<std::size_t>{2, 2, 1, 1});
}

TEST_CASE("a pattern that matches no remaining tensor is refused by name") {
  const auto refused = [](const std::string& what, const Groups& groups) {
    check_throws(ErrorCode::invalid_argument, what, [&] { groups_of(groups, kGroupedTensors); });
  };
  refused("pattern '*.bais' of a group matches no tensor of the model; the first tensor is 'conv.weight'",
          {{"*.bais"}});
  refused("pattern 'conv.?eight ' of a group matches no tensor", {{"*"}, {"conv.?eight "}});
  refused("pattern 'bn.bias' of a group matches only tensors that earlier groups match", {{"*.bias"}, {"bn.bias"}});
  refused("pattern '*.bias' of a group matches no tensor of the model with 2 dimensions",
          {{.pattern = "*.bias", .dimensions = 2}});
}

TEST_CASE("groups are converted to runs in the model's layout, and padding belongs to the run before it") {
  Reversed model;
  model.start({});
  CHECK(group_runs({}, model) == GroupRuns{{16, 0}});
  // [- bn.bias 2] [- bn.weight 2] [- conv.bias 2] [- conv.weight 6]
  CHECK(group_runs(Groups{{"*.bias"}}, model) == GroupRuns{{1, 0}, {4, 1}, {7, 0}, {10, 1}, {16, 0}});
  CHECK(group_runs(Groups{{"bn.*"}, {"*"}}, model) == GroupRuns{{1, 0}, {7, 1}, {16, 2}});
}

TEST_CASE("in a network, each group has the floats of its tensors and their padding") {
  const auto data = load_data("mock-images:8,10", 1);
  const auto model = started(models::network(models::cnn_bn_layers(10), data, 4));
  const Groups groups{{"*.bias"}, {"*running*"}};
  const auto by_tensor = groups_of(groups, model->info().tensors);
  std::vector<std::size_t> floats(3);
  std::size_t begin = 0;
  for (const GroupRun& run : group_runs(groups, *model)) {
    CHECK(begin < run.end);
    floats.at(run.group) += run.end - begin;
    begin = run.end;
  }
  CHECK(begin == model->info().size);
  std::vector<std::size_t> wanted(3);
  for (std::size_t i = 0; i < by_tensor.size(); ++i) wanted[by_tensor[i]] += model->info().tensors[i].size();
  const std::size_t padding = model->info().size - total_size(model->info().tensors);
  for (std::size_t group = 0; group < 3; ++group) {
    CHECK(wanted[group] > 0);
    CHECK(floats[group] >= wanted[group]);
    CHECK(floats[group] <= wanted[group] + padding);
  }
}

TEST_CASE("frozen groups are separate runs, the model is notified, and they have no gradient") {
  Reversed model;
  model.start({});
  const Groups groups{{.pattern = "bn.bias"}, {.pattern = "bn.*", .frozen = true}};
  const GroupRuns runs = group_runs(groups, model);
  CHECK(runs == GroupRuns{{1, 0}, {4, 1}, {7, 2, true}, {16, 0}});
  CHECK(as_one_group(runs) == GroupRuns{{1, 0}, {4, 0}, {7, 0, true}, {16, 0}});
  std::vector<float> gradient(16, 3);
  clear_frozen(runs, gradient);
  for (std::size_t i = 0; i < gradient.size(); ++i) CHECK(gradient[i] == (i >= 4 && i < 7 ? 0 : 3));
  const auto keeps = frozen_tensors(groups);
  REQUIRE(keeps);
  CHECK(keeps("bn.weight"));
  CHECK_FALSE(keeps("bn.bias"));  // the first matching group counts
  CHECK_FALSE(keeps("conv.bias"));
  CHECK_FALSE(frozen_tensors({{"*"}}));
  check_throws(ErrorCode::invalid_argument, "all tensors are frozen",
               [] { groups_of(Groups{{.pattern = "*", .frozen = true}}, kGroupedTensors); });
}

TEST_CASE("frozen parameters do not change and have no optimizer state") {
  Reversed model;
  model.start({});
  OptimizerSettings options;
  options.momentum = 0.9;
  options.groups = {{.pattern = "bn.*", .frozen = true}};
  const UpdateRules rules(options);
  const GroupRuns runs = group_runs(options.groups, model);
  const std::vector<float> weights(16, 1);
  const std::vector<float> momentum(16, 5);
  const std::vector<float> mean(16, 2);
  std::vector<float> updated(16);
  std::vector<float> state(16, 9);
  VectorUpdate::Place place{.weights = weights, .new_weights = updated};
  place.state[0] = momentum;
  place.new_state[0] = state;
  VectorUpdate update(model, rules.prepare({0.1, 1, 1}), runs, 4, place);
  update.learn(0, mean);
  for (std::size_t i = 0; i < 16; ++i) {
    const bool frozen = i >= 1 && i < 7;
    CAPTURE(i);
    CHECK((updated[i] == 1) == frozen);
    CHECK((state[i] == 0) == frozen);
  }
  std::ranges::fill(updated, 0.0F);
  update.take_statistics(0, mean);
  for (std::size_t i = 0; i < 16; ++i) CHECK(updated[i] == (i >= 1 && i < 7 ? 1 : 2));
}

TEST_CASE("a model is refused if its from_canonical does not copy values exactly") {
  Reversed model;
  model.start({});
  for (const float scale : {0.5F, -1.0F, 3.0F, INFINITY, NAN}) {
    model.scale = scale;
    check_throws(ErrorCode::model_failed, "from_canonical", [&] { group_runs(Groups{{"*.bias"}}, model); });
  }
}

TEST_CASE("each group has its own weight decay and learning rate factor") {
  auto options = trial_options();
  options.groups = {{"bias", 0.0, 0.5}, {"other", {}, 2}};
  options.schedule = {.kind = ScheduleKind::step, .step_size = 1, .gamma = 0.5};
  const UpdateRules optimizer(options);
  const auto updates = optimizer.prepare({optimizer.learning_rate(1), 1, 0});
  REQUIRE(updates.size() == 3);
  const auto moved = [](const UpdateFunction& update, float gradient) {
    const float weight = 1;
    const float zero = 0;
    float new_weight = 0;
    float moment[2];
    const float* const state[] = {&zero, &zero};
    float* const new_state[] = {&moment[0], &moment[1]};
    update({1, &gradient, &weight, &new_weight, state, new_state});
    return static_cast<double>(weight - new_weight);
  };
  CHECK(moved(updates[0], 0) == doctest::Approx(0.025 * 0.1));
  CHECK(moved(updates[0], 1) == doctest::Approx(0.025 * 1.1));
  CHECK(moved(updates[1], 0) == 0);
  CHECK(moved(updates[1], 1) == doctest::Approx(0.0125));
  CHECK(moved(updates[2], 0) == doctest::Approx(0.05 * 0.1));
  CHECK(moved(updates[2], 1) == doctest::Approx(0.05 * 1.1));
}

TEST_CASE("invalid groups are refused by name") {
  const auto refused = [](const std::string& what, const Groups& groups) {
    OptimizerSettings options;
    options.groups = groups;
    check_throws(ErrorCode::invalid_argument, what, [&] { UpdateRules optimizer(options); });
  };
  for (const double value : {-1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    refused("weight_decay of group '*.bias'", {{"*"}, {"*.bias", value}});
    refused("learning_rate_factor of group '*.bias'", {{"*.bias", {}, value}});
  }
  refused("pattern", {{""}});
  refused("pattern", {{"\x1b[2J"}});
  refused("pattern", {{std::string(1001, '*')}});
  refused("200 groups", Groups(201, {"*"}));
}
