#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/layer.hpp"
#include "troupe/models.hpp"

namespace troupe {

/// A layer that computes, with the shapes it works on. Folded away are flattening, ReLUs (into the layer before them,
/// or into the max-pooling after them: the maximum of ReLUs is the ReLU of the maximum) and additions (into the
/// batch-norm before them).
struct PlannedLayer {
  models::Layer layer;
  std::string name;
  int number = 0;  ///< in the graph
  /// Values: 0 is the network's input, i + 1 the output of layer i. A second input is added to the output, before
  /// the ReLU (`batch_norm`, `add`).
  std::vector<int> inputs;
  SampleShape input;  ///< of the first input, as it was before any flattening
  SampleShape output;
  bool relu = false;                       ///< applies a ReLU to its output
  int weights = -1;                        ///< number of its first tensor; -1: it has none
  std::vector<std::int64_t> tensor_sizes;  ///< floats of each of its tensors
  bool keeps_tensors = false;  ///< as they are: their gradient is not computed, and batch-norm goes by its statistics
};

/// What a network computes, whatever the device.
struct NetworkPlan {
  SampleShape input;
  std::int64_t num_outputs = 0;
  std::vector<PlannedLayer> layers;  ///< each after those whose outputs it takes; the last gives what the loss takes
  std::vector<models::LayerTensor> tensors;  ///< in canonical order, named LAYER.TENSOR
};

/// @param sample_shape of the data: {features}, {height, width} or {channels, height, width}.
/// @param num_outputs that the loss takes of the last layer; nothing: as many as it gives.
/// @throws Error invalid_argument naming the layer whose input does not fit.
NetworkPlan plan_network(const models::Graph& graph, std::span<const std::int64_t> sample_shape,
                         std::optional<std::int64_t> num_outputs);

/// Lets layers keep their tensors where `keeps` says so of all of these, by name.
void keep_tensors(NetworkPlan& plan, const std::function<bool(const std::string&)>& keeps);

}  // namespace troupe
