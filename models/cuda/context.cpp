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

void Context::need_workspace(std::size_t bytes) {
  if (bytes <= workspace_.bytes()) return;
  compute_.synchronize();  // what runs may still use it
  workspace_.reserve(bytes);
}

}  // namespace troupe::cuda
