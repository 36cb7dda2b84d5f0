#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Describes a device of this machine, other than the CPUs, on which replicas can compute.
struct Accelerator {
  std::string name;
  std::string pci;                              ///< PCI id, such as "0000:3b:00.0"
  std::string capability;                       ///< CUDA compute capability, such as "9.0"
  std::size_t memory = 0;                       ///< size of the device's memory in bytes
  std::optional<std::size_t> free_memory = {};  ///< in bytes, at the time of the call; empty if the device does not
                                                ///< report it
};

struct Accelerators {
  std::string driver;                ///< the newest CUDA version that the driver supports, such as "13.0"
  std::string runtime;               ///< the CUDA version with which this program was built, such as "13.0"
  std::vector<Accelerator> devices;  ///< ordered by PCI id
};

/// Returns the accelerators of this machine. Changes the CUDA device that is current in the calling thread.
/// @throws Error unsupported if this program has no CUDA, or if the machine has no device, no driver, or a driver that
/// is too old; the message contains the reason.
Accelerators accelerators();

/// Returns the number of accelerators; 0 if `accelerators` throws.
int accelerator_count();

/// Checks that this machine has enough accelerators. Unlike `accelerators`, this takes no memory on the devices.
/// @param needed the number of accelerators
/// @param who the start of the error message, such as "a trial takes"
/// @throws Error unsupported if there are fewer; if there are none, with the reason that `accelerators` tells
void require_accelerators(std::int64_t needed, const std::string& who);

/// Returns the environment variables that let a child process see some of the CUDA devices that this process sees.
/// @param devices numbers of devices, as in Accelerators::devices
std::vector<std::string> variables_for(const std::vector<int>& devices);

// The implementations for CUDA. The addresses of these functions are null in programs that do not link troupe::cuda.
[[gnu::weak]] Accelerators cuda_accelerators();
[[gnu::weak]] int cuda_device_count();

}  // namespace troupe
