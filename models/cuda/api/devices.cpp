#include "models/cuda/api/devices.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "models/cuda/api/check.hpp"
#include "models/network/accelerators.hpp"
#include "troupe/error.hpp"

namespace troupe::cuda {

namespace {

std::string version_text(int version) {
  constexpr int kMajor = 1000;
  constexpr int kMinor = 10;
  return std::to_string(version / kMajor) + '.' + std::to_string(version % kMajor / kMinor);
}

std::string driver_version() {
  int version = 0;
  check(cudaDriverGetVersion(&version), "querying the driver's version");
  return version_text(version);
}

std::string runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "querying the runtime's version");
  return version_text(version);
}

int count_devices() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  const bool any = result == cudaSuccess && count > 0;
  if (!any && driver_version() == "0.0")
    throw Error(ErrorCode::unsupported, "there is no NVIDIA driver on this machine");
  if (result == cudaErrorInsufficientDriver)
    throw Error(ErrorCode::unsupported, "the NVIDIA driver of this machine supports CUDA " + driver_version() +
                                            ", but this build needs CUDA " + runtime_version());
  if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0))
    throw Error(ErrorCode::unsupported, "there is no CUDA device on this machine");
  check(result, "counting devices");
  return count;
}

std::string pci_of(int device) {
  constexpr int kLength = 32;
  std::array<char, kLength> text{};
  check(cudaDeviceGetPCIBusId(text.data(), kLength, device), "querying a PCI id");
  return text.data();
}

/// Returns CUDA's numbers of all devices, in the order of the devices' PCI ids.
std::vector<int> ordered_devices() {
  std::vector<std::pair<std::string, int>> devices;
  for (int device = 0, count = count_devices(); device < count; ++device) devices.emplace_back(pci_of(device), device);
  std::ranges::sort(devices);
  std::vector<int> numbers;
  numbers.reserve(devices.size());
  for (const auto& [pci, number] : devices) numbers.push_back(number);
  return numbers;
}

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "querying a device's properties");
  return properties;
}

/// Returns the free memory of a device in bytes. Returns nothing if the device is full or used exclusively by another
/// process.
std::optional<std::size_t> free_memory_of(int device) {
  std::size_t free = 0;
  std::size_t all = 0;
  if (cudaSetDevice(device) == cudaSuccess && cudaMemGetInfo(&free, &all) == cudaSuccess) return free;
  forget_error();
  return std::nullopt;
}

Accelerator describe(int device) {
  const cudaDeviceProp properties = properties_of(device);
  return {.name = properties.name,
          .pci = pci_of(device),
          .capability = std::to_string(properties.major) + '.' + std::to_string(properties.minor),
          .memory = properties.totalGlobalMem,
          .free_memory = free_memory_of(device)};
}

}  // namespace

std::string device_kind(int device) {
  const cudaDeviceProp properties = properties_of(device);
  return properties.name + std::string("-") + std::to_string(properties.multiProcessorCount);
}

int use_device(int asked, int place) {
  const std::vector<int> devices = ordered_devices();
  const auto count = static_cast<int>(devices.size());
  if (asked >= count)
    throw Error(ErrorCode::unsupported, "there is no CUDA device " + std::to_string(asked) +
                                            " on this machine, which has " + std::to_string(count) +
                                            " (numbered from 0)");
  const int device = devices[static_cast<std::size_t>(asked >= 0 ? asked : place % count)];
  check(cudaSetDevice(device), "selecting a device");
  return device;
}

}  // namespace troupe::cuda

namespace troupe {

int cuda_device_count() { return cuda::count_devices(); }

Accelerators cuda_accelerators() {
  Accelerators all{.driver = cuda::driver_version(), .runtime = cuda::runtime_version(), .devices = {}};
  for (const int device : cuda::ordered_devices()) all.devices.push_back(cuda::describe(device));
  return all;
}

}  // namespace troupe
