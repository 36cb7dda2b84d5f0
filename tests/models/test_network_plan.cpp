#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "files.hpp"
#include "models/network/network_plan.hpp"

using namespace troupe;
using namespace troupe::models;
using testing::check_throws;
using Node = Graph::Node;

namespace {

constexpr int kPlannedClasses = 3;

/// Appends layers that compute scores, and plans the graph.
// By reference: an argument may append to the graph, before or after a by-value parameter would be copied.
NetworkPlan finish(const Graph& begun, Node last, const std::vector<std::int64_t>& shape = {4, 6, 6}) {
  Graph graph = begun;
  graph.append("fc", linear(kPlannedClasses), {graph.append("", global_average_pool(), {last})});
  return plan_network(graph, shape, kPlannedClasses);
}

/// Returns a text such as "conv(0) bn(1,2)+": one word a layer, with its input values and a plus if a ReLU is folded
/// in.
std::string text(const NetworkPlan& plan) {
  static const std::map<std::string, std::string> names{{"convolution", "conv"}, {"batch-norm", "bn"},
                                                        {"ReLU", "relu"},        {"max-pooling", "max"},
                                                        {"flatten", "flatten"},  {"global average pooling", "mean"},
                                                        {"add", "add"},          {"linear", "linear"}};
  std::string result;
  for (const PlannedLayer& layer : plan.layers) {
    std::string values;
    for (const int value : layer.inputs) values += (values.empty() ? "" : ",") + std::to_string(value);
    result +=
        (result.empty() ? "" : " ") + names.at(layer.layer->kind()) + "(" + values + ")" + (layer.relu ? "+" : "");
  }
  return result;
}

std::string text(const std::vector<Layer>& layers, const std::vector<std::int64_t>& shape) {
  return text(plan_network(Graph(layers), shape, kPlannedClasses));
}

void check_refused(const std::string& words, const Graph& graph, const std::vector<std::int64_t>& shape = {4, 6, 6}) {
  check_throws(ErrorCode::invalid_argument, words, [&] { plan_network(graph, shape, kPlannedClasses); });
}

}  // namespace

TEST_CASE("a ReLU is folded into the layer before it") {
  CHECK(text({linear(4), relu(), linear(3)}, {5}) == "linear(0)+ linear(1)");
  CHECK(text({conv2d(4, {.kernel = 3}), relu(), flatten(), linear(3)}, {1, 5, 5}) == "conv(0)+ linear(1)");
  CHECK(text({conv2d(4, {.kernel = 3}), flatten(), relu(), linear(3)}, {1, 5, 5}) == "conv(0)+ linear(1)");
  CHECK(text({conv2d(4, {.kernel = 3}), batch_norm(), relu(), flatten(), linear(3)}, {1, 5, 5}) ==
        "conv(0) bn(1)+ linear(2)");
  CHECK(text({linear(3), relu()}, {5}) == "linear(0)+");
}

TEST_CASE("a ReLU between a convolution and plain pooling is folded into the pooling") {
  CHECK(text({conv2d(4, {.kernel = 3}), relu(), max_pool2d({.kernel = 2}), flatten(), linear(3)}, {1, 6, 6}) ==
        "conv(0) max(1)+ linear(2)");
  CHECK(text({conv2d(4, {.kernel = 3}), max_pool2d({.kernel = 2}), relu(), flatten(), linear(3)}, {1, 6, 6}) ==
        "conv(0) max(1)+ linear(2)");
  CHECK(text({relu(), max_pool2d({.kernel = 2}), flatten(), linear(3)}, {1, 6, 6}) == "max(0)+ linear(1)");
  CHECK(text({conv2d(4, {.kernel = 3}), batch_norm(), relu(), max_pool2d({.kernel = 2}), flatten(), linear(3)},
             {1, 6, 6}) == "conv(0) bn(1)+ max(2) linear(3)");
  CHECK(text({conv2d(4, {.kernel = 3}), relu(), max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), flatten(),
              linear(3)},
             {1, 6, 6}) == "conv(0)+ max(1) linear(2)");
}

TEST_CASE("a ReLU that cannot be folded remains a layer") {
  CHECK(text({relu(), flatten(), linear(3)}, {1, 2, 2}) == "relu(0) linear(1)");
  CHECK(text({max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), relu(), flatten(), linear(3)}, {1, 6, 6}) ==
        "max(0) relu(1) linear(2)");
  Graph graph;  // the convolution's output is also used without ReLU
  const Node node = graph.append("a", conv2d(4, {.kernel = 3}), {Graph::input()});
  CHECK(text(finish(graph, graph.append("", add(), {graph.append("", relu(), {node}), node}))) ==
        "conv(0) relu(1) add(2,1) mean(3) linear(4)");
}

