#include "models/network/network_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "models/network/layer_text.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {

namespace {

using models::Folding;
using models::Graph;
using models::LayerTensor;

SampleShape input_shape(std::span<const std::int64_t> shape) {
  switch (shape.size()) {
    case 1:
      return {.channels = shape[0], .flat = true};
    case 2:
      return {.channels = 1, .height = shape[0], .width = shape[1]};
    case 3:
      return {.channels = shape[0], .height = shape[1], .width = shape[2]};
    default:
      throw_invalid("a network needs samples with 1 to 3 dimensions, not " + std::to_string(shape.size()));
  }
}

std::string text_of(std::size_t number, const Graph::Entry& entry) {
  return models::layer_text(number, entry.name, *entry.layer);
}

/// How often the output of a layer is read: the number of layers that read the output, and the last of these layers. If
/// a view (such as flatten) reads the output, the layers that read the view are counted in its place.
struct Uses {
  int count = 0;
  int last = -1;
};

std::vector<Uses> count_uses(const std::vector<Graph::Entry>& layers) {
  std::vector<Uses> uses(layers.size());
  uses.back().count = 1;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const Graph::Entry& entry = layers[i];
    if (uses[i].count == 0) throw_invalid(text_of(i, entry) + " has an output that no layer reads");
    for (const Graph::Node node : entry.inputs) {
      if (node.number < 0) continue;
      Uses& of = uses[static_cast<std::size_t>(node.number)];
      of.count += entry.layer->folding().is_view ? uses[i].count : 1;
      of.last = static_cast<int>(i);
    }
  }
  return uses;
}

/// Makes a NetworkPlan from a graph. It plans the layers of the graph in the order in which they were appended.
class Planner {
 public:
  Planner(const Graph& graph, SampleShape input, std::optional<std::int64_t> num_outputs, std::int64_t positions)
      : layers_(graph.layers()),
        wanted_outputs_(num_outputs),
        wanted_positions_(positions),
        uses_(count_uses(layers_)) {
    plan_.input = input;
  }

  NetworkPlan plan() && {
    for (at_ = 0; at_ < layers_.size(); ++at_) values_.push_back(plan_layer(layers_[at_]));
    at_ = layers_.size() - 1;
    check_scores(values_.back());
    number_layers();
    return std::move(plan_);
  }

 private:
  /// The output of a layer of the graph, described by the planned layer that computes it.
  struct Value {
    int source = -1;  ///< index in `planned_` of the layer that computes the output; -1: the network's input
    SampleShape shape = {};
    bool relu_due = false;  ///< true if the layer that reads the output must still apply a ReLU
  };

  std::string who() const { return text_of(at_, layers_[at_]); }

  Value value(Graph::Node node) const {
    return node.number < 0 ? Value{.shape = plan_.input} : values_[static_cast<std::size_t>(node.number)];
  }

  /// Returns the shape in which a value is stored in memory: its shape before any flatten layer.
  SampleShape stored_shape(const Value& of) const {
    return of.source < 0 ? plan_.input : planned_[static_cast<std::size_t>(of.source)].output;
  }

  Value plan_layer(const Graph::Entry& entry) {
    const SampleShape output = output_shape(entry);
    const Folding folding = entry.layer->folding();
    if (folding.is_view) return {.source = value(entry.inputs[0]).source, .shape = output};
    if (folding.is_relu) return plan_relu(entry, output);
    if (folding.is_sum) return plan_sum(entry, output);
    return push(entry, folding.element_wise ? stored_shape(value(entry.inputs[0])) : output, output);
  }

  /// Calls `ask` and returns its result. If `ask` throws an Error, adds the name of the current layer to the message.
  template <class Ask>
  auto naming(const Ask& ask) const {
    try {
      return ask();
    } catch (const Error& error) {
      throw Error(error.code(), who() + ' ' + error.message(), error.where());
    }
  }

  SampleShape output_shape(const Graph::Entry& entry) const {
    std::vector<SampleShape> shapes;
    for (const Graph::Node node : entry.inputs) shapes.push_back(value(node).shape);
    const SampleShape output = naming([&] { return entry.layer->output(shapes); });
    const bool any = output.channels > 0 && output.height > 0 && output.width > 0;
    const bool single = (!output.flat || output.height * output.width == 1) && (!output.sequence || output.width == 1);
    if (!any || !single || (output.flat && output.sequence))
      throw_invalid(who() + " returns " + std::to_string(output.channels) + "x" + std::to_string(output.height) + "x" +
                    std::to_string(output.width) + (output.flat ? " flat features" : "") +
                    ", which is not a valid shape");
    return output;
  }

