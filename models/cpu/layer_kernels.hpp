#pragma once

#include <memory>
#include <optional>

#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// How the CPU computes a kind of layer; in cpu/layers, a file for each.
class LayerKernels {
 public:
  LayerKernels() = default;
  LayerKernels(const LayerKernels&) = delete;
  LayerKernels& operator=(const LayerKernels&) = delete;
  virtual ~LayerKernels() = default;

  /// How the layer can read the network's samples, other than in `image_layout`.
  virtual std::optional<Layout> sample_layout(const SampleShape& /*input*/, Element /*element*/) const { return {}; }
  /// Chooses the layouts of output and tensors for the layer's input and batches of about this size. By default the
  /// output lies as the input does, with the planned rows and columns.
  virtual void place(Context& context, PlacedLayer& layer, std::int64_t batch) const;
  /// @param layer outlives what is made
  virtual std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const = 0;

  /// Whether it can run in one go with the layer behind it, which nobody else reads.
  virtual bool joins(const PlacedLayer& /*layer*/, const PlacedLayer& /*next*/) const { return false; }
  /// Both, where they join.
  virtual std::unique_ptr<Operation> make_joined(Context& context, const PlacedLayer& layer, const PlacedLayer& next,
                                                 std::int64_t batch) const;
};

/// What a layer is, where its kind is known.
template <class Spec>
const Spec& spec_of(const PlacedLayer& layer) {
  return static_cast<const Spec&>(*layer.planned.layer);
}

}  // namespace troupe::cpu
