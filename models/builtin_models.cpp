#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "runtime/invalid.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"

namespace troupe::models {
namespace {

struct Config {
  std::string data;
  std::int64_t batch_size = 0;
};

[[noreturn]] void invalid(const std::string& message) { throw_invalid("model configuration: " + message); }

void read_entry(const std::string& key, const nlohmann::json& value, Config& config) {
  if (key == "data") {
    if (!value.is_string()) invalid("\"data\" is not a string");
    config.data = value.get<std::string>();
  } else if (key == "batch_size") {
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > 1e9) {
      invalid("\"batch_size\" is not a number of samples");
    }
    config.batch_size = value.get<std::int64_t>();
  } else {
    invalid("unknown key \"" + key + "\"; there are \"data\" and \"batch_size\"");
  }
}

/// @param config to begin with; what `text` does not say stays.
Config parse(const std::string& text, Config config) {
  if (text.empty()) return config;
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) invalid("not a JSON object: " + text);
  for (const auto& [key, value] : json.items()) read_entry(key, value, config);
  return config;
}

std::unique_ptr<Model> create_linear(const ReplicaContext& at) {
  const Config config = parse(at.config, {"synthetic-linear", 0});
  return linear_regression(load_data(config.data, at.seed), config.batch_size);
}

std::unique_ptr<Model> create_softmax(const ReplicaContext& at) {
  const Config config = parse(at.config, {"fashion-mnist", 64});
  return softmax_regression(load_data(config.data, at.seed), config.batch_size);
}

using MakeGraph = std::function<Graph(int num_classes)>;

CreateModel network_creator(MakeGraph graph, Config defaults) {
  return [graph = std::move(graph), defaults = std::move(defaults)](const ReplicaContext& at) {
    const Config config = parse(at.config, defaults);
    const TrainingData data = load_data(config.data, at.seed);
    const int classes = data.train->info().num_classes;
    if (classes == 0) {
      throw Error(ErrorCode::invalid_argument, "a network learns classes, and " + config.data + " has none");
    }
    return network(graph(classes), data, config.batch_size);
  };
}

std::unique_ptr<Model> create_tfbench(const ReplicaContext& at) {
  const Config config = parse(at.config, {"mock-images", 64});
  if (config.data != "mock-images") {
    throw Error(ErrorCode::invalid_argument, "tfbench draws its own mock-images, not '" + config.data + "'");
  }
  return std::make_unique<TFBenchModel>(config.batch_size);
}

void register_network(const std::string& name, std::vector<Layer> (*layers)(int num_classes)) {
  register_model(name,
                 network_creator([layers](int classes) { return Graph(layers(classes)); }, {"fashion-mnist", 64}));
}

void register_resnet(int depth) {
  register_model("resnet" + std::to_string(depth),
                 network_creator([depth](int classes) { return resnet(depth, classes); }, {"mock-images", 32}));
}

bool register_all() {
  register_model("linear", create_linear);
  register_model("softmax", create_softmax);
  register_network("mlp", mlp_layers);
  register_network("cnn", cnn_layers);
  register_network("cnn-bn", cnn_bn_layers);
  for (const int depth : {18, 34, 50, 101, 152}) register_resnet(depth);
  register_model("tfbench", create_tfbench);
  return true;
}

}  // namespace

void register_builtin_models() { [[maybe_unused]] static const bool registered = register_all(); }

}  // namespace troupe::models
