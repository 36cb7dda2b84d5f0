#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace troupe::testing {

/// Compares a gradient with central differences of `loss`, which is computed in double.
inline void check_gradient(std::span<const float> gradient, const std::vector<double>& weights,
                           const std::function<double(const std::vector<double>&)>& loss, double tolerance = 1e-4) {
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<double> moved = weights;
    moved[i] = weights[i] + kStep;
    const double above = loss(moved);
    moved[i] = weights[i] - kStep;
    const double difference = (above - loss(moved)) / (2 * kStep);
    CAPTURE(i);
    CHECK(std::abs(static_cast<double>(gradient[i]) - difference) <= tolerance * (1 + std::abs(difference)));
  }
}

}  // namespace troupe::testing
