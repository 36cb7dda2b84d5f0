#include <doctest/doctest.h>

#include <tuple>

#include "actors/spoiled_model.hpp"
#include "cluster/nodes.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

constexpr int kSteps = 4;

Options spoiled(const Nodes& nodes, const Spoil& spoil, Strategy strategy, bool deterministic) {
  Options options = nodes.options();
  options.num_shards = 5;
  options.gradients.strategy = strategy;
  options.gradients.deterministic = deterministic;
  edit(options)->kind = "adam";
  options.config = spoil.text();
  return options;
}

std::vector<float> undisturbed(Options options) {
  options.config = Spoil{}.text();
  DistributedSGD sgd("spoiled", options);
  for (int step = 0; step < kSteps; ++step) sgd.step();
  return sgd.weights();
}

/// Checks that the third step fails and changes nothing.
void check_refused(DistributedSGD& sgd, const std::string& part, const std::string& object) {
  const auto before = sgd.weights();
  try {
    sgd.step();
    CHECK(false);
  } catch (const Error& error) {
    INFO(std::string(error.what()));
    CHECK(error.code() == ErrorCode::non_finite_weights);
    CHECK(error.message().find("new " + part + " would") != std::string::npos);
    CHECK(error.where().object == object);
    CHECK(error.where().phase == "apply");
    CHECK(error.where().step == 3);
    CHECK(error.where().node.starts_with("node"));
  }
  CHECK(sgd.report().step == 2);
  CHECK(sgd.weights() == before);
}

}  // namespace

TEST_CASE("nodes that clip the gradient commit no values that are not finite") {
  Nodes nodes(3);
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
    CAPTURE(to_string(strategy));
    const auto clipping = [&](const Spoil& spoil) {
      Options options = spoiled(nodes, spoil, strategy, true);
      options.gradients.clip_norm = 0.5;
      return options;
    };
    const auto expected = undisturbed(clipping({}));
    DistributedSGD sgd("spoiled", clipping({"cb", "inf"}));
    sgd.step();
    sgd.step();
    for (int again = 0; again < 2; ++again) check_refused(sgd, "weights", "tensor 'b'");
    for (int step = 2; step < kSteps; ++step) sgd.step();
    CHECK(sgd.weights() == expected);
  }
}

TEST_CASE("nodes commit no values that are not finite, and continue from the last step") {
  Nodes nodes(3);
  struct Way {
    Strategy strategy;
    bool deterministic;
  };
  for (const auto& [strategy, deterministic] : {Way{Strategy::hierarchical, true},
                                                {Strategy::hierarchical, false},
                                                {Strategy::ring, true},
                                                {Strategy::ring, false},
                                                {Strategy::parameter_server, true}}) {
    CAPTURE(to_string(strategy));
    CAPTURE(deterministic);
    const auto expected = undisturbed(spoiled(nodes, {}, strategy, deterministic));
    for (const auto& [tensors, value, part, object] :
         {std::tuple{"cb", "inf", "weights", "tensor 'b'"}, {"d", "nan", "statistics", "tensor 'd'"}}) {
      CAPTURE(tensors);
      DistributedSGD sgd("spoiled", spoiled(nodes, {tensors, value}, strategy, deterministic));
      sgd.step();
      sgd.step();
      for (int again = 0; again < 2; ++again) check_refused(sgd, part, object);
      for (int step = 2; step < kSteps; ++step) sgd.step();
      CHECK(sgd.weights() == expected);
    }
  }
}

TEST_CASE("an exception of a model on one node during apply does not block other nodes") {
  Nodes nodes(3);
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server}) {
    CAPTURE(to_string(strategy));
    const auto expected = undisturbed(spoiled(nodes, {}, strategy, true));
    Options options = spoiled(nodes, {.tensors = "d", .value = "1e30", .times = 1}, strategy, true);
    // A node that still waited for the failed node would not be ready for the next step in time.
    options.timeouts.step = std::chrono::minutes(2);
    options.timeouts.start = std::chrono::seconds(20);
    DistributedSGD sgd("spoiled", options);
    sgd.step();
    sgd.step();
    CHECK(message_of([&] { sgd.step(); }).find("statistics are too large") != std::string::npos);
    for (int step = 2; step < kSteps; ++step) sgd.step();
    CHECK(sgd.weights() == expected);
  }
}
