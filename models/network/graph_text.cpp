#include "models/network/graph_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <typeinfo>
#include <utility>

#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe::models {
namespace {

/// The numbers in a layer's description, by name, and the layer to which it is tied. The function that creates the
/// layer takes each number out of this object once.
class Numbers {
 public:
  explicit Numbers(const LayerText& layer) : left_(layer.numbers), tied_(layer.tied) {}

  double take(const std::string& name) {
    const auto found = left_.extract(name);
    if (found.empty()) {
      good_ = false;
      return 0;
    }
    return found.mapped();
  }
  /// Takes out the number with this name. Returns `otherwise` if there is none.
  double take_or(const std::string& name, double otherwise) {
    const auto found = left_.extract(name);
    return found.empty() ? otherwise : found.mapped();
  }
  /// Takes out the number with this name, which must be an integer.
  std::int64_t count(const std::string& name) {
    const double number = take(name);
    good_ = good_ && number == std::floor(number);
    return static_cast<std::int64_t>(number);
  }
  /// Takes out LayerText::tied.
  std::string tied() { return std::exchange(tied_, {}); }
  /// Returns true if the numbers fit the layer: every number that was taken existed, and all numbers were taken.
  bool fit() const { return good_ && left_.empty() && tied_.empty(); }

 private:
  std::map<std::string, double> left_;
  std::string tied_;
  bool good_ = true;
};

Layer make_convolution(Numbers& numbers) {
  return conv2d(numbers.count("outputs"), {.kernel = numbers.count("kernel"),
                                           .stride = numbers.count("stride"),
                                           .padding = numbers.count("padding"),
                                           .bias = numbers.count("bias") != 0});
}

/// Creates a pooling layer from the numbers of its window. kMake is the function that makes layers of this kind.
template <Layer (*kMake)(const PoolingOptions& options)>
Layer make_pool(Numbers& numbers) {
  return kMake(
      {.kernel = numbers.count("kernel"), .stride = numbers.count("stride"), .padding = numbers.count("padding")});
}

Layer make_linear(Numbers& numbers) {
  const std::int64_t outputs = numbers.count("outputs");
  return linear(
      outputs,
      {.bias = numbers.take_or("bias", 1) != 0, .tied = numbers.tied(), .deviation = numbers.take_or("deviation", 0)});
}

Layer make_attention(Numbers& numbers) {
  return attention({.heads = numbers.count("heads"),
                    .causal = numbers.count("causal") != 0,
                    .dropout = numbers.take_or("dropout", 0)});
}

Layer make_embedding(Numbers& numbers) {
  const std::int64_t vocabulary = numbers.count("vocabulary");
  const std::int64_t channels = numbers.count("channels");
  return embedding(vocabulary, channels, numbers.take("deviation"));
}

Layer make_positions(Numbers& numbers) {
  const std::int64_t count = numbers.count("count");
  return positions(count, numbers.take("deviation"));
}

Layer make_gelu(Numbers& numbers) { return gelu(numbers.take_or("tanh", 0) != 0 ? GeluForm::tanh : GeluForm::erf); }

/// Creates a layer that has no numbers. kMake is the function that makes layers of this kind.
template <Layer (*kMake)()>
Layer make_plain(Numbers& /*numbers*/) {
  return kMake();
}

struct Kind {
  const char* name;
  Layer (*make)(Numbers& numbers);
};

/// The names of all kinds of layers in include/troupe/layers/, and the functions that create such layers from their
/// numbers.
constexpr std::array kKinds{
    Kind{"GELU", make_gelu},
    Kind{"RMS norm", make_plain<rms_norm>},
    Kind{"ReLU", make_plain<relu>},
    Kind{"SwiGLU", make_plain<swiglu>},
    Kind{"add", make_plain<add>},
    Kind{"attention", make_attention},
    Kind{"average pooling", make_pool<avg_pool2d>},
    Kind{"batch-norm", make_plain<batch_norm>},
    Kind{"convolution", make_convolution},
    Kind{"dropout", [](Numbers& numbers) { return dropout(numbers.take("probability")); }},
    Kind{"embedding", make_embedding},
    Kind{"flatten", make_plain<flatten>},
    Kind{"global average pooling", make_plain<global_average_pool>},
    Kind{"layer norm", [](Numbers& numbers) { return layer_norm(numbers.take_or("bias", 1) != 0); }},
    Kind{"linear", make_linear},
    Kind{"max-pooling", make_pool<max_pool2d>},
    Kind{"positions", make_positions},
    Kind{"sigmoid", make_plain<models::sigmoid>},
    Kind{"tanh", make_plain<models::tanh>},
};

/// Creates the layer that `text` describes. Returns null if the kind of the layer is unknown or its numbers do not fit
/// the kind.
Layer make_layer(const LayerText& text) {
  const auto* const kind = std::ranges::find_if(kKinds, [&](const Kind& each) { return each.name == text.kind; });
  if (kind == kKinds.end()) return nullptr;
  Numbers numbers(text);
  Layer layer = kind->make(numbers);
  return numbers.fit() ? layer : nullptr;
}

/// Returns the description of a layer. Returns nothing if a layer made from this description would not be of the same
/// class. This is the case for a custom layer, even if its `kind()` is that of a layer of Troupe.
std::optional<LayerText> text_of(const Graph::Entry& entry) {
  LayerText text{.name = entry.name,
                 .kind = entry.layer->kind(),
                 .inputs = {},
                 .numbers = entry.layer->numbers(),
                 .tied = entry.layer->tied_to()};
  for (const Graph::Node node : entry.inputs) text.inputs.push_back(node.number);
  const Layer again = make_layer(text);
  if (!again) return {};
  const LayerSpec& made = *again;
  const LayerSpec& given = *entry.layer;
  if (typeid(made) != typeid(given)) return {};
  return text;
}

}  // namespace

std::vector<LayerText> text_of(const Graph& graph) {
  std::vector<LayerText> texts;
  for (const Graph::Entry& entry : graph.layers()) {
    const auto text = text_of(entry);
    if (!text) return {};
    texts.push_back(*text);
  }
  return texts;
}

std::int64_t outputs_of(const std::vector<LayerText>& layers) {
  const auto head = head_of(layers);
  return head ? static_cast<std::int64_t>(layers[*head].numbers.at("outputs")) : 0;
}

std::vector<LayerText> with_outputs(std::vector<LayerText> layers, int num_outputs) {
  check_has_own_head(layers);
  const auto head = head_of(layers);
  if (!head) throw Error(ErrorCode::unsupported, "the network has no layer whose number of outputs can be changed");
  layers[*head].numbers["outputs"] = num_outputs;
  return layers;
}

Graph graph_of(const std::string& path, const std::vector<LayerText>& layers) {
  Graph graph;
  for (const LayerText& text : layers) {
    const Layer layer = make_layer(text);
    if (!layer)
      throw_bad_file(path, "the network has a layer '" + text.name + "' of kind '" + text.kind +
                               "' that this version of Troupe does not know");
    std::vector<Graph::Node> inputs;
    for (const int input : text.inputs) inputs.push_back({input});
    try {
      graph.append(text.name, layer, std::move(inputs));
    } catch (const Error& error) {
      throw_bad_file(path, "the description of the network is invalid: " + error.message());
    }
  }
  return graph;
}

}  // namespace troupe::models
