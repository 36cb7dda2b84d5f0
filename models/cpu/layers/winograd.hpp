#pragma once

#include <memory>

#include "models/cpu/layers/winograd_transforms.hpp"
#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// Computes a convolution of floats with a 3x3 kernel, stride 1 and padding 1, or the gradient of its input, by
/// Winograd's algorithm. oneDNN multiplies the matrices. oneDNN 3 dropped the algorithm; its direct kernels take up to
/// twice the time.
class WinogradPass {
 public:
  enum class Direction { forward, input_gradient };

  /// Returns null if `layer` is another convolution, if its channels are not in blocks of 8 or 16, or if oneDNN has no
  /// fast product of matrices.
  static std::unique_ptr<WinogradPass> make(Context& context, const PlacedLayer& layer, std::int64_t samples,
                                            Direction direction);

  /// @param weights in the layout `PlacedLayer::weights->stored`
  /// @param biases of the outputs; null: none
  void run(const void* input, const float* weights, const float* biases, void* output);

 private:
  WinogradPass(Context& context, const PlacedLayer& layer, std::int64_t samples, Direction direction);

  /// Makes the 36 products of (tiles x input channels) and (input x output channels).
  Primitive make_products(std::int64_t tiles);
  std::int64_t tiles_at_once() const;

  Context& context_;
  WinogradImages input_, output_;
  WinogradWeights weights_;
  std::int64_t tiles_;  ///< of all samples
  std::int64_t weights_stride_, input_stride_, output_stride_;
  bool is_slow_ = false;  ///< oneDNN multiplies by its reference loops
  LayoutPort port_;
  Primitive products_;
  Primitive last_products_;  ///< of the remaining tiles
};

}  // namespace troupe::cpu
