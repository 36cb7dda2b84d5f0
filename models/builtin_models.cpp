#include "models/builtin_models.hpp"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "models/data/naming.hpp"
#include "models/data/pipeline/folds.hpp"
#include "models/data/scale_hint.hpp"
#include "models/files/csv.hpp"
#include "models/files/network_text.hpp"
#include "models/losses/loss_registry.hpp"
#include "models/metrics/metric_registry.hpp"
#include "models/network/builtin_graphs.hpp"
#include "models/network/graph_text.hpp"
#include "runtime/invalid.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"
#include "troupe/pipeline.hpp"
#include "troupe/transform.hpp"

namespace troupe::models {
namespace {

/// The configuration of a built-in model.
struct Config {
  std::string data;
  std::int64_t batch_size = 0;
  std::int64_t micro_batch = 0;
  std::optional<std::string> loss = {};  ///< empty: the default loss for the data
  std::string transform = {};

  std::vector<std::string> metrics = {};
  GraphOptions options = {};  ///< options of a built-in network, such as the width of a layer
  bool measures = false;      ///< whether evaluations use the training set if there is no test set
  bool new_head = false;      ///< whether the last layer is new, so that the data may have other classes or targets
                              ///< than `trained`

  std::string validate = {};  ///< selects the validation set: a fraction or a fold of the training set ("0.2",
                              ///< "fold:2/5"), or the name of other data, whose training set is used; empty: no
                              ///< validation set

  DataInfo trained = {};  ///< describes the data on which the network was trained before; empty if the network is new

