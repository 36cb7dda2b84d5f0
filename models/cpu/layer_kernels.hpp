#pragma once

#include <memory>
#include <optional>

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// The CPU implementation of a kind of layer. Implementations are in cpu/layers, one file each.
class LayerKernels {
 public:
  LayerKernels() = default;
  LayerKernels(const LayerKernels&) = delete;
  LayerKernels& operator=(const LayerKernels&) = delete;
  virtual ~LayerKernels() = default;

  /// Returns the layout in which the layer can read the network's input samples, if this is another layout than
  /// `image_layout`; otherwise nothing.
  virtual std::optional<Layout> sample_layout(const SampleShape& /*input*/, Element /*element*/) const { return {}; }
  /// Sets `layer.output` and `layer.parameters` for the layout `layer.input` and for batches of about this size. By
  /// default the layout of the output is that of the input, with the planned height and width.
  virtual void place(Context& context, PlacedLayer& layer, std::int64_t batch) const;
  /// Creates the operation of a layer for batches of this size.
  /// @param layer must outlive the result
  virtual std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const = 0;

  /// Returns true if the layer can run as one operation with the next layer, which is the only layer that reads its
  /// output.
  virtual bool joins(const PlacedLayer& /*layer*/, const PlacedLayer& /*next*/) const { return false; }
  /// Creates one operation for both layers. May be called only if `joins` returns true.
  virtual std::unique_ptr<Operation> make_joined(Context& context, const PlacedLayer& layer, const PlacedLayer& next,
                                                 std::int64_t batch) const;
};

/// Returns the specification of a layer, which must be of class `Spec`.
template <class Spec>
const Spec& spec_of(const PlacedLayer& layer) {
  return static_cast<const Spec&>(*layer.planned.layer);
}

}  // namespace troupe::cpu
