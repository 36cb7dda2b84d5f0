#include "models/cuda/context.hpp"

namespace troupe::cuda {

namespace {

/// What cuBLAS takes on recent devices. With memory of its own a stream's products are the same bits each time.
constexpr std::size_t kProductWorkspace = std::size_t{32} << 20;

/// Neither TensorFloat-32 for floats, nor sums in bfloat16.
constexpr auto kProductMode = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;

}  // namespace

Context::Context(int device, Element element)
    : device_(device),
      element_(element),
      cudnn_([](cudnnHandle_t* made) { check(cudnnCreate(made), "beginning"); }),
      cublas_([](cublasHandle_t* made) { check(cublasCreate(made), "beginning"); }),
      cublas_workspace_(kProductWorkspace) {
  check(cudnnSetStream(cudnn_.get(), compute_.get()), "choosing a stream");
  check(cublasSetStream(cublas_.get(), compute_.get()), "choosing a stream");
  check(cublasSetWorkspace(cublas_.get(), cublas_workspace_.data(), kProductWorkspace), "choosing a workspace");
  check(cublasSetMathMode(cublas_.get(), kProductMode), "choosing a precision");
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
