#include "models/torch/torch_device.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <cstdlib>
#include <string>

#include "models/torch/torch_page_lock.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Loads libtorch's library for CUDA, which lies beside the one for the CPU. Loaded only for this purpose, because the
/// library and those that it needs have a few gigabytes. libtorch asks once whether it has CUDA, so the library must be
/// loaded before the first such question.
void load_cuda() {
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);  // the order of Troupe's numbers of devices
  static const void* const library = ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw Error(ErrorCode::unsupported, "this libtorch has no CUDA: set device to cpu, or use PyPI's libtorch");
  if (!at::globalContext().hasCUDART())
    throw Error(ErrorCode::unsupported,
                "libtorch was used before its library for CUDA was loaded: use no torch::cuda, torch::manual_seed or "
                "module on the CPU in this process before, or choose the placement processes");
}

/// Makes results bitwise reproducible, for the whole process. An operator that has no such kernel throws an error.
void choose_reproducible_kernels(bool tf32) {
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // cuBLAS needs it
  at::Context& context = at::globalContext();
  context.setBenchmarkCuDNN(false);
  context.setDeterministicCuDNN(true);
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
#if TORCH_VERSION_MAJOR >= 2
  context.setDeterministicFillUninitializedMemory(false);  // would fill each new tensor
#endif
  context.setAllowTF32CuBLAS(tf32);
  context.setAllowTF32CuDNN(tf32);
}

}  // namespace

c10::Device torch_device(const ReplicaContext& replica) {
  if (replica.device == Device::cpu) return c10::kCPU;
  load_cuda();
  static const bool tf32 = (choose_reproducible_kernels(replica.tf32), replica.tf32);
  if (tf32 != replica.tf32)
    throw Error(ErrorCode::unsupported, "another run of this process uses libtorch with another value of tf32");
  const int count = static_cast<int>(torch::cuda::device_count());
  if (count == 0) throw Error(ErrorCode::unsupported, "libtorch finds no CUDA device: set device to cpu");
  const int number = replica.device_number >= 0 ? replica.device_number : replica.place % count;
  if (number >= count)
    throw Error(ErrorCode::unsupported,
                "there is no CUDA device " + std::to_string(number) + ", because there are " + std::to_string(count));
  lock_slabs(number, [](const char* name) { return ::dlsym(RTLD_DEFAULT, name); });
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(number)};
}

}  // namespace troupe
