#include <algorithm>
#include <utility>

#include "models/network/layer_text.hpp"
#include "runtime/invalid.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

namespace {

/// Checks that a layer with tensors has a name, and that no earlier layer with tensors has the same name. Layer names
/// become parts of tensor names, so they must be unique.
void check_name(const std::vector<Graph::Entry>& layers, const std::string& name, const std::string& who) {
  if (name.empty()) throw_invalid(who + " has tensors and therefore needs a name");
  const auto taken = [&](const Graph::Entry& entry) { return entry.layer->has_tensors() && entry.name == name; };
  if (std::ranges::any_of(layers, taken)) throw_invalid(who + " has the same name as an earlier layer");
}

}  // namespace

Graph::Graph(const std::vector<Layer>& layers) {
  Node last = input();
  for (const Layer& layer : layers) last = append(std::to_string(layers_.size()), layer, {last});
}

Graph::Node Graph::append(std::string name, const Layer& layer, std::vector<Node> inputs) {
  if (!layer) throw_invalid("layer " + std::to_string(layers_.size()) + " is a null pointer");
  const std::string who = layer_text(layers_.size(), name, *layer);
  const std::size_t wanted = layer->num_inputs();
  if (wanted < 1 || wanted > 2) throw_invalid(who + " takes " + std::to_string(wanted) + " inputs; layers take 1 or 2");
  if (inputs.size() != wanted) {
    throw_invalid(who + " takes " + std::to_string(wanted) + (wanted == 1 ? " input, not " : " inputs, not ") +
                  std::to_string(inputs.size()));
  }
  for (const Node node : inputs) {
    if (node.number < -1 || node.number >= std::ssize(layers_))
      throw_invalid(who + " takes node " + std::to_string(node.number) + ", which is not in this graph");
  }
  if (layer->has_tensors()) check_name(layers_, name, who);
  layers_.push_back({std::move(name), layer, std::move(inputs)});
  return {static_cast<int>(layers_.size()) - 1};
}

}  // namespace troupe::models
