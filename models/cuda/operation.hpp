#pragma once

#include <cstdint>
#include <memory>

#include "models/cuda/context.hpp"
#include "models/devices/element.hpp"
#include "models/devices/operation.hpp"
#include "models/devices/parameters.hpp"
#include "troupe/layer.hpp"

namespace troupe::cuda {

/// Returns `bytes` rounded up to a multiple of the alignment of arrays in a workspace.
inline std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAligned = 256;
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

/// The layout of a sample on the device: [height][width][channels], without padding. Flat features are always floats.
struct Layout {
  SampleShape shape;
  Element element = Element::f32;

  std::int64_t pixels() const { return shape.height * shape.width; }
  std::int64_t size() const { return shape.size(); }
  std::size_t values(std::int64_t samples) const { return static_cast<std::size_t>(samples * size()); }
  std::size_t bytes(std::int64_t samples) const { return values(samples) * size_of(element); }
};

/// Factors for functions of cuDNN and cuBLAS. These functions take two factors: one for the result, and one for the
/// previous content of the output, which is added to the result.
inline constexpr float kOne = 1;
inline constexpr float kZero = 0;

/// A layer of a planned network with the layouts of its values on the device, which are the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
  Layout input;
  Layout output;
  LayerParameters parameters = {};  ///< position and layout of the layer's tensors, if it has any
  bool gradient_stops = false;      ///< true if no earlier layer learns, so no input gradient is needed
};

/// Base class of the CUDA implementations of layers. Each kind of layer has a derived class in a file of its own, in
/// the folder cuda/layers.
class LayerKernels {
 public:
  LayerKernels() = default;
  LayerKernels(const LayerKernels&) = delete;
  LayerKernels& operator=(const LayerKernels&) = delete;
  virtual ~LayerKernels() = default;

  /// Sets `layer.parameters`. By default does nothing, for layers without parameters.
  virtual void place(PlacedLayer& /*layer*/) const {}
  /// Creates the operation of a layer for batches of `batch` samples.
  /// @param layer must outlive the result
  virtual std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const = 0;
};

/// Returns the CUDA implementation of a layer.
/// @throws Error unsupported, with the reason, if the layer has no CUDA implementation.
std::unique_ptr<LayerKernels> kernels_of(const PlannedLayer& layer);

/// Returns the description of a layer, which must be of class `Spec`.
template <class Spec>
const Spec& spec_of(const PlacedLayer& layer) {
  return static_cast<const Spec&>(*layer.planned.layer);
}

}  // namespace troupe::cuda
