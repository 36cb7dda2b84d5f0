#include <algorithm>
#include <vector>

#include "cuda/double/device_memory.hpp"
#include "cuda/double/maths/elements.hpp"
#include "cuda/double/maths/handles.hpp"

namespace troupe::cuda_double {

Registry<cublasHandle_t, CublasHandle>& cublas_handles() {
  static auto* const kAll = new Registry<cublasHandle_t, CublasHandle>;
  return *kAll;
}

namespace {

/// A column-major matrix in memory, and the operation on it.
struct Matrix {
  const char* name = "";
  Element element = Element::f32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0;
  void* start = nullptr;
  bool transposed = false;

  std::size_t bytes() const {
    if (rows == 0 || columns == 0) return 0;
    return static_cast<std::size_t>((columns - 1) * leading + rows) * size_of(element);
  }
  std::int64_t position(std::int64_t row, std::int64_t column) const {
    return transposed ? row * leading + column : column * leading + row;
  }
};

struct Product {
  Matrix a, b, c;
  std::int64_t m = 0, n = 0, k = 0;
  double alpha = 1;
  double beta = 0;
  bool tf32 = false;
};

cublasStatus_t cublas_failure(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return CUBLAS_STATUS_ALLOC_FAILED;
    case cudaErrorInsufficientDriver:
    case cudaErrorNoDevice:
      return CUBLAS_STATUS_NOT_INITIALIZED;
    default:
      return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

template <class Body>
cublasStatus_t cublas_call(const char* name, Kind kind, const Body& body) {
  return library_call(name, kind, cublas_failure, body);
}

/// Runs a call on a known handle.
template <class Body>
cublasStatus_t handle_call(const char* name, cublasHandle_t handle, const Body& body) {
  return cublas_call(name, Kind::ordinary, [&] {
    CublasHandle* const found = usable_handle(cublas_handles(), handle);
    return found == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : body(*found);
  });
}

cublasStatus_t invalid(const std::string& text) { return complain(CUBLAS_STATUS_INVALID_VALUE, text); }

double factor(const Product& product, const Matrix& matrix, std::int64_t row, std::int64_t column) {
  const double value = load(matrix.element, matrix.start, matrix.position(row, column));
  return product.tf32 ? to_tf32(value) : value;
}

void multiply(const Product& product) {
  const auto& [a, b, c, m, n, k, alpha, beta, tf32] = product;
  std::vector<double> rows(static_cast<std::size_t>(m * k));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l) rows[i * k + l] = factor(product, a, i, l);
  std::vector<double> column(static_cast<std::size_t>(k));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t l = 0; l < k; ++l) column[l] = factor(product, b, l, j);
    for (std::int64_t i = 0; i < m; ++i) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += rows[i * k + l] * column[l];
      const std::int64_t at = c.position(i, j);
      store(c.element, c.start, at, alpha * sum + (beta == 0 ? 0 : beta * load(c.element, c.start, at)));
    }
  }
}

