#include <nlohmann/json.hpp>
#include <string>

#include "troupe/error.hpp"
#include "troupe/models.hpp"

namespace troupe::models {
namespace {

struct Config {
  std::string data;
  std::int64_t batch_size = 0;
};

[[noreturn]] void invalid(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "model configuration: " + message);
}

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

using MakeLayers = std::vector<Layer> (*)(int num_classes);

CreateModel network_creator(MakeLayers layers) {
  return [layers](const ReplicaContext& at) {
    const Config config = parse(at.config, {"fashion-mnist", 64});
    const TrainingData data = load_data(config.data, at.seed);
    if (data.train->num_classes() == 0) {
      throw Error(ErrorCode::invalid_argument, "a network learns classes, and " + config.data + " has none");
    }
    return network(layers(data.train->num_classes()), data, config.batch_size);
  };
}

bool register_all() {
  register_model("linear", create_linear);
  register_model("softmax", create_softmax);
  register_model("mlp", network_creator(mlp_layers));
  register_model("cnn", network_creator(cnn_layers));
  return true;
}

}  // namespace

void register_builtin_models() { [[maybe_unused]] static const bool registered = register_all(); }

}  // namespace troupe::models
