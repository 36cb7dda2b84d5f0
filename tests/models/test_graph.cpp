#include <doctest/doctest.h>

#include "files.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::models;
using testing::check_throws;

namespace {

const Window& window_of(const Layer& pool) { return dynamic_cast<const MaxPool&>(*pool).window(); }

}  // namespace

TEST_CASE("layers in sequence are connected and named by number") {
  const Graph graph({conv2d(4, {.kernel = 3}), relu(), flatten(), linear(3)});
  REQUIRE(graph.layers().size() == 4);
  for (int i = 0; i < 4; ++i) {
    const Graph::Entry& entry = graph.layers()[static_cast<std::size_t>(i)];
    CHECK(entry.name == std::to_string(i));
    REQUIRE(entry.inputs.size() == 1);
    CHECK(entry.inputs[0].number == i - 1);
  }
}

TEST_CASE("the node of an appended layer is its number") {
  Graph graph;
  const Graph::Node first = graph.append("a", conv2d(4, {.kernel = 3}), {Graph::input()});
  const Graph::Node second = graph.append("", add(), {first, first});
  CHECK(Graph::input().number == -1);
  CHECK(first.number == 0);
  CHECK(second.number == 1);
  CHECK(graph.layers()[1].inputs[1].number == 0);
}

TEST_CASE("a refused layer is named, and the graph is unchanged") {
  Graph graph;
  const Graph::Node first = graph.append("a", conv2d(4, {.kernel = 3}), {Graph::input()});
  const auto refused = [&](const std::string& what, const std::string& name, const Layer& layer,
                           const std::vector<Graph::Node>& inputs) {
    check_throws(ErrorCode::invalid_argument, what, [&] { graph.append(name, layer, inputs); });
    CHECK(graph.layers().size() == 1);
  };
  refused("layer 1 (linear 'fc') takes 1 input, not 2", "fc", linear(3), {first, first});
  refused("layer 1 (add) takes 2 inputs, not 1", "", add(), {first});
  refused("layer 1 (ReLU) takes 1 input, not 0", "", relu(), {});
  refused("layer 1 (ReLU) takes node 1", "", relu(), {{1}});
  refused("layer 1 (ReLU) takes node -2", "", relu(), {{-2}});
  refused("layer 1 (batch-norm) has tensors and therefore needs a name", "", batch_norm(), {first});
  refused("layer 1 (batch-norm 'a') has the same name as an earlier layer", "a", batch_norm(), {first});
}

TEST_CASE("layers without tensors may share a name") {
  Graph graph;
  const Graph::Node first = graph.append("relu", relu(), {Graph::input()});
  graph.append("relu", relu(), {first});
  graph.append("relu", linear(3), {first});
  CHECK(graph.layers().size() == 3);
}

TEST_CASE("the stride of a pooling layer defaults to its kernel size") {
  CHECK(window_of(max_pool2d({.kernel = 3})).stride == 3);
  CHECK(window_of(max_pool2d({.kernel = 3})).padding == 0);
  CHECK(window_of(max_pool2d({.kernel = 3, .stride = 2, .padding = 1})).stride == 2);
  CHECK(window_of(max_pool2d({.kernel = 3, .stride = 2, .padding = 1})).padding == 1);
}
