#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

namespace troupe {

/// While an object of this class exists, libtorch's operators on the CPU draw their random numbers in this thread from
/// a generator of this object, and not from the one generator that the whole process shares. So dropout and the
/// initialization of modules do not depend on what other threads do. On an accelerator, operators use the device's
/// generator, with the same seed; only one such object for each accelerator exists at a time, others wait.
class TorchRandom {
 public:
  explicit TorchRandom(std::uint64_t seed, c10::Device device = c10::kCPU);
  ~TorchRandom();
  TorchRandom(const TorchRandom&) = delete;
  TorchRandom& operator=(const TorchRandom&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace troupe
