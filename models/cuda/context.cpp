#include "models/cuda/context.hpp"

namespace troupe::cuda {

namespace {

/// What cuBLAS takes on recent devices. With memory of its own a stream's products are the same bits each time.
constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;

/// No sums in bfloat16, and TensorFloat-32 only where it is asked for.
cublasMath_t product_mode(bool tf32) {
  constexpr unsigned kSums = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  return static_cast<cublasMath_t>(kSums | (tf32 ? unsigned{CUBLAS_TF32_TENSOR_OP_MATH} : 0U));
}

}  // namespace

Context::Context(int device, Element element, bool tf32)
    : device_(device),
      element_(element),
      tf32_(tf32 && element == Element::f32),
      cudnn_([](cudnnHandle_t* made) { check(cudnnCreate(made), "beginning"); }),
      cublas_([](cublasHandle_t* made) { check(cublasCreate(made), "beginning"); }),
      cublas_workspace_(kProductWorkspace) {
  check(cudnnSetStream(cudnn_.get(), compute_.get()), "choosing a stream");
  check(cublasSetStream(cublas_.get(), compute_.get()), "choosing a stream");
  check(cublasSetWorkspace(cublas_.get(), cublas_workspace_.data(), kProductWorkspace), "choosing a workspace");
  check(cublasSetMathMode(cublas_.get(), product_mode(tf32_)), "choosing a precision");
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
  check(cudaRuntimeGetVersion(&runtime), "asking for a version");
  check(cublasGetVersion(cublas_.get(), &cublas), "asking for a version");
  return "cuda" + std::to_string(runtime) + "-cudnn" + std::to_string(cudnnGetVersion()) + "-cublas" +
         std::to_string(cublas);
}

}  // namespace troupe::cuda