  /// Appends a planned layer for the current layer of the graph, and returns its output.
  /// @param stored the shape of the output in memory. It may be the shape of an image although the output is flat, if
  /// an element-wise layer reads a flattened image
  /// @param output the shape of the output for later layers
  Value push(const Graph::Entry& entry, const SampleShape& stored, const SampleShape& output) {
    const Value first = value(entry.inputs[0]);
    if (entry.layer->reads_tokens() && entry.inputs[0].number >= 0)
      throw_invalid(who() + " reads tokens, so its input must be the input of the network");
    PlannedLayer layer{.layer = entry.layer,
                       .name = entry.name,
                       .number = static_cast<int>(at_),
                       .inputs = {},
                       .input = stored_shape(first),
                       .output = stored,
                       .relu = first.relu_due,
                       .tensor_sizes = {}};
    for (const Graph::Node node : entry.inputs) layer.inputs.push_back(value(node).source + 1);
    if (entry.layer->has_tensors()) {
      layer.weights = static_cast<int>(plan_.tensors.size());
      owners_.emplace(entry.name, static_cast<int>(planned_.size()));
    }
    if (!entry.layer->tied_to().empty()) layer.shares = share(*entry.layer, first.shape);
    for (LayerTensor& tensor : naming([&] { return tensors_of(entry, first.shape); })) {
      layer.tensor_sizes.push_back(static_cast<std::int64_t>(tensor.info.size()));
      plan_.tensors.push_back(std::move(tensor));
    }
    order_.push_back(static_cast<int>(planned_.size()));
    planned_.push_back(std::move(layer));
    return {.source = order_.back(), .shape = output};
  }

  /// Returns the descriptions of the layer's tensors, with names of the form LAYER.TENSOR.
  std::vector<LayerTensor> tensors_of(const Graph::Entry& entry, const SampleShape& input) {
    std::vector<LayerTensor> tensors = entry.layer->tensors(input);
    if (entry.layer->has_tensors() == tensors.empty())
      throw_invalid(tensors.empty() ? "returns no tensors although has_tensors() is true"
                                    : "returns tensors although has_tensors() is false");
    for (LayerTensor& tensor : tensors) {
      tensor.info.name = entry.name + '.' + tensor.info.name;
      if (tensor.info.size() == 0) throw_invalid("has a tensor '" + tensor.info.name + "' of size 0");
      if (!names_.insert(tensor.info.name).second)
        throw_invalid("has a tensor '" + tensor.info.name + "'; an earlier layer has a tensor of that name");
    }
    return tensors;
  }

  /// Returns the index in `planned_` of the layer to which the current layer is tied.
  int share(const models::LayerSpec& layer, const SampleShape& input) {
    const auto found = owners_.find(layer.tied_to());
    if (found == owners_.end())
      throw_invalid(who() + " is tied to a layer '" + layer.tied_to() +
                    "', but no earlier layer with tensors has this name");
    PlannedLayer& owner = planned_[static_cast<std::size_t>(found->second)];
    if (!owner.layer->reads_tokens())
      throw_invalid(who() + " is tied to " + layer.tied_to() + ", which is no embedding");
    naming([&] { return layer.check_tied(plan_.tensors[static_cast<std::size_t>(owner.weights)].info, input); });
    if (owner.is_shared) throw_invalid(who() + " is tied to " + layer.tied_to() + ", to which another layer is tied");
    owner.is_shared = true;
    return found->second;
  }

  /// Returns the planned layer that computes the output `node`, if the current layer is the only layer that reads this
  /// output. Returns null if other layers read the output, too, or if `node` is the input of the network.
  PlannedLayer* sole_producer(Graph::Node node) {
    while (node.number >= 0 && folding_of(node.number).is_view)
      node = layers_[static_cast<std::size_t>(node.number)].inputs[0];
    if (node.number < 0 || uses_[static_cast<std::size_t>(node.number)].count != 1) return nullptr;
    const int source = value(node).source;
    return source < 0 ? nullptr : &planned_[static_cast<std::size_t>(source)];
  }

  Value plan_relu(const Graph::Entry& entry, const SampleShape& output) {
    const Value from = value(entry.inputs[0]);
    PlannedLayer* const before = sole_producer(entry.inputs[0]);
    const Folding folding = before == nullptr ? Folding() : before->layer->folding();
    if (can_come_later() && !folding.takes_relu_for_free)
      return {.source = from.source, .shape = output, .relu_due = true};
    if (!folding.takes_relu) return push(entry, stored_shape(from), output);
    before->relu = true;
    return {.source = from.source, .shape = output};
  }

  /// The current layer is a ReLU. Returns true if the layer after it can apply the ReLU to its own output instead,
  /// which usually has fewer values. This requires that no other layer reads the output of the ReLU.
  bool can_come_later() const {
    const Uses& uses = uses_[at_];
    if (uses.count != 1 || uses.last < 0) return false;
    const Folding folding = folding_of(uses.last);
    return folding.takes_relu && folding.commutes_with_relu;
  }

  Folding folding_of(int number) const { return layers_[static_cast<std::size_t>(number)].layer->folding(); }

  Value plan_sum(const Graph::Entry& entry, const SampleShape& output) {
    const Value first = value(entry.inputs[0]);
    const Value second = value(entry.inputs[1]);
    check_stored_alike(stored_shape(first), stored_shape(second));
    PlannedLayer* const host = adding_producer(entry);
    if (host == nullptr) return push(entry, stored_shape(first), output);
    const int number = static_cast<int>(host - planned_.data());
    host->inputs.push_back((number == first.source ? second : first).source + 1);
    std::erase(order_, number);
    order_.push_back(number);
    return {.source = number, .shape = output};
  }

