#include <doctest/doctest.h>

#include <cstdio>

#include "gpu/device_models.hpp"
#include "gpu/small_matrix.hpp"
#include "models/network/accelerators.hpp"
#include "troupe/error.hpp"
#include "troupe/sgd.hpp"

// The tests of kernels, networks and runs, with the real CUDA, on the first device of this machine. Worker processes
// run this program, too.
int main(int argc, char** argv) {
  troupe_test::take_unfolded(argc, argv);
  troupe_test::register_device_models();
  troupe::init(1, argv);  // as after a parser that removed its own options
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
