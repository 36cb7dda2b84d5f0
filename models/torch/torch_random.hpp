#pragma once

#include <cstdint>
#include <memory>

namespace troupe {

/// While an object of this class exists, libtorch's operators on the CPU draw their random numbers in this thread from
/// a generator of this object, and not from the one generator that the whole process shares. So dropout and the
/// initialization of modules do not depend on what other threads do.
class TorchRandom {
 public:
  explicit TorchRandom(std::uint64_t seed);
  ~TorchRandom();
  TorchRandom(const TorchRandom&) = delete;
  TorchRandom& operator=(const TorchRandom&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace troupe