  void check_stored_alike(const SampleShape& first, const SampleShape& second) const {
    if (first.channels == second.channels && first.height == second.height && first.width == second.width) return;
    throw_invalid(who() + " gets inputs that were flattened from " + first.text() + " and " + second.text() +
                  "; add the inputs first, then flatten");
  }

  /// Returns a planned layer that computes one input of the sum `entry` and can add the other input to it. If there are
  /// two such layers, returns the layer that was appended first. If there is none, returns null.
  PlannedLayer* adding_producer(const Graph::Entry& entry) {
    PlannedLayer* host = nullptr;
    for (const Graph::Node node : entry.inputs) {
      PlannedLayer* const layer = sole_producer(node);
      if (layer == nullptr || layer->relu || layer->inputs.size() != 1) continue;
      const Folding folding = layer->layer->folding();
      if (!folding.takes_addend && !(folding.takes_sequence_addend && layer->output.sequence)) continue;
      if (host == nullptr || layer < host) host = layer;
    }
    return host;
  }

  void check_scores(const Value& scores) {
    if (plan_.tensors.empty()) throw_invalid("a network needs a layer with weights");
    plan_.num_outputs = wanted_outputs_.value_or(scores.shape.channels);
    plan_.positions = scores.shape.sequence ? scores.shape.height : 1;
    const bool right_positions = wanted_positions_ == 0 || plan_.positions == wanted_positions_;
    if (!(scores.shape.flat || scores.shape.sequence) || !right_positions || scores.shape.channels != plan_.num_outputs)
      throw_invalid(who() + " has the output shape " + scores.shape.text() + ", but the loss needs " +
                    (wanted_positions_ > 1 ? std::to_string(wanted_positions_) + " positions x " : "") +
                    std::to_string(plan_.num_outputs) + " outputs for this data");
    const SampleShape stored = stored_shape(scores);
    if (stored.channels != plan_.num_outputs)
      throw_invalid(who() + " returns shape " + stored.text() +
                    ", but the loss expects one score per channel: end with linear(" +
                    std::to_string(plan_.num_outputs) + "), or with a convolution to " +
                    std::to_string(plan_.num_outputs) + " channels and global_average_pool()");
  }

  /// Replaces all indices of layers in `planned_` by the numbers that these layers and their outputs have in the
  /// finished plan.
  void number_layers() {
    std::vector<int> values(planned_.size() + 1, 0);
    for (std::size_t i = 0; i < order_.size(); ++i)
      values[static_cast<std::size_t>(order_[i]) + 1] = static_cast<int>(i) + 1;
    for (const int number : order_) {
      PlannedLayer& layer = planned_[static_cast<std::size_t>(number)];
      for (int& input : layer.inputs) input = values[static_cast<std::size_t>(input)];
      if (layer.shares >= 0) layer.shares = values[static_cast<std::size_t>(layer.shares) + 1] - 1;
      plan_.layers.push_back(std::move(layer));
    }
  }

  const std::vector<Graph::Entry>& layers_;
  std::optional<std::int64_t> wanted_outputs_;
  std::int64_t wanted_positions_;
  std::vector<Uses> uses_;
  std::size_t at_ = 0;
  std::vector<Value> values_;          ///< the output of each layer of the graph
  std::vector<PlannedLayer> planned_;  ///< the planned layers, in the order in which they were appended
  std::vector<int> order_;             ///< indices in `planned_`, in the order of computation
  std::set<std::string> names_;        ///< names of all tensors
  std::map<std::string, int> owners_;  ///< the index in `planned_` of each layer with tensors, by its name
  NetworkPlan plan_;
};

}  // namespace

NetworkPlan plan_network(const Graph& graph, std::span<const std::int64_t> sample_shape,
                         std::optional<std::int64_t> num_outputs, std::int64_t positions) {
  if (graph.layers().empty()) throw_invalid("a network needs at least one layer");
  if (num_outputs && *num_outputs < 1) throw_invalid("a network needs a loss with at least one output");
  return Planner(graph, input_shape(sample_shape), num_outputs, positions).plan();
}

void keep_tensors(NetworkPlan& plan, const std::function<bool(const std::string&)>& keeps) {
  for (PlannedLayer& layer : plan.layers) {
    if (layer.weights < 0) continue;
    const auto own =
        std::span(plan.tensors).subspan(static_cast<std::size_t>(layer.weights), layer.tensor_sizes.size());
    layer.keeps_tensors = std::ranges::all_of(own, [&](const auto& tensor) { return keeps(tensor.info.name); });
  }
  for (PlannedLayer& layer : plan.layers)
    if (layer.shares >= 0) layer.keeps_tensors = plan.layers[static_cast<std::size_t>(layer.shares)].keeps_tensors;
}

}  // namespace troupe
