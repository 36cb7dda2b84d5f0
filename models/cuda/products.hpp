#pragma once

#include <cstdint>

#include "models/cuda/context.hpp"

namespace troupe::cuda {

/// A matrix in the format of cuBLAS, column by column; it is transposed before the multiplication if `transposed` is
/// true.
struct Matrix {
  const void* values;
  std::int64_t column;  ///< length of a stored column
  bool transposed = false;
};

/// Rows and columns of a product, and the length of its sums.
struct Extents {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

/// Computes product = a * b on the compute stream. @param element the type of the product; the factors have the type of
/// the context
/// @param adds whether the result is added to the previous content
/// @throws Error limit_reached for an extent that cuBLAS does not support
void multiply(const Context& context, const Matrix& a, const Matrix& b, const Extents& extents, void* product,
              Element element, bool adds = false);

}  // namespace troupe::cuda
