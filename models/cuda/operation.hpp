#pragma once

#include <cstdint>
#include <memory>

#include "models/cuda/context.hpp"
#include "models/devices/element.hpp"
#include "models/devices/operation.hpp"
#include "models/devices/parameters.hpp"
#include "troupe/layer.hpp"

namespace troupe::cuda {

/// Places in a workspace are multiples of this many bytes.
inline std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAligned = 256;
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

/// How a sample lies on the device: [height][width][channels], without padding. Features are floats.
struct Layout {
  SampleShape shape;
  Element element = Element::f32;

  std::int64_t pixels() const { return shape.height * shape.width; }
  std::int64_t size() const { return shape.size(); }
  std::size_t values(std::int64_t samples) const { return static_cast<std::size_t>(samples * size()); }
  std::size_t bytes(std::int64_t samples) const { return values(samples) * size_of(element); }
};

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
