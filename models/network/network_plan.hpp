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

/// A layer of a planned network, with its shapes. Some layers of a graph are not planned layers of their own, because a
/// neighbour does their work:
///
/// - A flatten layer needs no computation.
/// - A ReLU is applied by the layer before it, or by the max-pooling after it (the maximum of ReLUs is the ReLU of the
///   maximum).
/// - An addition is done by the batch-norm before it.
///
/// A ReLU or an addition without such a neighbour stays a planned layer.
struct PlannedLayer {
  models::Layer layer;
  std::string name;
  int number = 0;  ///< number of the layer in the graph
  /// The numbers of the values that the layer reads: 0 is the network's input, i + 1 is the output of planned layer i.
  /// A second input is added to the output, before the ReLU (`batch_norm`, `add`).
  std::vector<int> inputs;
  SampleShape input;  ///< shape of the first input in memory, before any flatten layer
  SampleShape output;
  bool relu = false;                       ///< the layer applies a ReLU to its output
  int weights = -1;                        ///< index in NetworkPlan::tensors of the first tensor; -1: no tensors
  std::vector<std::int64_t> tensor_sizes;  ///< the number of floats of each tensor of the layer
  bool keeps_tensors = false;  ///< its tensors are frozen: no gradient is computed, and batch-norm uses its running
                               ///< statistics
};

/// The device-independent description of a network's computation.
struct NetworkPlan {
  SampleShape input;
  std::int64_t num_outputs = 0;
  std::vector<PlannedLayer> layers;  ///< each layer after the layers that it reads; the last one computes the scores
  std::vector<models::LayerTensor> tensors;  ///< in canonical order, with names of the form LAYER.TENSOR
};

/// Plans a network.
/// @param sample_shape the shape of the data: {features}, {height, width} or {channels, height, width}
/// @param num_outputs the number of outputs that the loss needs; empty: any number
/// @throws Error invalid_argument if a layer does not accept its input, or the outputs do not fit the loss; the message
/// names the layer.
NetworkPlan plan_network(const models::Graph& graph, std::span<const std::int64_t> sample_shape,
                         std::optional<std::int64_t> num_outputs);

/// Sets `keeps_tensors` of each layer with tensors if `keeps` returns true for the names of all tensors of the layer.
void keep_tensors(NetworkPlan& plan, const std::function<bool(const std::string&)>& keeps);

}  // namespace troupe
