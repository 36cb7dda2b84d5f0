#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#ifdef __CUDACC__
#include <cuda_runtime.h>

#include <algorithm>
#else
#include <memory>
#endif

#include "models/cuda/api/check.hpp"

// A kernel is a functor that is called once for each index. The calls neither share memory nor wait for each other.
// Therefore a kernel can also run as a plain loop over the indices, and is compiled as such a loop if there is no CUDA
// compiler. Tests without a GPU use these loops.
#ifdef __CUDACC__
#define TROUPE_HOST_DEVICE __host__ __device__
#else
#define TROUPE_HOST_DEVICE
#endif

namespace troupe::cuda {

#ifdef __CUDACC__

inline constexpr unsigned kThreadsOfBlock = 256;

template <class Work>
__global__ void __launch_bounds__(kThreadsOfBlock) run_work(std::size_t count, const Work work) {
  const std::size_t step = std::size_t{gridDim.x} * kThreadsOfBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreadsOfBlock + threadIdx.x; i < count; i += step) work(i);
}

/// Enqueues a kernel on the stream. The kernel calls work(i) once for each i below `count`, in any order.
/// @throws Error like check().
template <class Work>
void for_each(cudaStream_t stream, std::size_t count, const Work& work) {
  constexpr std::size_t kMostBlocks = 0x7FFFFFFF;
  if (count == 0) return;
  const std::size_t blocks = std::min((count - 1) / kThreadsOfBlock + 1, kMostBlocks);
  run_work<<<static_cast<unsigned>(blocks), kThreadsOfBlock, 0, stream>>>(count, work);
  check(cudaGetLastError(), "starting a kernel");
}

#else

template <class Work>
struct QueuedWork {
  std::size_t count;
  Work work;

  /// Calls the functor for all indices, in descending order, so that tests detect work that depends on the order.
  static void run(void* queued) {
    const std::unique_ptr<const QueuedWork> all(static_cast<const QueuedWork*>(queued));
    for (std::size_t i = all->count; i-- > 0;) all->work(i);
  }
};

template <class Work>
void for_each(cudaStream_t stream, std::size_t count, const Work& work) {
  if (count == 0) return;
  auto queued = std::make_unique<QueuedWork<Work>>(QueuedWork<Work>{count, work});
  const cudaError_t result = cudaLaunchHostFunc(stream, QueuedWork<Work>::run, queued.get());
  if (result == cudaSuccess) static_cast<void>(queued.release());  // `run` frees the object, and may already have run
  check(result, "starting a kernel");
  check(cudaGetLastError(), "starting a kernel");  // as on a GPU, so that tests detect errors that were not cleared
}

#endif

}  // namespace troupe::cuda
