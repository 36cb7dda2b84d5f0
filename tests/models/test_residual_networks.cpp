#include <doctest/doctest.h>

#include <algorithm>

#include "network_trial.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;
using Node = Graph::Node;

namespace {

/// Appends layers with unique names.
struct Builder {
  Graph graph = {};

  Node operator()(const Layer& layer, Node from) { return (*this)(layer, std::vector{from}); }
  Node operator()(const Layer& layer, std::vector<Node> from) {
    return graph.append("l" + std::to_string(graph.layers().size()), layer, std::move(from));
  }
  Node normalised(std::int64_t outputs, std::int64_t kernel, std::int64_t stride, Node from) {
    return (*this)(
        batch_norm(),
        (*this)(conv2d(outputs, {.kernel = kernel, .stride = stride, .padding = kernel / 2, .bias = false}), from));
  }
  /// Appends layers that compute scores.
  Graph finish(Node last) {
    (*this)(linear(kClasses), (*this)(global_average_pool(), last));
    return graph;
  }
};

Graph basic_block() {
  Builder build;
  Node node = build(relu(), build.normalised(17, 3, 2, Graph::input()));
  node = build.normalised(17, 3, 1, node);
  const Node shortcut = build.normalised(17, 1, 2, Graph::input());
  return build.finish(build(relu(), build(add(), {node, shortcut})));
}

Node bottleneck(Builder& build, Node from, std::int64_t width, std::int64_t stride, bool shorten) {
  Node node = build(relu(), build.normalised(width, 1, 1, from));
  node = build(relu(), build.normalised(width, 3, stride, node));
  node = build.normalised(4 * width, 1, 1, node);
  const Node shortcut = shorten ? build.normalised(4 * width, 1, stride, from) : from;
  return build(relu(), build(add(), {node, shortcut}));
}

Graph two_bottlenecks() {
  Builder build;
  const Node start = build(relu(), build.normalised(6, 3, 1, Graph::input()));
  const Node first = bottleneck(build, start, 5, 2, true);
  return build.finish(bottleneck(build, first, 5, 1, false));
}

Graph sum_with_input(bool normalise) {
  Builder build;
  Node node = build(conv2d(5, {.kernel = 3, .padding = 1}), Graph::input());
  if (normalise) node = build(batch_norm(), node);
  return build.finish(build(relu(), build(add(), {node, Graph::input()})));
}

/// A network with so few input channels that convolutions read the input without conversion.
Graph sum_with_small_input() {
  Builder build;
  const Node node = build(conv2d(3, {.kernel = 3, .padding = 1}), Graph::input());
  return build.finish(build(add(), {Graph::input(), node}));
}

Graph sum_with_itself() {
  Builder build;
  const Node node = build(conv2d(5, {.kernel = 3}), Graph::input());
  return build.finish(build(add(), {node, node}));
}

Graph sum_of_convolutions() {
  Builder build;
  const Node first = build(conv2d(18, {.kernel = 3, .stride = 2, .padding = 1}), Graph::input());
  const Node second = build(conv2d(18, {.kernel = 1, .stride = 2, .bias = false}), Graph::input());
  return build.finish(build(relu(), build(add(), {first, second})));
}

Graph sum_of_features() {
  Builder build;
  const Node flat = build(flatten(), Graph::input());
  const Node first = build(relu(), build(linear(9), flat));
  const Node second = build(linear(9), flat);
  build(linear(kClasses), build(add(), {first, second}));
  return build.graph;
}

/// One output used in four ways: directly, after a ReLU, after pooling and flattened.
Graph many_users() {
  Builder build;
  const Node node = build.normalised(5, 3, 1, Graph::input());
  const Node pooled = build(global_average_pool(), build(max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), node));
  const Node sum = build(global_average_pool(), build(add(), {build(relu(), node), node}));
  const Node flat = build(linear(5), build(flatten(), node));
  build(linear(kClasses), build(add(), {build(add(), {pooled, sum}), flat}));
  return build.graph;
}

