#pragma once

#include <memory>
#include <optional>

#include "models/cpu/head.hpp"
#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// Base class of the CPU implementations of layers. Each kind of layer has a derived class in a file of its own, in the
/// folder cpu/layers.
class LayerKernels {
 public:
  LayerKernels() = default;
  LayerKernels(const LayerKernels&) = delete;
  LayerKernels& operator=(const LayerKernels&) = delete;
  virtual ~LayerKernels() = default;

  /// Returns the layout in which the layer can read the network's input samples, if this layout is not `image_layout`.
  /// Returns nothing if the layer needs `image_layout`.
  virtual std::optional<Layout> sample_layout(const SampleShape& /*input*/, Element /*element*/) const { return {}; }
  /// Sets `layer.output` and `layer.parameters` for an input with the layout `layer.input`, and for batches of about
  /// `batch` samples. By default the layout of the output is that of the input, with the height and width that are
  /// planned for the output.
  virtual void place(Context& context, PlacedLayer& layer, std::int64_t batch) const;
  /// Creates the operation of a layer for batches of `batch` samples.
  /// @param layer must outlive the result
  virtual std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const = 0;

  /// Returns true if `layer` and `next`, the next layer, can run as one operation. `next` is the only layer that reads
  /// the output of `layer`.
  virtual bool joins(const PlacedLayer& /*layer*/, const PlacedLayer& /*next*/) const { return false; }
  /// Creates one operation that computes both layers. May be called only if `joins` returns true.
  virtual std::unique_ptr<Operation> make_joined(Context& context, const PlacedLayer& layer, const PlacedLayer& next,
                                                 std::int64_t batch) const;

  /// Returns an object that computes the last layer of a network together with the loss. Returns null (default) if the
  /// layer cannot be computed in this way.
  virtual std::unique_ptr<Head> make_head(Context& /*context*/, const PlacedLayer& /*last*/, const Loss& /*loss*/,
                                          std::int64_t /*batch*/) const {
    return nullptr;
  }
};

/// Returns the description of a layer, which must be of class `Spec`.
template <class Spec>
const Spec& spec_of(const PlacedLayer& layer) {
  return static_cast<const Spec&>(*layer.planned.layer);
}

}  // namespace troupe::cpu
