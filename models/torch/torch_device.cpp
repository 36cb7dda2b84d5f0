#include "models/torch/torch_device.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <string>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Loads libtorch's library for CUDA, which lies beside the one for the CPU. Loaded only for this purpose, because the
/// library and those that it needs have a few gigabytes.
void load_cuda() {
  if (at::hasCUDA()) return;
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr || !at::hasCUDA())
    throw Error(ErrorCode::unsupported, "this libtorch has no CUDA: set device to cpu, or use PyPI's libtorch");
}

/// Makes results bitwise reproducible. An operator that has no such kernel throws an error.
void choose_reproducible_kernels(bool tf32) {
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // cuBLAS needs it
  at::Context& context = at::globalContext();
  context.setBenchmarkCuDNN(false);
  context.setDeterministicCuDNN(true);
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
}

}  // namespace

c10::Device torch_device(const ReplicaContext& replica) {
  if (replica.device == Device::cpu) return c10::kCPU;
  load_cuda();
  static const bool chosen = (choose_reproducible_kernels(replica.tf32), true);
  static_cast<void>(chosen);
  const int count = static_cast<int>(torch::cuda::device_count());
  if (count == 0) throw Error(ErrorCode::unsupported, "libtorch finds no CUDA device: set device to cpu");
  const int number = replica.device_number >= 0 ? replica.device_number : replica.place % count;
  if (number >= count)
    throw Error(ErrorCode::unsupported,
                "there is no CUDA device " + std::to_string(number) + ", because there are " + std::to_string(count));
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(number)};
}

}  // namespace troupe
