#include "models/cuda/transposed_weights.hpp"

#include <algorithm>

namespace troupe::cuda {

namespace {

/// Transposes `blocks` matrices, each with rows x columns floats, which lie one after the other.
void transpose(std::int64_t blocks, std::int64_t rows, std::int64_t columns, const float* from, float* to) {
  for (std::int64_t block = 0; block < blocks; ++block, from += rows * columns)
    for (std::int64_t column = 0; column < columns; ++column)
      for (std::int64_t row = 0; row < rows; ++row) *to++ = from[row * columns + column];
}

}  // namespace

std::string TransposedWeights::text() const {
  return std::to_string(outputs_) + 'x' + std::to_string(pixels_) + 'x' + std::to_string(channels_);
}

void TransposedWeights::to_canonical(const float* weights, float* canonical) const {
  transpose(outputs_, pixels_, channels_, weights, canonical);
}

void TransposedWeights::from_canonical(const float* canonical, float* weights) const {
  transpose(outputs_, channels_, pixels_, canonical, weights);
  std::fill(weights + canonical_floats(), weights + floats(), 0.0F);
}

}  // namespace troupe::cuda
