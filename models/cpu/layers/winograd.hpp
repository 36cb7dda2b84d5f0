#pragma once

#include <memory>

#include "models/cpu/layers/winograd_transforms.hpp"
#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// Computes a convolution of floats with a 3x3 kernel, stride 1 and padding 1, or the gradient of its input. Uses
/// Winograd's algorithm, with oneDNN for the matrix products. oneDNN 3 has no implementation of Winograd's algorithm,
/// and its direct convolutions take up to twice the time of this class.
class WinogradPass {
 public:
  enum class Direction { forward, input_gradient };

  /// Creates the pass. Returns null if `layer` has another kernel, stride, padding or element type, or if its channels
  /// are not in blocks of 8 or 16. Also returns null if oneDNN has no fast matrix product for the layer.
  static std::unique_ptr<WinogradPass> make(Context& context, const PlacedLayer& layer, std::int64_t samples,
                                            Direction direction);

  /// For Direction::forward, computes the output from the input. For Direction::input_gradient, reads the gradient of
  /// the output from `input` and writes the gradient of the input to `output`.
  /// @param weights in the layout `PlacedLayer::weights->stored`
  /// @param biases one for each output channel; null: none
  void run(const void* input, const float* weights, const float* biases, void* output);

 private:
  WinogradPass(Context& context, const PlacedLayer& layer, std::int64_t samples, Direction direction);

  /// Creates the primitive that computes 36 matrix products, each of a matrix (tiles x input channels) and a matrix
  /// (input channels x output channels).
  Primitive make_products(std::int64_t tiles);
  std::int64_t tiles_at_once() const;

  Context& context_;
  WinogradImages input_, output_;
  WinogradWeights weights_;
  std::int64_t tiles_;  ///< number of tiles of all samples
  std::int64_t weights_stride_, input_stride_, output_stride_;
  bool is_slow_ = false;  ///< true if oneDNN would compute the products by its slow reference loops
  LayoutPort port_;
  Primitive products_;
  Primitive last_products_;  ///< products of the last tiles, of which there may be fewer than `tiles_at_once()`
};

}  // namespace troupe::cpu
