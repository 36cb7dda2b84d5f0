#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace troupe::cuda {

/// Converts errors of CUDA, cuDNN and cuBLAS. @param what the action that failed, for the message: "copying weights"
/// @throws Error limit_reached if the memory of the device or the host is full; unsupported if the driver is missing or
/// too old, or the device is busy or used exclusively by another process; otherwise system.
void check(cudaError_t result, const char* what);
void check(cudnnStatus_t result, const char* what);
void check(cublasStatus_t result, const char* what);

/// CUDA keeps a thread's last error until it is queried, and the start of a kernel is checked by that query. Call this
/// after an error has been handled or is to be ignored.
void forget_error();

}  // namespace troupe::cuda
