#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "models/cpu/layer_kernels.hpp"

// Layers of sequences. All values of a sequence are floats, row-major: position after position, without padding. So a
// batch is a matrix with one row for each position of each sample.
namespace troupe::cpu {

/// Returns the layout of a sequence.
inline Layout sequence_layout(const SampleShape& shape) {
  return {.channels = shape.channels, .height = shape.height, .inner = shape.channels};
}

/// Places the output of a layer as a sequence, and its tensors row-major, one after the other.
void place_sequence(PlacedLayer& layer);

/// Sets the padding after the tensors of a layer that `place_sequence` has placed to zero.
/// @param gradient the gradient of the layer's tensors
void clear_tensor_padding(const PlacedLayer& layer, float* gradient);

/// The implementation of a kind of layer of sequences. `LayerOperation` is the class of the operation that it creates.
template <class LayerOperation>
class SequenceKernels final : public LayerKernels {
 public:
  void place(Context& /*context*/, PlacedLayer& layer, std::int64_t /*batch*/) const override { place_sequence(layer); }
  std::unique_ptr<Operation> make(Context& context, const PlacedLayer& layer, std::int64_t batch) const override {
    if constexpr (std::is_constructible_v<LayerOperation, Context&, const PlacedLayer&, std::int64_t>)
      return std::make_unique<LayerOperation>(context, layer, batch);
    else
      return std::make_unique<LayerOperation>(layer, batch);
  }
};

/// A matrix in memory, or its transpose. `stride` is the number of floats from one row to the next.
struct MatrixView {
  const float* data = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;  ///< if true, the factor is the transpose of the rows in memory
};

/// Computes the matrix product `to` = `scale` * `a` * `b` + `kept` * `to`, in one thread.
/// @param rows number of rows of `to`
/// @param columns number of columns of `to`
/// @param inner number of columns of `a`, and of rows of `b`
/// @param stride number of floats from one row of `to` to the next
void product(std::int64_t rows, std::int64_t columns, std::int64_t inner, float scale, const MatrixView& a,
             const MatrixView& b, float kept, float* to, std::int64_t stride);

}  // namespace troupe::cpu