/// A ReLU that only the pooling applies, because the convolution's output is also used without it.
Graph relu_beside_pooling() {
  Builder build;
  const Node node = build(conv2d(5, {.kernel = 3, .padding = 1}), Graph::input());
  const Node pooled = build(global_average_pool(), build(max_pool2d({.kernel = 2}), build(relu(), node)));
  build(linear(kClasses), build(add(), {pooled, build(global_average_pool(), node)}));
  return build.graph;
}

Graph three_sums() {
  Builder build;
  const Node start = build(conv2d(7, {.kernel = 1}), Graph::input());
  Node node = build(add(), {build.normalised(7, 3, 1, start), start});
  node = build(add(), {build.normalised(7, 3, 1, node), node});
  return build.finish(build(add(), {start, node}));
}

std::vector<Case> residual_cases() {
  return {{"basic block with strided shortcut", {5, 7, 5}, basic_block()},
          {"basic block of a grey image", {9, 11}, basic_block()},
          {"two bottlenecks", {3, 9, 11}, two_bottlenecks()},
          {"sum with the input", {5, 7, 5}, sum_with_input(false)},
          {"normalised sum with the input", {5, 7, 5}, sum_with_input(true)},
          {"sum with a small input", {3, 7, 5}, sum_with_small_input()},
          {"sum with itself", {2, 7, 5}, sum_with_itself()},
          {"sum of convolutions", {3, 9, 11}, sum_of_convolutions()},
          {"sum of features", {2, 3, 3}, sum_of_features()},
          {"many users", {3, 7, 5}, many_users()},
          {"ReLU next to pooling", {3, 8, 6}, relu_beside_pooling()},
          {"three sums", {3, 7, 5}, three_sums()}};
}

}  // namespace

TEST_CASE("gradients of residual networks equal those of plain loops in double") {
  for (const Case& at : residual_cases())
    for (const std::int64_t batch : {1, 2, 5}) check_against_reference(NetworkTrial(at, batch));
}

TEST_CASE("residual networks compute bitwise identical results twice, after other batch sizes; padding stays zero") {
  for (const Case& at : residual_cases()) {
    CAPTURE(at.name);
    const NetworkTrial trial(at, 5);
    AlignedFloats again(trial.gradient.size(), 3.0F);
    trial.network->gradient({}, trial.samples(0, 2), trial.weights, again);
    CHECK(trial.network->gradient({}, trial.samples(), trial.weights, again) == trial.loss);
    CHECK(again == trial.gradient);
    trial.network->copy_canonical(trial.canonical(trial.gradient), again);
    CHECK(again == trial.gradient);
  }
}

TEST_CASE("sums of bfloat16 and f32 values are computed in f32") {
  using namespace troupe::models;
  Graph graph;
  const auto image = graph.append("a", conv2d(kClasses, {.kernel = 3}), {Graph::input()});
  const auto flat = graph.append("", flatten(), {image});
  const auto mean = graph.append("", global_average_pool(), {image});
  graph.append("", add(), {flat, mean});
  const Case at("unlike sum", {2, 3, 3}, graph);
  const NetworkTrial trial(at, 3, Precision::bf16);
  CHECK(trial.network->precision() == Precision::f32);
  check_against_reference(trial, 20);
}

TEST_CASE("strided convolutions of very small images have correct gradients in bfloat16") {
  using namespace troupe::models;
  for (const std::int64_t size : {1, 2, 3, 4}) {
    const Graph graph({conv2d(16, {.kernel = 3, .padding = 1, .bias = false}),
                       conv2d(32, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), global_average_pool(),
                       linear(kClasses)});
    check_mixed_precision(Case("small strided", {3, size, size}, graph), 2);
  }
}

TEST_CASE("residual networks in bfloat16 are near f32") {
  for (const Case& at : residual_cases()) check_mixed_precision(at, 5);
}
