#pragma once

#include <cstddef>

#include "models/cuda/api/handle.hpp"

namespace troupe::cuda {

/// Bytes of the device, uninitialised.
class DeviceMemory {
 public:
  DeviceMemory() : DeviceMemory(0) {}
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes), handle_([bytes](void** made) { allocate(made, bytes); }) {}

  std::size_t bytes() const { return bytes_; }
  std::byte* data() const { return static_cast<std::byte*>(handle_.get()); }
  float* floats() const { return static_cast<float*>(handle_.get()); }
  /// Makes it so long, and what it held is lost. Whoever uses it must have ended.
  void reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    *this = DeviceMemory();  // first: both might not fit
    *this = DeviceMemory(bytes);
  }

 private:
  /// @throws Error limit_reached that says how much there is.
  static void allocate(void** made, std::size_t bytes);

  std::size_t bytes_;
  Handle<void*, cudaFree> handle_;
};

/// Floats of the host that the device copies from and to by itself.
class PinnedFloats {
 public:
  explicit PinnedFloats(std::size_t count)
      : size_(count), handle_([count](void** made) {
          if (count > 0) check(cudaHostAlloc(made, count * sizeof(float), cudaHostAllocDefault), "page-locking memory");
        }) {}

  std::size_t size() const { return size_; }
  float* data() const { return static_cast<float*>(handle_.get()); }

 private:
  std::size_t size_;
  Handle<void*, cudaFreeHost> handle_;
};

}  // namespace troupe::cuda
