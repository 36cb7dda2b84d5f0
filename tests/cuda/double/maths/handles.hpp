#pragma once

#include <cublas_v2.h>
#include <cudnn.h>

#include <string>

#include "cuda/double/state.hpp"
#include "cuda/double/streams.hpp"

namespace troupe::cuda_double {

struct CudnnHandle {
  int device = 0;
  cudaStream_t stream = nullptr;
};

struct CublasHandle {
  int device = 0;
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

Registry<cudnnHandle_t, CudnnHandle>& cudnn_handles();
Registry<cublasHandle_t, CublasHandle>& cublas_handles();

/// Returns the handle's object if its device is the current one. @return null, with a complaint, otherwise
template <class Handle, class Object>
Object* usable_handle(Registry<Handle, Object>& all, Handle handle) {
  Object* const found = all.find(handle);
  if (found == nullptr) {
    complain("a handle that is unknown or was destroyed");
    return nullptr;
  }
  if (found->device == this_thread().device) return found;
  complain("a handle of device " + std::to_string(found->device) + " while device " +
           std::to_string(this_thread().device) + " is current");
  return nullptr;
}

/// Returns the stream for a handle's work. @return null, with a complaint, if there is none
template <class Object>
Stream* stream_of(const Object& handle) {
  if (handle.stream != nullptr) return stream_for_work(handle.stream);
  complain("a handle without a stream");
  return nullptr;
}

/// Sets the stream of a handle, which must belong to the same device. @return false, with a complaint, otherwise
template <class Object>
bool set_stream(Object& handle, cudaStream_t stream) {
  const Stream* const found = stream_for_work(stream);
  if (found == nullptr) return false;
  if (found->device != handle.device) return complain(false, "a stream of another device than the handle's");
  handle.stream = stream;
  return true;
}

}  // namespace troupe::cuda_double
