#pragma once

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <array>
#include <string>

namespace troupe_test {

/// Returns the PCI id of a device of CUDA.
inline std::string pci_of(int device) {
  std::array<char, 32> text{};
  REQUIRE(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device) == cudaSuccess);
  return text.data();
}

}  // namespace troupe_test
