#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/models.hpp"

namespace troupe {

/// The batch that a network works on.
struct BatchContext {
  int shard = 0;
  std::int64_t step = 0;   ///< steps committed so far
  std::uint64_t seed = 0;  ///< of the run; draw random numbers from (seed, shard, step) only
  bool training = false;   ///< rather than evaluating
};

/// One sample between two layers: channels x height x width, or, when `flat`, so many features.
struct SampleShape {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  bool flat = false;

  std::int64_t size() const { return channels * height * width; }
  bool operator==(const SampleShape&) const = default;
  /// "32x14x14" or "128".
  std::string text() const;
};

/// A layer that computes, with the shapes it works on. Folded away are flattening, ReLUs (into the layer before them,
/// or into the max-pooling after them: the maximum of ReLUs is the ReLU of the maximum) and additions (into the
/// batch-norm before them).
struct PlannedLayer {
  models::Layer layer;
  std::string name;
  /// Values: 0 is the network's input, i + 1 the output of layer i. A second input is added to the output, before
  /// the ReLU (`batch_norm`, `add`).
  std::vector<int> inputs;
  SampleShape input;  ///< of the first input, as it was before any flattening
  SampleShape output;
  bool relu = false;  ///< applies a ReLU to its output
  int weights = -1;   ///< number of its first tensor: weight, bias (where it has one), running mean, running variance
};

/// A tensor and the values it starts with.
struct PlannedTensor {
  enum class Start : std::uint8_t {
    constant,  ///< all are `scale`
    uniform,   ///< in [-scale, scale)
    normal,    ///< of deviation `scale`
  };
  TensorInfo info;
  Start start = Start::constant;
  double scale = 0;
};

/// What a network computes, whatever the device.
struct NetworkPlan {
  SampleShape input;
  std::int64_t num_outputs = 0;
  std::vector<PlannedLayer>
      layers;  ///< each after those whose outputs it takes; the last one gives what the loss takes
  std::vector<PlannedTensor> tensors;  ///< in canonical order
};

/// @param sample_shape of the data: {features}, {height, width} or {channels, height, width}.
/// @param num_outputs that the loss takes of the last layer.
/// @throws Error invalid_argument naming the layer whose input does not fit.
NetworkPlan plan_network(const models::Graph& graph, std::span<const std::int64_t> sample_shape,
                         std::int64_t num_outputs);

}  // namespace troupe
