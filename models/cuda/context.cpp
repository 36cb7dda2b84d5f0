#include "models/cuda/context.hpp"

namespace troupe::cuda {

namespace {

/// The size in bytes of the workspace for cuBLAS: the size that cuBLAS itself uses on recent devices. Matrix products
/// are bitwise reproducible only if no other stream uses this workspace.
constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;

/// Returns the math mode for cuBLAS. The mode forbids sums in bfloat16. It allows TensorFloat-32 only if `tf32` is
/// true.
cublasMath_t product_mode(bool tf32) {
  constexpr unsigned kSums = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  return static_cast<cublasMath_t>(kSums | (tf32 ? unsigned{CUBLAS_TF32_TENSOR_OP_MATH} : 0U));
}

}  // namespace

Context::Context(int device, Element element, bool tf32)
    : device_(device),
      element_(element),
      tf32_(tf32 && element == Element::f32),
      cudnn_([](cudnnHandle_t* made) { check(cudnnCreate(made), "initializing"); }),
      cublas_([](cublasHandle_t* made) { check(cublasCreate(made), "initializing"); }),
      cublas_workspace_(kProductWorkspace) {
  check(cudnnSetStream(cudnn_.get(), compute_.get()), "setting the stream");
  check(cublasSetStream(cublas_.get(), compute_.get()), "setting the stream");
  check(cublasSetWorkspace(cublas_.get(), cublas_workspace_.data(), kProductWorkspace), "setting the workspace");
  check(cublasSetMathMode(cublas_.get(), product_mode(tf32_)), "setting the precision");
}

void Context::copy(const Stream& stream, float* to, const float* from, std::size_t count, cudaMemcpyKind kind,
                   const char* what) {
  if (count == 0) return;
  const std::size_t bytes = count * sizeof(float);
  check(cudaMemcpyAsync(to, from, bytes, kind, stream.get()), what);
  bytes_over_bus_ += static_cast<std::int64_t>(bytes);
}

std::string Context::libraries() const {
  int runtime = 0;
  int cublas = 0;
  check(cudaRuntimeGetVersion(&runtime), "querying the version");
  check(cublasGetVersion(cublas_.get(), &cublas), "querying the version");
  return "cuda" + std::to_string(runtime) + "-cudnn" + std::to_string(cudnnGetVersion()) + "-cublas" +
         std::to_string(cublas);
}

}  // namespace troupe::cuda
