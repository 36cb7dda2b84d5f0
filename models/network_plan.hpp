#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/models.hpp"

namespace troupe {

/// One sample between two layers: channels x height x width, or, when `flat`, so many features.
struct SampleShape {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  bool flat = false;

  std::int64_t size() const { return channels * height * width; }
  /// "32x14x14" or "128".
  std::string text() const;
};

/// A layer that computes, with the shapes it works on. ReLUs are folded into the layer before them, or into the
/// max-pooling after them: the maximum of ReLUs is the ReLU of the maximum.
struct PlannedLayer {
  models::Layer layer;
  SampleShape input;
  SampleShape output;
  bool relu = false;  ///< applies a ReLU to its output
  int weights = -1;   ///< tensor number of the weights; the biases follow
};

/// A tensor and the fan-in that its start values depend on.
struct PlannedTensor {
  TensorInfo info;
  std::int64_t fan_in = 1;
};

/// What a network computes, whatever the device.
struct NetworkPlan {
  SampleShape input;
  int num_classes = 0;
  std::vector<PlannedLayer> layers;
  std::vector<PlannedTensor> tensors;
};

/// @param sample_shape of the data: {features}, {height, width} or {channels, height, width}.
/// @throws Error invalid_argument naming the layer whose input does not fit.
NetworkPlan plan_network(std::span<const models::Layer> layers, std::span<const std::int64_t> sample_shape,
                         int num_classes);

}  // namespace troupe
