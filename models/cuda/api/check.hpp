#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace troupe::cuda {

/// What CUDA, cuDNN and cuBLAS refuse becomes ours. @param what was asked for, for the text: "copying weights".
/// @throws Error limit_reached where the device's memory is full, or the host's, unsupported without a driver, with one
/// too old, or on a device that is busy or that another process has for itself, else system.
void check(cudaError_t result, const char* what);
void check(cudnnStatus_t result, const char* what);
void check(cublasStatus_t result, const char* what);

/// CUDA keeps a thread's last error until somebody asks, and a kernel's start is checked by asking. To be called where
/// a failure was looked at, or is to be passed over.
void forget_error();

}  // namespace troupe::cuda
