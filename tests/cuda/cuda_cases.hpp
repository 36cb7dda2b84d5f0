#pragma once

#include "models/network_trial.hpp"
#include "troupe/layers.hpp"

namespace troupe::test {

/// Returns a network with two buckets of weights and gradients on the bus.
inline Case two_buckets() {
  using namespace models;
  return {"two buckets",
          {2, 6, 6},
          {conv2d(4, {.kernel = 3, .padding = 1}), relu(), conv2d(4, {.kernel = 3, .padding = 1}), flatten(),
           linear(1 << 13), relu(), linear(kClasses)}};
}

}  // namespace troupe::test
