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
    case cudaErrorDevicesUnavailable:  // the device is busy, or another process uses it exclusively
      return ErrorCode::unsupported;
    default:
      return ErrorCode::system;
  }
}

/// Returns true if the current device has almost no free memory. cuDNN and cuBLAS report only a general failure if they
/// cannot allocate memory, so errors are explained by this check.
bool is_full() {
  constexpr std::size_t kNextToNone = std::size_t{64} << 20;
  std::size_t free = 0;
  std::size_t all = 0;
  return cudaMemGetInfo(&free, &all) == cudaSuccess && free < kNextToNone;
}

bool is_about_memory(cudnnStatus_t result) {
  switch (result) {
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
    case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
      return true;
    case CUDNN_STATUS_NOT_INITIALIZED:
    case CUDNN_STATUS_INTERNAL_ERROR:
    case CUDNN_STATUS_EXECUTION_FAILED:
    case CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER:
    case CUDNN_STATUS_EXECUTION_FAILED_CUDART:
    case CUDNN_STATUS_EXECUTION_FAILED_CUBLAS:
      return is_full();
    default:
      return false;
  }
}

bool is_about_memory(cublasStatus_t result) {
  switch (result) {
    case CUBLAS_STATUS_ALLOC_FAILED:
      return true;
    case CUBLAS_STATUS_NOT_INITIALIZED:
    case CUBLAS_STATUS_INTERNAL_ERROR:
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return is_full();
    default:
      return false;
  }
}

ErrorCode code_of(bool memory) { return memory ? ErrorCode::limit_reached : ErrorCode::system; }

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
  const ErrorCode code = code_of(is_about_memory(result));
  forget_error();
  fail(code, "cuDNN", what, cudnnGetErrorString(result));
}

void check(cublasStatus_t result, const char* what) {
  if (result == CUBLAS_STATUS_SUCCESS) return;
  const ErrorCode code = code_of(is_about_memory(result));
  forget_error();
  fail(code, "cuBLAS", what, cublasGetStatusString(result));
}

}  // namespace troupe::cuda
