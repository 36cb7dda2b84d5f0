#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>

#include "models/network/accelerators.hpp"
#include "troupe/error.hpp"

// The tests of kernels and networks, with the real CUDA, on the first device of this machine.
int main(int argc, char** argv) {
  try {
    const troupe::Accelerators all = troupe::accelerators();
    std::printf("%s, driver for CUDA %s, program with CUDA %s\n", all.devices.front().name.c_str(), all.driver.c_str(),
                all.runtime.c_str());
  } catch (const troupe::Error& error) {
    constexpr int kSkipped = 77;
    const bool has_none = error.code() == troupe::ErrorCode::unsupported;
    std::printf("%s: %s\n", has_none ? "skipped" : "failed", error.message().c_str());
    return has_none ? kSkipped : 1;
  }
  return doctest::Context(argc, argv).run();
}
