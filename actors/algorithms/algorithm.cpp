#include "actors/algorithms/algorithm.hpp"

#include "actors/algorithms/synchronous.hpp"

namespace troupe {

std::unique_ptr<Algorithm> make_algorithm(const std::string& name) {
  if (name == "synchronous") return std::make_unique<Synchronous>();
  throw Error(ErrorCode::invalid_argument, "there is no algorithm '" + name + "'; there is 'synchronous'");
}

}  // namespace troupe
