#pragma once

#include <cstdint>

#include "models/cuda/context.hpp"

namespace troupe::cuda {

/// A factor of a matrix product. The stored matrix is column-major, as cuBLAS requires. If `transposed` is true, the
/// factor is the transpose of the stored matrix.
struct Matrix {
  const void* values;
  std::int64_t column;  ///< number of elements of a stored column
  bool transposed = false;
};

/// The size of a matrix product: a matrix of rows x inner elements times a matrix of inner x columns elements.
struct Extents {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
};

/// How a product is stored, column-major.
struct ProductColumns {
  std::int64_t column = 0;  ///< number of elements from one column to the next; 0: columns are adjacent
  bool adds = false;        ///< the result is added to the previous content
};

/// Enqueues the computation of product = a * b on the compute stream. The elements of both factors have the type
/// Context::element.
/// @param element the type of the product's elements
/// @throws Error limit_reached for an extent that cuBLAS does not support
void multiply(const Context& context, const Matrix& a, const Matrix& b, const Extents& extents, void* product,
              Element element, const ProductColumns& to = {});

}  // namespace troupe::cuda
