#pragma once

#include <cstddef>
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

/// Returns the size in bytes of a copy of `count` values as factors of products. 0 if values of the type `element` are
/// factors without a copy.
std::size_t factor_bytes(const Context& context, std::size_t count, Element element);
/// Enqueues the conversion of `count` values to the type of factors, Context::element, unless they have this type.
/// @param copy receives the converted values, in `factor_bytes` bytes
/// @returns the address of the factors: `values` or `copy`
const std::byte* as_factors(const Context& context, const void* values, std::size_t count, Element element,
                            std::byte* copy);

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
