#pragma once

#include <memory>

#include "models/cuda/context.hpp"
#include "models/cuda/layout.hpp"
#include "models/devices/buffer_schedule.hpp"
#include "models/devices/parameters.hpp"

namespace troupe::cuda {

/// What cuDNN and cuBLAS multiply results by, and what was there before.
inline constexpr float kOne = 1;
inline constexpr float kZero = 0;

/// A layer with its place in the device's memory; the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
  Layout input;
  Layout output;
  LayerParameters parameters = {};  ///< of layers that have any
  bool gradient_stops = false;      ///< nothing before it learns, so it need not pass a gradient on
};

/// What a layer reads and writes going forward, on the device. Weights and statistics are the layer's own part of the
/// flat vector.
struct ForwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* addend = nullptr;  ///< the second input of layers that have one
  void* output = nullptr;
  const float* weights = nullptr;
  const void* product_weights = nullptr;  ///< the same in the element that products are computed in
  const float* statistics = nullptr;      ///< running ones, of batch-norm
  float* statistics_sums = nullptr;       ///< see ParameterLayout::update_statistics; null: go by the running ones
};

/// What it reads and writes going backward.
struct BackwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* output = nullptr;
  void* output_gradient = nullptr;        ///< may be overwritten; see StageTraits
  const void* second_gradient = nullptr;  ///< to be added to it, where the layer takes two
  void* input_gradient = nullptr;         ///< null when nothing before it learns
  const float* weights = nullptr;
  const void* product_weights = nullptr;
  float* gradient = nullptr;  ///< of the weights
};

/// A layer for one batch size. Its passes only queue work on the context's compute stream.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual StageTraits traits() const = 0;
  /// Makes what only `backward` needs; called once, before it.
  virtual void prepare_backward() {}
  virtual void forward(const ForwardOperands& at) = 0;
  /// Writes the gradient of the layer's weights and that of its input. That of a second input is what it leaves in
  /// `output_gradient`.
  virtual void backward(const BackwardOperands& at) = 0;
};

/// How CUDA devices compute a kind of layer; in cuda/layers, a file for each.
class LayerKernels {
 public:
  LayerKernels() = default;
  LayerKernels(const LayerKernels&) = delete;
  LayerKernels& operator=(const LayerKernels&) = delete;
  virtual ~LayerKernels() = default;

  /// Says which parameters the layer has and how they lie.
  virtual void place(PlacedLayer& /*layer*/) const {}
  /// @param layer outlives what is made
  virtual std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const = 0;
};

/// @throws Error unsupported for a kind of layer that they cannot compute, saying why.
std::unique_ptr<LayerKernels> kernels_of(const PlannedLayer& layer);

/// What a layer is, where its kind is known.
template <class Spec>
const Spec& spec_of(const PlacedLayer& layer) {
  return static_cast<const Spec&>(*layer.planned.layer);
}

}  // namespace troupe::cuda
