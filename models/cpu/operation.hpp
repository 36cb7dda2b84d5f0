#pragma once

#include <cstdint>
#include <memory>

#include "models/cpu/onednn.hpp"
#include "models/cpu/parameters.hpp"
#include "models/network_plan.hpp"

namespace troupe::cpu {

/// A layer with its place in memory; the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
  Layout input;
  Layout output;
  LayerParameters parameters;   ///< of layers that have weights
  bool gradient_stops = false;  ///< nothing before it learns, so it need not pass a gradient on
};

/// A layer for one batch size. `weights` and `gradient` are the layer's own part of the flat vector.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual void forward(const float* input, const float* weights, float* output) = 0;
  /// Writes the gradient of the layer's weights, and to `input_gradient` (null when the layer is the first that
  /// learns) that of its input. `output_gradient` may be overwritten.
  virtual void backward(const float* input, const float* output, const float* weights, float* output_gradient,
                        float* input_gradient, float* gradient) = 0;
};

/// Choose output layout and weight layout for the layer's input layout and batches of about this size.
void place_convolution(Context& context, PlacedLayer& layer, std::int64_t batch);
/// @param input_shape of the image that was flattened, in canonical order.
void place_linear(Context& context, PlacedLayer& layer, std::int64_t batch, const SampleShape& input_shape);

std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_linear(Context& context, const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_max_pool(const PlacedLayer& layer, std::int64_t batch);
/// A convolution without ReLU and the max-pooling behind it, slice by slice, so that what lies between them never
/// leaves the cache.
std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch);
std::unique_ptr<Operation> make_relu(const PlacedLayer& layer, std::int64_t batch);

/// Zeroes the gradients of outputs that a ReLU cut off.
void relu_backward(const float* output, float* gradient, std::int64_t count);

}  // namespace troupe::cpu
