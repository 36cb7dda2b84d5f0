#include "models/network/network_plan.hpp"

#include <algorithm>
#include <utility>

#include "models/layers/layer_shape.hpp"
#include "models/layers/layers.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {

namespace {

using models::Graph;
using models::Layer;
using Kind = models::Layer::Kind;

SampleShape input_shape(std::span<const std::int64_t> shape) {
  switch (shape.size()) {
    case 1:
      return {.channels = shape[0], .flat = true};
    case 2:
      return {.channels = 1, .height = shape[0], .width = shape[1]};
    case 3:
      return {.channels = shape[0], .height = shape[1], .width = shape[2]};
    default:
      throw_invalid("a network takes samples of 1 to 3 dimensions, not " + std::to_string(shape.size()));
  }
}

/// Windows that neither overlap nor reach over the edge.
bool is_plain_pool(const Layer& layer) {
  return layer.kind == Kind::max_pool && layer.stride == layer.kernel && layer.padding == 0;
}

bool takes_relu(const Layer& layer) {
  return layer.kind == Kind::convolution || layer.kind == Kind::batch_norm || layer.kind == Kind::linear ||
         layer.kind == Kind::add || is_plain_pool(layer);
}

/// Who takes the output of a layer. Flattening counts as those who take what it gives.
struct Uses {
  int count = 0;
  int last = -1;
};

std::vector<Uses> count_uses(const std::vector<Graph::Entry>& layers) {
  std::vector<Uses> uses(layers.size());
  uses.back().count = 1;
  for (std::size_t i = layers.size(); i-- > 0;) {
    const Graph::Entry& entry = layers[i];
    if (uses[i].count == 0)
      throw_invalid(models::layer_text(i, entry.name, entry.layer) + " has an output that nothing takes");
    for (const Graph::Node node : entry.inputs) {
      if (node.number < 0) continue;
      Uses& of = uses[static_cast<std::size_t>(node.number)];
      of.count += entry.layer.kind == Kind::flatten ? uses[i].count : 1;
      of.last = static_cast<int>(i);
    }
  }
  return uses;
}

/// Plans the layers in the order in which they were appended.
class Planner {
 public:
  Planner(const Graph& graph, SampleShape input, std::int64_t num_outputs)
      : layers_(graph.layers()), uses_(count_uses(layers_)) {
    plan_.input = input;
    plan_.num_outputs = num_outputs;
  }

  NetworkPlan plan() && {
    for (at_ = 0; at_ < layers_.size(); ++at_) values_.push_back(plan_layer(layers_[at_]));
    at_ = layers_.size() - 1;
    check_scores(values_.back());
    number_layers();
    return std::move(plan_);
  }

 private:
  /// What the output of a layer of the graph has become.
  struct Value {
    int source = -1;  ///< the planned layer that makes it, by its number in `planned_`; -1: the network's input
    SampleShape shape = {};
    bool relu_due = false;  ///< the pooling that takes it applies the ReLU
  };

  std::string who() const { return models::layer_text(at_, layers_[at_].name, layers_[at_].layer); }

  Value value(Graph::Node node) const {
    return node.number < 0 ? Value{.shape = plan_.input} : values_[static_cast<std::size_t>(node.number)];
  }

  /// As it was before any flattening.
  SampleShape stored_shape(const Value& of) const {
    return of.source < 0 ? plan_.input : planned_[static_cast<std::size_t>(of.source)].output;
  }

  Value plan_layer(const Graph::Entry& entry) {
    std::vector<SampleShape> shapes;
    for (const Graph::Node node : entry.inputs) shapes.push_back(value(node).shape);
    const SampleShape output = output_shape(who(), entry.layer, shapes);
    switch (entry.layer.kind) {
      case Kind::flatten:
        return {.source = value(entry.inputs[0]).source, .shape = output};
      case Kind::relu:
        return plan_relu(entry, output);
      case Kind::add:
        return plan_add(entry, output);
      default:
        return push(entry, output, output);
    }
  }

  /// @param stored what is computed, which for an element-wise layer may be an image that counts as flat.
  Value push(const Graph::Entry& entry, const SampleShape& stored, const SampleShape& output) {
    const Value first = value(entry.inputs[0]);
    PlannedLayer layer{.layer = entry.layer,
                       .name = entry.name,
                       .inputs = {},
                       .input = stored_shape(first),
                       .output = stored,
                       .relu = first.relu_due};
    for (const Graph::Node node : entry.inputs) layer.inputs.push_back(value(node).source + 1);
    std::vector<PlannedTensor> tensors = layer_tensors(entry.name, entry.layer, first.shape);
    if (!tensors.empty()) layer.weights = static_cast<int>(plan_.tensors.size());
    std::ranges::move(tensors, std::back_inserter(plan_.tensors));
    order_.push_back(static_cast<int>(planned_.size()));
    planned_.push_back(std::move(layer));
    return {.source = order_.back(), .shape = output};
  }

