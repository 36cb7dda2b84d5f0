#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A device that replicas can compute on beside the processors.
struct Accelerator {
  std::string name;
  std::string pci;                              ///< "0000:3b:00.0"
  std::string capability;                       ///< "9.0"
  std::size_t memory = 0;                       ///< bytes
  std::optional<std::size_t> free_memory = {};  ///< bytes, now; none where the device does not say
};

struct Accelerators {
  std::string driver;                ///< the newest version of CUDA that it serves: "13.0"
  std::string runtime;               ///< the version that this program has
  std::vector<Accelerator> devices;  ///< by PCI id
};

/// Those of this machine. @throws Error unsupported where this program has no CUDA, or the machine no driver, one that
/// is too old, or no device, saying which. The calling thread has another current device of CUDA's afterwards.
Accelerators accelerators();

/// How many there are: 0 where `accelerators` is an error.
int accelerator_count();

// Null in programs that do not link troupe::cuda.
[[gnu::weak]] Accelerators cuda_accelerators();
[[gnu::weak]] int cuda_device_count();

}  // namespace troupe
