#include <doctest/doctest.h>

#include <cmath>

#include "models/files.hpp"
#include "models/network/builtin_graphs.hpp"
#include "models/network/network_plan.hpp"
#include "models/registry.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::testing;

namespace {

/// Returns the shapes of all tensors, in order.
std::vector<std::vector<std::int64_t>> shapes(const std::string& name, const GraphOptions& options,
                                              const std::vector<std::int64_t>& samples = {1, 12, 12}) {
  std::vector<std::vector<std::int64_t>> all;
  const NetworkPlan plan = plan_network(*builtin_graph(name, 3, options), samples, 3);
  for (const LayerTensor& tensor : plan.tensors) all.push_back(tensor.info.shape);
  return all;
}

using Shapes = std::vector<std::vector<std::int64_t>>;

std::string kinds(const std::string& name, const GraphOptions& options) {
  std::string text;
  const Graph graph = *builtin_graph(name, 3, options);
  for (const Graph::Entry& entry : graph.layers()) text += entry.layer->kind() + ' ';
  return text;
}

}  // namespace

TEST_CASE("options of built-in networks change their sizes, and missing options have defaults") {
  CHECK(shapes("mlp", {}) == Shapes{{128, 144}, {128}, {3, 128}, {3}});
  CHECK(shapes("mlp", {{"hidden", 5}, {"layers", 2}}) == Shapes{{5, 144}, {5}, {5, 5}, {5}, {3, 5}, {3}});
  CHECK(kinds("mlp", {{"dropout", 0.5}}) == "flatten linear ReLU dropout linear ");
  CHECK(kinds("mlp", {{"dropout", 0}}) == "flatten linear ReLU linear ");
  CHECK(shapes("cnn", {{"channels", 4}, {"hidden", 6}}) ==
        Shapes{{4, 1, 3, 3}, {4}, {8, 4, 3, 3}, {8}, {6, 8 * 9}, {6}, {3, 6}, {3}});
  CHECK(shapes("cnn-bn", {{"channels", 4}}).front() == std::vector<std::int64_t>{4, 1, 3, 3});
  CHECK(kinds("cnn-bn", {{"dropout", 0.1}}) ==
        "convolution batch-norm ReLU max-pooling convolution batch-norm ReLU max-pooling flatten linear ReLU dropout "
        "linear ");
  const auto narrow = shapes("resnet18", {{"width", 8}}, {3, 64, 64});
  CHECK(narrow.front() == std::vector<std::int64_t>{8, 3, 7, 7});
  CHECK(narrow[narrow.size() - 2] == std::vector<std::int64_t>{3, 64});
  CHECK_FALSE(builtin_graph("softmax", 3));
}

TEST_CASE("unknown options and invalid values of a built-in network are refused by name") {
  const auto refused = [](const std::string& name, const GraphOptions& options, const std::string& what) {
    check_throws(ErrorCode::invalid_argument, what, [&] { builtin_graph(name, 3, options); });
  };
  refused("mlp", {{"hiden", 5}}, "no option 'hiden'; its options are hidden, layers, dropout; did you mean 'hidden'?");
  refused("cnn", {{"layers", 2}}, "model 'cnn' has no option 'layers'");
  refused("resnet18", {{"depth", 20}}, "its options are width");
  for (const double value : {0.0, -1.0, 1.5, 1e9, static_cast<double>(NAN)})
    refused("mlp", {{"hidden", value}}, "option 'hidden' of model 'mlp' must be an integer from 1");
  for (const double value : {-0.1, 1.0, static_cast<double>(NAN)})
    refused("cnn", {{"dropout", value}}, "option 'dropout' of model 'cnn' must be a probability");
  const auto made = [](const std::string& model, const std::string& options) {
    ReplicaContext context;
    context.config = R"({"data": "mock-images:8,3,20", "batch_size": 4, "model_options": )" + options + "}";
    return find_model(model)(context)->start(context).tensors.back().shape;
  };
  register_builtin_models();
  CHECK(made("mlp", R"({"hidden": 7})") == std::vector<std::int64_t>{3});
  check_throws(ErrorCode::invalid_argument, "no option 'hidden'", [&] { made("softmax", R"({"hidden": 7})"); });
  check_throws(ErrorCode::invalid_argument, "must be a number", [&] { made("mlp", R"({"hidden": "7"})"); });
  check_throws(ErrorCode::invalid_argument, "model_options", [&] { made("mlp", "[7]"); });
}
