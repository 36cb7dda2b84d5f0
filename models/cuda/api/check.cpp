#include "models/cuda/api/check.hpp"

#include <string>

#include "troupe/error.hpp"

namespace troupe::cuda {

namespace {

ErrorCode code_of(cudaError_t result) {
  switch (result) {
    case cudaErrorMemoryAllocation:
      return ErrorCode::limit_reached;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return ErrorCode::unsupported;
    default:
      return ErrorCode::system;
  }
}

[[noreturn]] void fail(ErrorCode code, const char* library, const char* what, const char* why) {
  throw Error(code, std::string(library) + ", " + what + ": " + why);
}

}  // namespace

void forget_error() { cudaGetLastError(); }

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  forget_error();
  fail(code_of(result), "CUDA", what, cudaGetErrorString(result));
}

void check(cudnnStatus_t result, const char* what) {
  if (result == CUDNN_STATUS_SUCCESS) return;
  forget_error();
  const bool memory = result == CUDNN_STATUS_ALLOC_FAILED;
  fail(memory ? ErrorCode::limit_reached : ErrorCode::system, "cuDNN", what, cudnnGetErrorString(result));
}

void check(cublasStatus_t result, const char* what) {
  if (result == CUBLAS_STATUS_SUCCESS) return;
  forget_error();
  const bool memory = result == CUBLAS_STATUS_ALLOC_FAILED;
  fail(memory ? ErrorCode::limit_reached : ErrorCode::system, "cuBLAS", what, cublasGetStatusString(result));
}

}  // namespace troupe::cuda