  /// Loads the data, takes the validation set from it, and applies the transforms.
  /// @param tells whether to log notes about the data, such as columns of very different scales
  TrainingData load(std::uint64_t seed, bool tells = false) const;
};

/// Returns the number in `text`. Returns nothing if `text` is not a number, or contains anything else.
std::optional<double> share_of(const std::string& text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return share;
}

/// Returns the fold that `text` describes in the form "fold:I/K", such as "fold:2/5". Returns nothing for any other
/// text, such as "fold:2/5:NAME", which is the name of data.
std::optional<data::Fold> fold_in(const std::string& text) {
  const std::string prefix = data::kFoldPrefix;
  if (!text.starts_with(prefix) || text.find(':', prefix.size()) != std::string::npos) return {};
  return data::parse_fold(text.substr(prefix.size()));
}

/// Checks that each class of the data has the same number as in the data on which the network was trained (`trained`).
/// Does nothing if either data has no class names.
/// @throws Error bad_data that names the first class that differs
void check_classes(const DataInfo& data, const DataInfo& trained) {
  const std::vector<std::string>& known = trained.class_names;
  for (std::size_t i = 0; !known.empty() && i < data.class_names.size(); ++i) {
    const std::string name = printable(data.class_names[i]);
    if (i >= known.size())
      throw Error(ErrorCode::bad_data, "class '" + name + "' is not among the classes that the network was trained on",
                  {.object = data.origin});
    if (class_of(name) != class_of(known[i]))
      throw Error(
          ErrorCode::bad_data,
          "class " + std::to_string(i) + " is '" + name + "', but the network was trained with '" + known[i] + "'",
          {.object = data.origin});
  }
}

/// Returns `info` without the names of classes and targets. Used if the last layer of a network is new. The network may
/// then be trained for other classes or targets, so the names must not be compared with those of the previous training.
DataInfo without_answers(DataInfo info) {
  info.class_names.clear();
  info.target_names.clear();
  for (InputColumn& column : info.encoding.columns)
    if (column.role == InputColumn::Role::label) column.categories.clear();
  return info;
}

/// If the validation set is a fraction or a fold of the training set, chooses its samples with a fixed seed instead of
/// `seed`. So runs with different seeds have the same validation set and can be compared.
TrainingData Config::load(std::uint64_t seed, bool tells) const {
  if (!validate.empty() && data.starts_with(data::kFoldPrefix))
    throw_invalid("data '" + data + "' already has a validation fold; remove \"validate\": '" + validate + "'");
  const DataInfo known = new_head ? without_answers(trained) : trained;
  TrainingData all = load_data(data, known, seed);
  check_classes(all.train->info(), known);
  if (tells && transform.find("normalise") == std::string::npos)
    if (const std::string hint = scale_hint(*all.train); !hint.empty())
      log_line(LogLevel::info, printable(all.train->info().origin) + ": " + hint);
  if (measures && !all.test) {
    all.test = all.train;
    if (tells)
      log_line(LogLevel::info, printable(all.test->info().origin) + ": there is no test set; evaluations use all " +
                                   std::to_string(all.test->info().num_samples) + " training samples");
  }
  if (const auto share = share_of(validate)) {
    std::tie(all.train, all.validation) = data::split(all.train, *share);
  } else if (const auto fold = fold_in(validate)) {
    all = data::fold_of(std::move(all), *fold);
  } else if (!validate.empty()) {
    all.validation = load_data(validate, all.train->info(), seed).train;
  }
  return data::transform(std::move(all), transform);
}

[[noreturn]] void invalid(const std::string& message) { throw_invalid("model configuration: " + message); }

std::string read_name(const std::string& key, const nlohmann::json& value) {
  if (!value.is_string()) invalid("\"" + key + "\" must be a string");
  return value.get<std::string>();
}

bool read_bool(const std::string& key, const nlohmann::json& value) {
  if (!value.is_boolean()) invalid("\"" + key + "\" must be true or false");
  return value.get<bool>();
}

std::vector<std::string> read_names(const std::string& key, const nlohmann::json& value) {
  if (!value.is_array()) invalid("\"" + key + "\" must be a list of names");
  std::vector<std::string> names;
  for (const nlohmann::json& each : value) names.push_back(read_name(key, each));
  return names;
}

GraphOptions read_options(const nlohmann::json& value) {
  if (!value.is_object()) invalid("\"model_options\" must be an object with numbers as values");
  GraphOptions options;
  for (const auto& [name, number] : value.items()) {
    if (!number.is_number()) invalid("option \"" + printable(name) + "\" must be a number");
    options[name] = number.get<double>();
  }
  return options;
}

std::int64_t read_count(const std::string& key, const nlohmann::json& value) {
  if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > 1e9)
    invalid("\"" + key + "\" must be an integer from 0 to 1000000000");
  return value.get<std::int64_t>();
}

void read_entry(const std::string& key, const nlohmann::json& value, Config& config) {
  if (key == "data") {
    config.data = read_name(key, value);
  } else if (key == "loss") {
    config.loss = read_name(key, value);
  } else if (key == "transform") {
    config.transform = read_name(key, value);
  } else if (key == "validate") {
    config.validate = read_name(key, value);
  } else if (key == "metrics") {
    config.metrics = read_names(key, value);
  } else if (key == "model_options") {
    config.options = read_options(value);
  } else if (key == "new_head") {
    config.new_head = read_bool(key, value);
  } else if (key == "measures") {
    config.measures = read_bool(key, value);
  } else if (key == "trained") {
    config.trained = network_from_json("", read_name("trained", value)).data;
  } else if (key == "batch_size") {
    config.batch_size = read_count(key, value);
  } else if (key == "micro_batch") {
    config.micro_batch = read_count(key, value);
  } else {
    invalid("unknown key \"" + key +
            "\"; the keys are \"data\", \"transform\", \"validate\", \"batch_size\", \"micro_batch\", \"loss\", "
            "\"metrics\" and "
            "\"model_options\"");
  }
}

/// Returns the configuration that `text` contains, a JSON object.
/// @param config the defaults: keys that are missing in `text` keep these values
Config parse(const std::string& text, Config config) {
  if (text.empty()) return config;
  const auto json = parse_bounded(text);
  if (!json.is_object()) invalid("not a JSON object: " + text);
  for (const auto& [key, value] : json.items()) read_entry(key, value, config);
  return config;
}

std::vector<Metric> metrics_of(const Config& config) {
  std::vector<Metric> metrics;
  for (const std::string& name : config.metrics) metrics.push_back(find_metric(name));
  return metrics;
}

/// Does the same as `parse`, for models with a fixed loss. Throws Error invalid_argument if the text contains a loss,
/// metrics or model options.
Config parse_without_loss(const std::string& text, Config config) {
  config = parse(text, std::move(config));
  if (config.loss) invalid("this model has a fixed loss; remove \"loss\": \"" + *config.loss + "\"");
  if (config.micro_batch > 0) invalid("this model has no micro-batches; only networks do");
  if (!config.metrics.empty()) invalid("this model supports no metrics; only networks do");
  if (!config.options.empty()) invalid("this model has no option '" + printable(config.options.begin()->first) + "'");
  return config;
}

/// Returns true for exactly one replica of a run: the first replica of worker 0. Only this replica logs notes that
/// would be the same for all replicas.
bool is_first(const ReplicaContext& at) { return at.worker == 0 && at.replica == 0; }

std::unique_ptr<Model> create_linear(const ReplicaContext& at) {
  const Config config = parse_without_loss(at.config, {"synthetic-linear", 0});
  const TrainingData data = config.load(at.seed, is_first(at));
  return naming(data.train->info().origin, [&] { return linear_regression(data, config.batch_size); });
}

std::unique_ptr<Model> create_softmax(const ReplicaContext& at) {
  const Config config = parse_without_loss(at.config, {"fashion-mnist", 64});
  const TrainingData data = config.load(at.seed, is_first(at));
  return naming(data.train->info().origin, [&] { return softmax_regression(data, config.batch_size); });
}

int number_of_outputs(const Loss& loss, const DataInfo& info) {
  const std::int64_t outputs = loss.num_outputs(info);
  if (outputs < 1 || outputs > std::numeric_limits<int>::max())
    throw_invalid("the loss needs " + std::to_string(outputs) + " outputs for this data, which a network cannot have");
  return static_cast<int>(outputs);
}

CreateModel network_creator(std::string name, Config defaults) {
  return [name = std::move(name), defaults = std::move(defaults)](const ReplicaContext& at) {
    const Config config = parse(at.config, defaults);
    const TrainingData data = config.load(at.seed, is_first(at));
    const DataInfo& info = data.train->info();
    const auto loss = config.loss ? find_loss(*config.loss) : default_loss(info);
    const int outputs = naming(info.origin, [&] { return number_of_outputs(*loss, info); });
    return network(*builtin_graph(name, outputs, config.options), data, config.batch_size, loss, metrics_of(config),
                   config.micro_batch);
  };
}

/// If the name is that of a text or a file of tokens, also as a fold, and its window is not given, adds a window.
std::string with_window(const std::string& data, double window) {
  const auto is_of = [&](const char* kind) {
    return data.starts_with(kind) ||
           (data.starts_with(data::kFoldPrefix) && data.find(':' + std::string(kind)) != std::string::npos);
  };
  if (!(is_of("text:") || is_of("tokens:")) || data.find(",window=") != std::string::npos) return data;
  constexpr double kLongest = 1 << 20;
  if (!(window >= 1 && window <= kLongest && window == std::floor(window)))
    invalid("option \"window\" must be an integer from 1 to 1048576");
  return data + ",window=" + std::to_string(static_cast<std::int64_t>(window));
}

/// Applies the window of a network to its data (with_window).
void add_window(Config& config, double window) {
  config.data = with_window(config.data, window);
  config.validate = with_window(config.validate, window);
}

std::unique_ptr<Model> create_gpt(const ReplicaContext& at) {
  Config config = parse(at.config, {"text:", 16});
  if (const auto window = config.options.find("window"); window != config.options.end())
    add_window(config, window->second);
  const TrainingData data = config.load(at.seed, is_first(at));
  const DataInfo& info = data.train->info();
  return network(builtin_gpt(info, config.options), data, config.batch_size,
                 config.loss ? find_loss(*config.loss) : default_loss(info), metrics_of(config), config.micro_batch);
}

std::unique_ptr<Model> create_described(const ReplicaContext& at) {
  auto json = parse_bounded(at.config);
  if (!json.is_object() || !json.contains("network")) invalid("no \"network\"");
  const NetworkText text = network_from_json("", read_name("network", json["network"]));
  json.erase("network");
  Config config = parse(json.dump(), {"fashion-mnist", 64});
  if (!config.options.empty())
    invalid("the file describes the network, so model options cannot be set: option '" +
            printable(config.options.begin()->first) + "' applies only to models that are selected by name");
  config.trained = text.data;
  if (text.data.labels_per_sample > 1) add_window(config, static_cast<double>(text.data.shape.front()));
  const TrainingData data = config.load(at.seed, is_first(at));
  const DataInfo& info = data.train->info();
  const std::string named = config.loss.value_or(config.new_head ? "" : text.loss);
  const auto loss = named.empty() ? default_loss(info) : find_loss(named);
  const int outputs = naming(info.origin, [&] { return number_of_outputs(*loss, info); });
  const std::int64_t known = outputs_of(text.layers);
  if (!config.new_head && known > 0 && known != outputs)
    throw Error(ErrorCode::model_mismatch,
                "the network has " + std::to_string(known) + " outputs, but the loss needs " + std::to_string(outputs) +
                    " for this data",
                {.object = info.origin});
  const auto layers = config.new_head ? with_outputs(text.layers, outputs) : text.layers;
  return network(graph_of("", layers), data, config.batch_size, loss, metrics_of(config), config.micro_batch);
}

std::unique_ptr<Model> create_tfbench(const ReplicaContext& at) {
  const Config config = parse_without_loss(at.config, {"mock-images", 64});
  if (config.data != "mock-images") {
    throw Error(ErrorCode::invalid_argument,
                "tfbench generates its own data; use mock-images instead of '" + config.data + "'");
  }
  return tfbench(config.batch_size);
}

bool register_all() {
  register_model("linear", create_linear);
  register_model("softmax", create_softmax);
  for (const char* const name : {"mlp", "cnn", "cnn-bn"})
    register_model(name, network_creator(name, {"fashion-mnist", 64}));
  register_model("gpt", create_gpt);
  for (const int depth : kResnetDepths) {
    const std::string name = resnet_name(depth);
    register_model(name, network_creator(name, {"mock-images", 32}));
  }
  register_model("tfbench", create_tfbench);
  register_model(kDescribedModel, create_described);
  return true;
}

}  // namespace

void register_builtin_models() { [[maybe_unused]] static const bool registered = register_all(); }

}  // namespace troupe::models
