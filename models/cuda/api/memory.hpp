#pragma once

#include <cstddef>

#include "models/cuda/api/handle.hpp"

namespace troupe::cuda {

/// Uninitialized memory of the device.
class DeviceMemory {
 public:
  DeviceMemory() : DeviceMemory(0) {}
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes), handle_([bytes](void** made) { allocate(made, bytes); }) {}

  std::size_t bytes() const { return bytes_; }
  std::byte* data() const { return static_cast<std::byte*>(handle_.get()); }
  float* floats() const { return static_cast<float*>(handle_.get()); }
  /// Increases the size to at least `bytes`. If the size changes, the content is lost and the address changes. The
  /// device must not be running work that uses the memory.
  void reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    *this = DeviceMemory();  // frees the old memory first, because both may not fit
    *this = DeviceMemory(bytes);
  }

 private:
  /// Sets `made` to the address of new memory of the device.
  /// @throws Error limit_reached if there is not enough memory; the message contains the free memory.
  static void allocate(void** made, std::size_t bytes);

  std::size_t bytes_;
  Handle<void*, cudaFree> handle_;
};

/// Floats in page-locked memory of the host. The device can copy directly from and to such memory.
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
