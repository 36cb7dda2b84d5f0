#include <doctest/doctest.h>

#include <algorithm>

#include "files.hpp"
#include "models/network/builtin_graphs.hpp"
#include "models/network/graph_text.hpp"
#include "models/network/network_plan.hpp"

using namespace troupe;
using namespace troupe::models;
using troupe::testing::check_throws;

namespace {

/// A custom layer with the kind of a built-in layer.
class Impostor final : public CustomLayer {
 public:
  std::string kind() const override { return "tanh"; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  void forward(const Forward& at) const override { std::ranges::copy(at.input, at.output.begin()); }
  void backward(const Backward& at) const override { std::ranges::copy(at.output_gradient, at.input_gradient.begin()); }
};

/// Returns tensors and shapes of the whole plan as text.
std::string plan_text(const Graph& graph, std::span<const std::int64_t> shape) {
  std::string text;
  const NetworkPlan plan = plan_network(graph, shape, {});
  for (const PlannedLayer& layer : plan.layers)
    text += layer.layer->label() + ' ' + layer.output.text() + (layer.relu ? " relu\n" : "\n");
  for (const LayerTensor& tensor : plan.tensors)
    text += tensor.info.name + ' ' + std::to_string(tensor.info.size()) + '\n';
  return text;
}

void check_again(const Graph& graph, std::vector<std::int64_t> shape) {
  const std::vector<LayerText> words = text_of(graph);
  REQUIRE(words.size() == graph.layers().size());
  const Graph again = graph_of("a file", words);
  CHECK(text_of(again) == words);
  CHECK(plan_text(again, shape) == plan_text(graph, shape));
}

}  // namespace

TEST_CASE("all built-in layers can be restored from their description") {
  check_again(
      Graph({conv2d(4, {.kernel = 3, .stride = 2, .padding = 1, .bias = false}), batch_norm(), relu(),
             max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), avg_pool2d({.kernel = 2}), conv2d(8, {.kernel = 1}),
             gelu(), sigmoid(), models::tanh(), dropout(0.25), global_average_pool(), flatten(), linear(3)}),
      {3, 32, 32});
  for (const char* const name : {"mlp", "cnn", "cnn-bn"}) check_again(*builtin_graph(name, 10), {1, 28, 28});
  check_again(*builtin_graph("resnet50", 7), {3, 64, 64});
}

TEST_CASE("a graph with a custom layer has no description, even if the layer uses a built-in kind") {
  CHECK(text_of(Graph({flatten(), std::make_shared<Impostor>(), linear(2)})).empty());
}

TEST_CASE("the number of outputs of a network can be changed if its last layer defines the number") {
  const auto words = with_outputs(text_of(*builtin_graph("cnn", 10)), 4);
  CHECK(words == text_of(*builtin_graph("cnn", 4)));
  CHECK(with_outputs(text_of(Graph({conv2d(7, {.kernel = 3}), global_average_pool()})), 5) ==
        text_of(Graph({conv2d(5, {.kernel = 3}), global_average_pool()})));
  check_throws(ErrorCode::unsupported, "no layer", [] { with_outputs(text_of(Graph({flatten()})), 5); });
  check_throws(ErrorCode::unsupported, "'lm_head' cannot be new, because it is tied to the embedding 'wte'",
               [] { with_outputs(text_of(gpt({.vocabulary = 7})), 5); });
}

TEST_CASE("the error about an invalid layer description names the file") {
  const auto refused = [](const LayerText& text) {
    check_throws(ErrorCode::bad_file, "file.safetensors", [&] { graph_of("file.safetensors", {text}); });
  };
  refused({"0", "transformer", {-1}, {}});
  refused({"0", "linear", {-1}, {}});
  refused({"0", "linear", {-1}, {{"outputs", 2.5}}});
  refused({"0", "linear", {-1}, {{"outputs", 2}, {"inputs", 3}}});
  refused({"0", "add", {-1}, {}});
  refused({"", "linear", {-1}, {{"outputs", 2}}});
}
