#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A device other than the CPUs that replicas can compute on.
struct Accelerator {
  std::string name;
  std::string pci;                              ///< "0000:3b:00.0"
  std::string capability;                       ///< "9.0"
  std::size_t memory = 0;                       ///< bytes
  std::optional<std::size_t> free_memory = {};  ///< in bytes, at the time of the call; empty if the device does not
                                                ///< report it
};

struct Accelerators {
  std::string driver;                ///< the newest CUDA version that the driver supports: "13.0"
  std::string runtime;               ///< the CUDA version of this program
  std::vector<Accelerator> devices;  ///< ordered by PCI id
};

/// Returns the accelerators of this machine. Changes the CUDA device that is current in the calling thread.
/// @throws Error unsupported if this program has no CUDA, or if the machine has no device, no driver, or a driver that
/// is too old; the message contains the reason.
Accelerators accelerators();

/// Returns the number of accelerators; 0 if `accelerators` throws.
int accelerator_count();

// The implementations for CUDA. These functions are null in programs that do not link troupe::cuda.
[[gnu::weak]] Accelerators cuda_accelerators();
[[gnu::weak]] int cuda_device_count();

}  // namespace troupe