  /// The planned layer that makes this output, when nothing but the layer at hand takes it.
  PlannedLayer* sole_producer(Graph::Node node) {
    while (node.number >= 0 && layers_[static_cast<std::size_t>(node.number)].layer.kind == Kind::flatten)
      node = layers_[static_cast<std::size_t>(node.number)].inputs[0];
    if (node.number < 0 || uses_[static_cast<std::size_t>(node.number)].count != 1) return nullptr;
    const int source = value(node).source;
    return source < 0 ? nullptr : &planned_[static_cast<std::size_t>(source)];
  }

  Value plan_relu(const Graph::Entry& entry, const SampleShape& output) {
    const Value from = value(entry.inputs[0]);
    PlannedLayer* const before = sole_producer(entry.inputs[0]);
    const bool foldable = before != nullptr && takes_relu(before->layer);
    const bool element_wise = foldable && (before->layer.kind == Kind::batch_norm || before->layer.kind == Kind::add);
    if (plain_pool_follows() && !element_wise) return {.source = from.source, .shape = output, .relu_due = true};
    if (!foldable) return push(entry, stored_shape(from), output);
    before->relu = true;
    return {.source = from.source, .shape = output};
  }

  bool plain_pool_follows() const {
    const Uses& uses = uses_[at_];
    return uses.count == 1 && uses.last >= 0 && is_plain_pool(layers_[static_cast<std::size_t>(uses.last)].layer);
  }

  Value plan_add(const Graph::Entry& entry, const SampleShape& output) {
    const Value first = value(entry.inputs[0]);
    const Value second = value(entry.inputs[1]);
    check_stored_alike(stored_shape(first), stored_shape(second));
    PlannedLayer* const host = adding_batch_norm(entry);
    if (host == nullptr) return push(entry, stored_shape(first), output);
    const int number = static_cast<int>(host - planned_.data());
    host->inputs.push_back((number == first.source ? second : first).source + 1);
    std::erase(order_, number);
    order_.push_back(number);
    return {.source = number, .shape = output};
  }

  void check_stored_alike(const SampleShape& first, const SampleShape& second) const {
    if (first.channels == second.channels && first.height == second.height && first.width == second.width) return;
    throw_invalid(who() + " gets inputs flattened from " + first.text() + " and " + second.text() +
                  "; flatten after adding");
  }

  /// A batch-norm that makes one of the inputs and can add the other; of two the one appended first.
  PlannedLayer* adding_batch_norm(const Graph::Entry& entry) {
    PlannedLayer* host = nullptr;
    for (const Graph::Node node : entry.inputs) {
      PlannedLayer* const layer = sole_producer(node);
      if (layer == nullptr || layer->layer.kind != Kind::batch_norm || layer->relu || layer->inputs.size() != 1)
        continue;
      if (host == nullptr || layer < host) host = layer;
    }
    return host;
  }

  void check_scores(const Value& scores) const {
    if (plan_.tensors.empty()) throw_invalid("a network needs a layer with weights");
    if (!scores.shape.flat || scores.shape.channels != plan_.num_outputs)
      throw_invalid(who() + " gives " + scores.shape.text() + " outputs, but the loss takes " +
                    std::to_string(plan_.num_outputs) + " of this data");
    const SampleShape stored = stored_shape(scores);
    if (stored.channels != plan_.num_outputs)
      throw_invalid(who() + " gives scores that are the pixels of " + stored.text() + "; they have to be channels");
  }

  /// From numbers in `planned_` to those in the plan.
  void number_layers() {
    std::vector<int> values(planned_.size() + 1, 0);
    for (std::size_t i = 0; i < order_.size(); ++i)
      values[static_cast<std::size_t>(order_[i]) + 1] = static_cast<int>(i) + 1;
    for (const int number : order_) {
      PlannedLayer& layer = planned_[static_cast<std::size_t>(number)];
      for (int& input : layer.inputs) input = values[static_cast<std::size_t>(input)];
      plan_.layers.push_back(std::move(layer));
    }
  }

  const std::vector<Graph::Entry>& layers_;
  std::vector<Uses> uses_;
  std::size_t at_ = 0;
  std::vector<Value> values_;          ///< of `layers_`
  std::vector<PlannedLayer> planned_;  ///< as appended
  std::vector<int> order_;             ///< in which they are computed
  NetworkPlan plan_;
};

}  // namespace

std::string SampleShape::text() const {
  if (flat) return std::to_string(channels);
  return std::to_string(channels) + "x" + std::to_string(height) + "x" + std::to_string(width);
}

NetworkPlan plan_network(const Graph& graph, std::span<const std::int64_t> sample_shape, std::int64_t num_outputs) {
  if (graph.layers().empty()) throw_invalid("a network needs at least one layer");
  if (num_outputs < 1) throw_invalid("a network needs a loss that takes outputs of it");
  return Planner(graph, input_shape(sample_shape), num_outputs).plan();
}

}  // namespace troupe