TEST_CASE("a ReLU is not folded into an output that is also used flattened") {
  Graph graph;
  const Node node = graph.append("a", conv2d(4, {.kernel = 6}), {Graph::input()});
  const Node flat = graph.append("", flatten(), {node});
  const Node sum = graph.append("", add(), {graph.append("", relu(), {flat}), flat});
  graph.append("fc", linear(kPlannedClasses), {sum});
  CHECK(text(plan_network(graph, std::vector<std::int64_t>{4, 6, 6}, kPlannedClasses)) ==
        "conv(0) relu(1) add(2,1) linear(3)");
}

TEST_CASE("an addition and its ReLU are folded into the batch-norm before them") {
  Graph graph;
  const Node changed =
      graph.append("bn", batch_norm(), {graph.append("conv", conv2d(4, {.kernel = 1}), {Graph::input()})});
  const Node sum = graph.append("", add(), {Graph::input(), changed});
  const NetworkPlan plan = finish(graph, graph.append("", relu(), {sum}));
  CHECK(text(plan) == "conv(0) bn(1,0)+ mean(2) linear(3)");
  CHECK(plan.layers[1].name == "bn");
}

TEST_CASE("of two batch-norms that are added, the first appended one adds, after the other; tensors keep their order") {
  for (const bool swapped : {false, true}) {
    Graph graph;
    const Node main =
        graph.append("bn", batch_norm(), {graph.append("conv", conv2d(8, {.kernel = 1}), {Graph::input()})});
    const Node shortcut =
        graph.append("down.1", batch_norm(), {graph.append("down.0", conv2d(8, {.kernel = 1}), {Graph::input()})});
    const Node sum = swapped ? graph.append("", add(), {shortcut, main}) : graph.append("", add(), {main, shortcut});
    const NetworkPlan plan = finish(graph, graph.append("", relu(), {sum}));
    CHECK(text(plan) == "conv(0) conv(0) bn(2) bn(1,3)+ mean(4) linear(5)");
    CHECK(plan.layers[3].name == "bn");
    CHECK(plan.tensors[static_cast<std::size_t>(plan.layers[3].weights)].info.name == "bn.weight");
    std::string names;
    for (const LayerTensor& tensor : plan.tensors) names += tensor.info.name + " ";
    CHECK(names ==
          "conv.weight conv.bias bn.weight bn.bias bn.running_mean bn.running_var down.0.weight down.0.bias "
          "down.1.weight down.1.bias down.1.running_mean down.1.running_var fc.weight fc.bias ");
  }
}

TEST_CASE("an addition that cannot be folded remains a layer") {
  Graph clipped;  // the ReLU comes before the sum
  Node node = clipped.append("", relu(), {clipped.append("bn", batch_norm(), {Graph::input()})});
  CHECK(text(finish(clipped, clipped.append("", add(), {node, Graph::input()}))) ==
        "bn(0)+ add(1,0) mean(2) linear(3)");

  Graph shared;  // the batch-norm's output is used twice
  node = shared.append("bn", batch_norm(), {Graph::input()});
  node = shared.append("", add(), {node, node});
  CHECK(text(finish(shared, shared.append("", relu(), {node}))) == "bn(0) add(1,1)+ mean(2) linear(3)");

  Graph twice;  // one batch-norm adds one input
  node = twice.append("bn", batch_norm(), {Graph::input()});
  node = twice.append("", add(), {node, Graph::input()});
  CHECK(text(finish(twice, twice.append("", add(), {node, Graph::input()}))) == "bn(0,0) add(1,0) mean(2) linear(3)");

  Graph plain;
  node = plain.append("a", conv2d(4, {.kernel = 1}), {Graph::input()});
  CHECK(text(finish(plain, plain.append("", add(), {node, Graph::input()}))) == "conv(0) add(1,0) mean(2) linear(3)");
}

TEST_CASE("shapes are those before flattening") {
  const NetworkPlan plan =
      plan_network(Graph({conv2d(5, {.kernel = 3, .stride = 2, .padding = 1}), flatten(), relu(), linear(3)}),
                   std::vector<std::int64_t>{7, 9}, kPlannedClasses);
  CHECK(plan.input.text() == "1x7x9");
  CHECK(plan.layers[0].output.text() == "5x4x5");
  CHECK(plan.layers[1].input.text() == "5x4x5");
  CHECK(plan.layers[1].output.text() == "3");
  CHECK(plan.tensors[2].info.shape == std::vector<std::int64_t>{3, 100});
}

TEST_CASE("windows may be strided and extend beyond the border") {
  const auto shape = [](const Layer& layer, const std::vector<std::int64_t>& sample) {
    return plan_network(Graph({layer, flatten(), linear(3)}), sample, kPlannedClasses).layers[0].output.text();
  };
  CHECK(shape(max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), {64, 112, 112}) == "64x56x56");
  CHECK(shape(max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), {1, 7, 5}) == "1x4x3");
  CHECK(shape(max_pool2d({.kernel = 3, .stride = 2}), {1, 8, 7}) == "1x3x3");
  CHECK(shape(max_pool2d({.kernel = 2, .stride = 3}), {1, 9, 11}) == "1x3x4");
  CHECK(shape(max_pool2d({.kernel = 2, .stride = 2, .padding = 1}), {1, 5, 4}) == "1x3x3");
  CHECK(shape(conv2d(2, {.kernel = 3, .stride = 3, .padding = 1}), {1, 9, 11}) == "2x3x4");
  CHECK(shape(conv2d(64, {.kernel = 7, .stride = 2, .padding = 3}), {3, 224, 224}) == "64x112x112");
}

