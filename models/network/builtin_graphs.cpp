#include "models/network/builtin_graphs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"
#include "troupe/error.hpp"

namespace troupe::models {
namespace {

constexpr double kWidest = 1 << 20;
constexpr double kMostLayers = 1000;

/// Reads the options of a built-in network, and throws an error for unknown options.
class OptionReader {
 public:
  OptionReader(std::string model, const GraphOptions& options) : model_(std::move(model)), options_(options) {}

  std::int64_t whole(const std::string& name, std::int64_t unless_given, double most) {
    const double number = take(name, static_cast<double>(unless_given));
    if (number != std::floor(number) || !(number >= 1) || number > most)
      refuse(name, "an integer from 1 to " + std::to_string(static_cast<std::int64_t>(most)));
    return static_cast<std::int64_t>(number);
  }
  double probability(const std::string& name) {
    const double number = take(name, 0);
    if (!(number >= 0 && number < 1)) refuse(name, "a probability: at least 0 and less than 1");
    return number;
  }

  /// Throws Error invalid_argument if there is an option that was not read. Call refuse_others after all known options
  /// have been read.
  void refuse_others() const {
    for (const auto& [name, number] : options_) {
      if (std::ranges::find(known_, name) != known_.end()) continue;
      std::string list;
      for (const std::string& each : known_) list += (list.empty() ? "" : ", ") + each;
      throw_invalid("model '" + model_ + "' has no option '" + printable(name) + "'; its options are " + list +
                    did_you_mean(name, known_));
    }
  }

 private:
  double take(const std::string& name, double unless_given) {
    known_.push_back(name);
    const auto found = options_.find(name);
    return found == options_.end() ? unless_given : found->second;
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& wanted) const {
    throw_invalid("option '" + name + "' of model '" + model_ + "' must be " + wanted);
  }

  std::string model_;
  const GraphOptions& options_;
  std::vector<std::string> known_;
};

MlpOptions mlp_options(OptionReader& reader) {
  MlpOptions options;
  options.hidden = reader.whole("hidden", options.hidden, kWidest);
  options.layers = reader.whole("layers", options.layers, kMostLayers);
  options.dropout = reader.probability("dropout");
  return options;
}

CnnOptions cnn_options(OptionReader& reader) {
  CnnOptions options;
  options.channels = reader.whole("channels", options.channels, kWidest);
  options.hidden = reader.whole("hidden", options.hidden, kWidest);
  options.dropout = reader.probability("dropout");
  return options;
}

/// Returns the depth of the ResNet with this name. Returns 0 if `name` is not the name of a ResNet.
int resnet_depth(const std::string& name) {
  for (const int depth : kResnetDepths)
    if (name == resnet_name(depth)) return depth;
  return 0;
}

}  // namespace

std::string resnet_name(int depth) { return "resnet" + std::to_string(depth); }

std::optional<Graph> builtin_graph(const std::string& name, int num_outputs, const GraphOptions& options) {
  OptionReader reader(name, options);
  if (name == "mlp") {
    const MlpOptions mlp = mlp_options(reader);
    reader.refuse_others();
    return Graph(mlp_layers(num_outputs, mlp));
  }
  if (name == "cnn" || name == "cnn-bn") {
    const CnnOptions cnn = cnn_options(reader);
    reader.refuse_others();
    return Graph(name == "cnn" ? cnn_layers(num_outputs, cnn) : cnn_bn_layers(num_outputs, cnn));
  }
  if (const int depth = resnet_depth(name); depth > 0) {
    const std::int64_t width = reader.whole("width", kResnetWidth, kWidest);
    reader.refuse_others();
    return resnet(depth, num_outputs, width);
  }
  return {};
}

Graph builtin_gpt(const DataInfo& data, const GraphOptions& options) {
  if (data.vocabulary == 0)
    throw Error(ErrorCode::bad_data, "gpt needs data with tokens, such as text:FILE,predict=each",
                {.object = data.origin});
  OptionReader reader("gpt", options);
  GptOptions gpt_options{.vocabulary = data.vocabulary};
  gpt_options.layers = reader.whole("layers", gpt_options.layers, kMostLayers);
  gpt_options.heads = reader.whole("heads", gpt_options.heads, kWidest);
  gpt_options.width = reader.whole("width", gpt_options.width, kWidest);
  gpt_options.window = reader.whole("window", data.shape.front(), kWidest);
  gpt_options.dropout = reader.probability("dropout");
  reader.refuse_others();
  return gpt(gpt_options);
}

}  // namespace troupe::models
