#pragma once

#include <memory>

#include "models/cpu/layers/winograd_transforms.hpp"
#include "models/cpu/operation.hpp"

namespace troupe::cpu {

/// A convolution of floats with a 3x3 kernel, stride 1 and padding 1 by Winograd's algorithm, or the gradient of its
/// input, which is such a convolution, too. The transforms are ours and the products of matrices oneDNN's. For oneDNN
/// 3, which dropped the algorithm that oneDNN 2 has, and computes such layers directly in up to twice the time.
class WinogradPass {
 public:
  enum class Direction { forward, input_gradient };

  /// Returns null if `layer` is another convolution, or if its channels are not in blocks of 8 or 16.
  static std::unique_ptr<WinogradPass> make(Context& context, const PlacedLayer& layer, std::int64_t samples,
                                            Direction direction);

  /// @param weights as they are stored
  /// @param biases of the outputs; null: none
  void run(const void* input, const float* weights, const float* biases, void* output);

 private:
  WinogradPass(Context& context, const PlacedLayer& layer, std::int64_t samples, Direction direction);

  /// Products of 36 matrices of tiles x input channels with 36 of input x output channels.
  Primitive make_products(std::int64_t tiles) const;
  std::int64_t tiles_at_once() const;

  Context& context_;
  WinogradImages input_, output_;
  WinogradWeights weights_;
  std::int64_t tiles_;  ///< of all samples
  std::int64_t weights_stride_, input_stride_, output_stride_;
  LayoutPort port_;
  Primitive products_;
  Primitive last_products_;  ///< of the remaining tiles
};

}  // namespace troupe::cpu
