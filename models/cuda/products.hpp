#pragma once

#include <cstdint>

#include "models/cuda/context.hpp"

namespace troupe::cuda {

/// A matrix as cuBLAS takes it, column by column; `transposed` before it is multiplied.
struct Matrix {
  const void* values;
  std::int64_t column;  ///< length of one as it lies
  bool transposed = false;
};

/// Rows and columns of a product, and the length of its sums.
struct Extents {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

/// product = a * b, on the compute stream. @param element of the product; the factors' is the context's
/// @param adds whether it is added to what is there
/// @throws Error limit_reached for an extent that cuBLAS does not count to
void multiply(const Context& context, const Matrix& a, const Matrix& b, const Extents& extents, void* product,
              Element element, bool adds = false);

}  // namespace troupe::cuda