cublasStatus_t check_matrix(const Matrix& matrix, int device) {
  if (matrix.leading < std::max<std::int64_t>(1, matrix.rows))
    return invalid(std::string("a leading dimension of ") + matrix.name + " below its rows");
  if (matrix.bytes() == 0) return CUBLAS_STATUS_SUCCESS;
  const bool fine = is_device_range(matrix.name, matrix.start, matrix.bytes(), device, size_of(matrix.element));
  return fine ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t check_product(const Product& product, int device) {
  for (const Matrix* const matrix : {&product.a, &product.b, &product.c})
    if (const auto status = check_matrix(*matrix, device); status != CUBLAS_STATUS_SUCCESS) return status;
  for (const Matrix* const matrix : {&product.a, &product.b})
    if (overlap(matrix->start, matrix->bytes(), product.c.start, product.c.bytes()))
      return invalid(std::string("C overlaps ") + matrix->name);
  return CUBLAS_STATUS_SUCCESS;
}

/// Returns the workspace that sums over parts of k would use.
std::size_t workspace_used(const CublasHandle& handle, const Product& product) {
  constexpr std::int64_t kParts = 16;
  return std::min(handle.workspace_bytes, static_cast<std::size_t>(kParts * product.m * product.n) * sizeof(float));
}

cublasStatus_t queue_product(const CublasHandle& handle, const Product& product) {
  Stream* const stream = stream_of(handle);
  if (stream == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (const auto status = check_product(product, handle.device); status != CUBLAS_STATUS_SUCCESS) return status;
  if (product.m == 0 || product.n == 0) return CUBLAS_STATUS_SUCCESS;
  ++state().launches;
  if (handle.workspace == nullptr) ++state().products_without_workspace;
  const auto run = [product, workspace = handle.workspace, used = workspace_used(handle, product)] {
    spoil(workspace, used);
    multiply(product);
    spoil(workspace, used);
  };
  const auto touch = [](const Matrix& matrix, bool writes) { return Touch{matrix.start, matrix.bytes(), writes}; };
  streams().push(*stream, {.what = "a matrix product",
                           .run = run,
                           .touches = {touch(product.a, false),
                                       touch(product.b, false),
                                       touch(product.c, true),
                                       {handle.workspace, handle.workspace_bytes, true}}});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_types(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute) {
  const bool floats = a == CUDA_R_32F && b == CUDA_R_32F && c == CUDA_R_32F;
  const bool halves = a == CUDA_R_16BF && b == CUDA_R_16BF && (c == CUDA_R_16BF || c == CUDA_R_32F);
  if (!floats && !halves) return complain(CUBLAS_STATUS_NOT_SUPPORTED, "an unsupported combination of types");
  if (compute != CUBLAS_COMPUTE_32F && compute != CUBLAS_COMPUTE_32F_PEDANTIC)
    return complain(CUBLAS_STATUS_NOT_SUPPORTED, "a compute type other than float");
  return CUBLAS_STATUS_SUCCESS;
}

Element element_of(cudaDataType type) { return type == CUDA_R_16BF ? Element::bf16 : Element::f32; }

/// Returns the stored matrix of a factor with `rows` x `columns` after the operation; the stored one may be transposed.
Matrix factor_matrix(const char* name, cublasOperation_t operation, std::int64_t rows, std::int64_t columns,
                     const void* start, cudaDataType type, int leading) {
  const bool transposed = operation != CUBLAS_OP_N;
  if (transposed) std::swap(rows, columns);
  return {name, element_of(type), rows, columns, leading, const_cast<void*>(start), transposed};
}

cublasStatus_t set_workspace(CublasHandle& handle, void* workspace, std::size_t bytes) {
  if (workspace != nullptr && !is_device_range("the workspace", workspace, bytes, handle.device, 256))
    return CUBLAS_STATUS_INVALID_VALUE;
  handle.workspace = workspace;
  handle.workspace_bytes = workspace == nullptr ? 0 : bytes;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

}  // namespace troupe::cuda_double

using namespace troupe::cuda_double;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  return cublas_call("cublasCreate", Kind::allocation, [&] {
    if (handle == nullptr) return invalid("a null pointer for the handle");
    *handle = cublas_handles().add({.device = this_thread().device});
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return cublas_call("cublasDestroy", Kind::release, [&] {
    if (cublas_handles().remove(handle)) return CUBLAS_STATUS_SUCCESS;
    return complain(CUBLAS_STATUS_NOT_INITIALIZED, "a handle that is unknown or was destroyed");
  });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return handle_call("cublasSetStream", handle, [&](CublasHandle& found) {
    if (!set_stream(found, stream)) return CUBLAS_STATUS_INVALID_VALUE;
    // As documented, this resets the handle's workspace.
    return set_workspace(found, nullptr, 0);
  });
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  return handle_call("cublasSetWorkspace", handle,
                     [&](CublasHandle& found) { return set_workspace(found, workspace, bytes); });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return handle_call("cublasSetMathMode", handle, [&](CublasHandle& found) {
    found.math = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return handle_call("cublasGetMathMode", handle, [&](CublasHandle& found) {
    *mode = found.math;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an invalid value was used as an argument";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the functionality is not supported";
    default:
      return "a status of the double";
  }
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* A, cudaDataType Atype, int lda, const void* B,
                            cudaDataType Btype, int ldb, const void* beta, void* C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType, cublasGemmAlgo_t) {
  return handle_call("cublasGemmEx", handle, [&](CublasHandle& found) {
    if (m < 0 || n < 0 || k < 0) return invalid("a dimension below 0");
    const auto status = check_types(Atype, Btype, Ctype, computeType);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const bool tensor_cores = (found.math & 15) == CUBLAS_TF32_TENSOR_OP_MATH && computeType == CUBLAS_COMPUTE_32F;
    return queue_product(found, {.a = factor_matrix("A", transa, m, k, A, Atype, lda),
                                 .b = factor_matrix("B", transb, k, n, B, Btype, ldb),
                                 .c = {"C", element_of(Ctype), m, n, ldc, C, false},
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .alpha = *static_cast<const float*>(alpha),
                                 .beta = *static_cast<const float*>(beta),
                                 .tf32 = state().settings.tf32 && Atype == CUDA_R_32F && tensor_cores});
  });
}
}
