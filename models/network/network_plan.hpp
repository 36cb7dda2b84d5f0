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

/// A layer that computes something, with the shapes that it works on. Other layers are folded away. Flattening
/// disappears. A ReLU goes into the layer before it, or into the max-pooling after it, because the maximum of ReLUs is
/// the ReLU of the maximum. An addition goes into the batch-norm before it.
struct PlannedLayer {
  models::Layer layer;
  std::string name;
  int number = 0;  ///< its number in the graph
  /// The values that it reads: 0 is the network's input, i + 1 the output of layer i. A second input is added to the
  /// output, before the ReLU (`batch_norm`, `add`).
  std::vector<int> inputs;
  SampleShape input;  ///< shape of the first input before any flattening
  SampleShape output;
  bool relu = false;                       ///< applies a ReLU to its output
  int weights = -1;                        ///< number of its first tensor; -1: it has no tensors
  std::vector<std::int64_t> tensor_sizes;  ///< the number of floats of each of its tensors
  bool keeps_tensors = false;  ///< its tensors are frozen: no gradient is computed, and batch-norm uses its running
                               ///< statistics
};

/// The device-independent description of a network's computation.
struct NetworkPlan {
  SampleShape input;
  std::int64_t num_outputs = 0;
  std::vector<PlannedLayer> layers;  ///< each after the layers that it reads from; the last returns the scores for the
                                     ///< loss
  std::vector<models::LayerTensor> tensors;  ///< in canonical order, with names of the form LAYER.TENSOR
};

/// Plans a network.
/// @param sample_shape the shape of the data: {features}, {height, width} or {channels, height, width}
/// @param num_outputs the number of outputs that the loss needs; nothing: the number that the last layer has
/// @throws Error invalid_argument that names the layer that does not accept its input.
NetworkPlan plan_network(const models::Graph& graph, std::span<const std::int64_t> sample_shape,
                         std::optional<std::int64_t> num_outputs);

/// Marks every layer as keeping its tensors for which `keeps` returns true for the names of all its tensors.
void keep_tensors(NetworkPlan& plan, const std::function<bool(const std::string&)>& keeps);

}  // namespace troupe
