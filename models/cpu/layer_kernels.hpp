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

  /// Returns the layout in which the layer can read the network's samples, if it can read another one than
  /// `image_layout`.
  virtual std::optional<Layout> sample_layout(const SampleShape& /*input*/, Element /*element*/) const { return {}; }
  /// Chooses the layouts of output and tensors for the layer's input and for batches of about this size. The default
  /// output layout is that of the input, with the planned numbers of rows and columns.
  virtual void place(Context& context, PlacedLayer& layer, std::int64_t batch) const;
  /// @param layer must outlive the result
  virtual std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const = 0;

  /// Returns true if the layer can run as one operation with the next layer. No other layer reads the value in between.
  virtual bool joins(const PlacedLayer& /*layer*/, const PlacedLayer& /*next*/) const { return false; }
  /// Creates the operation for both layers, if they can be joined.
  virtual std::unique_ptr<Operation> make_joined(Context& context, const PlacedLayer& layer, const PlacedLayer& next,
                                                 std::int64_t batch) const;
};

/// Returns the specification of a layer of known kind.
template <class Spec>
const Spec& spec_of(const PlacedLayer& layer) {
  return static_cast<const Spec&>(*layer.planned.layer);
}

}  // namespace troupe::cpu
