#include "models/cuda/products.hpp"

#include <algorithm>
#include <limits>

#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/operation.hpp"
#include "troupe/error.hpp"

namespace troupe::cuda {

namespace {

cublasOperation_t operation_of(const Matrix& matrix) { return matrix.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

cudaDataType_t type_of_factor(Element element) { return element == Element::f32 ? CUDA_R_32F : CUDA_R_16BF; }

}  // namespace

std::size_t factor_bytes(const Context& context, std::size_t count, Element element) {
  return element == context.element() ? 0 : aligned(count * size_of(context.element()));
}

const std::byte* as_factors(const Context& context, const void* values, std::size_t count, Element element,
                            std::byte* copy) {
  if (element == context.element()) return static_cast<const std::byte*>(values);
  from_floats(context.compute().get(), context.element(), count, static_cast<const float*>(values), copy);
  return copy;
}

void multiply(const Context& context, const Matrix& a, const Matrix& b, const Extents& extents, void* product,
              Element element, const ProductColumns& to) {
  const std::int64_t longest = std::max({extents.rows, extents.columns, extents.inner});
  if (longest > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCode::limit_reached, "a matrix product with " + std::to_string(longest) +
                                              " rows, but cuBLAS supports at most 2^31 - 1: use smaller batches");
  const cudaDataType_t factors = type_of_factor(context.element());
  const auto rows = static_cast<int>(extents.rows);
  check(
      cublasGemmEx(context.cublas(), operation_of(a), operation_of(b), rows, static_cast<int>(extents.columns),
                   static_cast<int>(extents.inner), &kOne, a.values, factors, static_cast<int>(a.column), b.values,
                   factors, static_cast<int>(b.column), to.adds ? &kOne : &kZero, product, type_of_factor(element),
                   static_cast<int>(to.column > 0 ? to.column : extents.rows), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "computing a matrix product");
}

}  // namespace troupe::cuda
