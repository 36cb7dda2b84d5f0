#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace troupe::cuda {

/// Does nothing if `result` is success.
/// @param what the failed action, for the error message, such as "copying weights"
/// @throws Error limit_reached if the memory of the device or the host is full.
/// @throws Error unsupported if the driver is missing or too old, or the device is busy or used exclusively by another
/// process.
/// @throws Error system for any other error of CUDA, cuDNN or cuBLAS.
void check(cudaError_t result, const char* what);
void check(cudnnStatus_t result, const char* what);
void check(cublasStatus_t result, const char* what);

/// Clears the last CUDA error of this thread. Call forget_error after an error was handled or is ignored. Otherwise the
/// check after the next kernel start would report the old error.
void forget_error();

}  // namespace troupe::cuda