TEST_CASE("tensors have PyTorch's initial values") {
  const NetworkPlan plan = plan_network(Graph({conv2d(8, {.kernel = 3, .padding = 1, .bias = false}), batch_norm(),
                                               conv2d(2, {.kernel = 2}), flatten(), linear(3)}),
                                        std::vector<std::int64_t>{4, 3, 3}, kPlannedClasses);
  using Start = LayerTensor::Start;
  const auto check = [&](std::size_t index, const std::string& name, Start start, double scale) {
    CHECK(plan.tensors[index].info.name == name);
    CHECK(plan.tensors[index].start == start);
    CHECK(plan.tensors[index].scale == doctest::Approx(scale));
  };
  REQUIRE(plan.tensors.size() == 9);
  check(0, "0.weight", Start::normal, std::sqrt(2.0 / 72));
  check(1, "1.weight", Start::constant, 1);
  check(2, "1.bias", Start::constant, 0);
  check(3, "1.running_mean", Start::constant, 0);
  check(4, "1.running_var", Start::constant, 1);
  check(5, "2.weight", Start::uniform, 1 / std::sqrt(32.0));
  check(6, "2.bias", Start::uniform, 1 / std::sqrt(32.0));
  check(7, "4.weight", Start::uniform, 1 / std::sqrt(8.0));
  check(8, "4.bias", Start::uniform, 1 / std::sqrt(8.0));
}

TEST_CASE("layers with inputs that do not fit are refused by number, kind and name") {
  check_refused("layer 1 (batch-norm) needs images, but gets 144 flat features", Graph({flatten(), batch_norm()}));
  check_refused("layer 1 (global average pooling) needs images", Graph({flatten(), global_average_pool()}));
  check_refused("layer 0 (max-pooling) needs a padding of at most half its kernel",
                Graph({max_pool2d({.kernel = 3, .stride = 1, .padding = 2})}));
  check_refused("layer 0 (max-pooling) has a kernel of 7, which is larger than its input of 4x6x6",
                Graph({max_pool2d({.kernel = 7})}));
  check_refused("layer 0 (max-pooling) needs a positive kernel", Graph({max_pool2d({.kernel = 2, .stride = -1})}));
  check_refused("layer 0 (convolution) supports kernels of at most 255", Graph({conv2d(1, {.kernel = 256})}),
                {1, 999, 999});
  Graph graph;
  const Node node = graph.append("layer1.conv", conv2d(8, {.kernel = 3}), {Graph::input()});
  Graph strided = graph;
  strided.append("", add(), {node, Graph::input()});
  check_refused("layer 1 (add) needs two inputs of the same shape, but gets 8x4x4 and 4x6x6", strided);
  graph.append("layer1.big", conv2d(8, {.kernel = 9, .padding = 1}), {node});
  check_refused("layer 1 (convolution 'layer1.big') has a kernel of 9, which is larger than its input of 8x4x4", graph);
}

TEST_CASE("an unused output of a layer other than the last is refused") {
  Graph graph;
  graph.append("lost", conv2d(8, {.kernel = 3}), {Graph::input()});
  graph.append("fc", linear(kPlannedClasses), {graph.append("", flatten(), {Graph::input()})});
  check_refused("layer 0 (convolution 'lost') has an output that no layer reads", graph);
}

TEST_CASE("flattened addends must have the same shape before flattening") {
  Graph graph;
  const Node image = graph.append("", flatten(), {graph.append("a", conv2d(4, {.kernel = 5}), {Graph::input()})});
  const Node features = graph.append("b", linear(16), {graph.append("", flatten(), {Graph::input()})});
  graph.append("fc", linear(kPlannedClasses), {graph.append("", add(), {image, features})});
  check_refused("layer 4 (add) gets inputs that were flattened from 4x2x2 and 16", graph);
}

TEST_CASE("the last layer must return the scores") {
  check_refused("layer 0 (convolution) has the output shape 3x4x4, but the loss needs 3 outputs for this data",
                Graph({conv2d(3, {.kernel = 3})}));
  check_refused("layer 1 (linear) has the output shape 4", Graph({flatten(), linear(4)}));
  check_refused("layer 2 (flatten) returns shape 1x3x1, but the loss expects one score per channel: end with linear(",
                Graph({conv2d(1, {.kernel = 4}), max_pool2d({.kernel = 1, .stride = 1}), flatten()}), {1, 6, 4});
  check_refused("at least one layer", Graph());
  check_refused("a layer with weights", Graph({flatten(), relu()}), {3});
  check_refused("1 to 3 dimensions, not 4", Graph({flatten(), linear(3)}), {1, 1, 1, 1});
}
