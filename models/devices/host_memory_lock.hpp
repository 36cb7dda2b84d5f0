#pragma once

#include <cstddef>

namespace troupe {

/// The functions of CUDA's runtime that lock memory of the host. Each returns 0 if it succeeds. They are declared
/// without CUDA's headers, because Troupe's adapter for libtorch takes them from the library that libtorch has loaded.
struct CudaHostFunctions {
  static constexpr unsigned kPortable = 0x01;  ///< cudaHostRegisterPortable
  static constexpr unsigned kReadOnly = 0x08;  ///< cudaHostRegisterReadOnly

  int (*set_device)(int device) = nullptr;                              ///< cudaSetDevice
  int (*lock)(void* start, std::size_t bytes, unsigned how) = nullptr;  ///< cudaHostRegister
  int (*unlock)(void* start) = nullptr;                                 ///< cudaHostUnregister
  int (*take_error)() = nullptr;                                        ///< cudaGetLastError
};

/// Locks all slabs of this process in RAM, including later slabs, so that devices copy from and to them directly
/// (`lock_mappings`). Only the first call in a process has an effect.
/// @param device the device that the locking thread selects. If it selected none, CUDA would initialize device 0, which
/// may be full or used by another process
void lock_slabs(const CudaHostFunctions& functions, int device);

}  // namespace troupe
