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

/// A layer of a planned network, with its shapes. Not every layer of a graph becomes a planned layer, because
/// neighbouring layers do the work of some layers:
///
/// - A flatten layer needs no computation.
/// - A ReLU is applied by the layer before it, or by the max-pooling after it (the maximum of ReLUs is the ReLU of the
///   maximum).
/// - A batch-norm can compute the addition that comes after it.
///
/// If a ReLU or an addition has no such neighbour, it becomes a planned layer.
struct PlannedLayer {
  models::Layer layer;
  std::string name;
  int number = 0;  ///< number of the layer in the graph
  /// The numbers of the values that the layer reads. Value 0 is the network's input, and value i + 1 is the output of
  /// planned layer i. The second input of `batch_norm` or `add` is added to the output, before the ReLU.
  std::vector<int> inputs;
  SampleShape input;  ///< shape of the first input in memory, before any flatten layer
  SampleShape output;
  bool relu = false;                       ///< the layer applies a ReLU to its output
  int shares = -1;                         ///< index in NetworkPlan::layers of an earlier layer whose first tensor
                                           ///< is also the weight of this layer (LayerSpec::tied_to); -1: none
  bool is_shared = false;                  ///< a later layer shares the first tensor of this layer
  int weights = -1;                        ///< index in NetworkPlan::tensors of the first tensor; -1: no tensors
  std::vector<std::int64_t> tensor_sizes;  ///< the number of floats of each tensor of the layer
  bool keeps_tensors = false;  ///< true if all tensors are frozen: the layer computes no gradient for them, and
                               ///< batch-norm uses its running statistics
};

/// Describes the computation of a network, independent of the device.
struct NetworkPlan {
  SampleShape input;
  std::int64_t num_outputs = 0;      ///< of each sample or, if the output is a sequence, of each position
  std::int64_t positions = 1;        ///< number of positions of the output; 1 if it is flat
  std::vector<PlannedLayer> layers;  ///< in an order in which they can be computed; the last one computes the scores
  std::vector<models::LayerTensor> tensors;  ///< in canonical order, with names of the form LAYER.TENSOR
};

/// Returns the plan of a network.
/// @param sample_shape the shape of the data: {features}, {height, width} or {channels, height, width}
/// @param num_outputs the number of outputs of each sample or position that the loss needs; empty: any number
/// @param positions the number of positions that the loss needs (DataInfo::labels_per_sample). 1: flat outputs, or a
/// sequence of one position; 0: any number
/// @throws Error invalid_argument if a layer does not accept its input, or the outputs do not fit the loss; the message
/// names the layer.
NetworkPlan plan_network(const models::Graph& graph, std::span<const std::int64_t> sample_shape,
                         std::optional<std::int64_t> num_outputs, std::int64_t positions = 0);

/// Marks frozen layers: sets `keeps_tensors` of each layer for which `keeps` returns true for the names of all its
/// tensors. Layers without tensors are not changed.
void keep_tensors(NetworkPlan& plan, const std::function<bool(const std::string&)>& keeps);

}  // namespace troupe
