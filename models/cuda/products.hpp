#pragma once

#include <cstdint>

#include "models/cuda/context.hpp"

namespace troupe::cuda {

/// A factor of a matrix product. The matrix is stored column by column, as cuBLAS requires. If `transposed` is true,
/// the transpose of the stored matrix is the factor.
struct Matrix {
  const void* values;
  std::int64_t column;  ///< number of elements of a stored column
  bool transposed = false;
};

/// The size of a matrix product: rows x inner by inner x columns.
struct Extents {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

/// Enqueues the computation product = a * b on the compute stream. The factors have the element type of the context.
/// @param element the element type of the product
/// @param adds true: the result is added to the previous content of `product`
/// @throws Error limit_reached for an extent that cuBLAS does not support
void multiply(const Context& context, const Matrix& a, const Matrix& b, const Extents& extents, void* product,
              Element element, bool adds = false);

}  // namespace troupe::cuda
