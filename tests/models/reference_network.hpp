#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/network_plan.hpp"

namespace troupe::test {

/// Plain loops in double over the layers as the user lists them; parameters in canonical order.
class ReferenceNetwork {
 public:
  ReferenceNetwork(std::vector<models::Layer> layers, std::vector<std::int64_t> sample_shape);

  /// Sum of the cross-entropy losses of the samples.
  double loss(std::span<const float> values, std::span<const std::int32_t> labels,
              std::span<const double> parameters) const;
  /// Central difference of `loss` with respect to one parameter.
  double derivative(std::span<const float> values, std::span<const std::int32_t> labels,
                    std::span<const float> parameters, std::size_t index) const;

 private:
  std::vector<double> scores(std::span<const float> sample, std::span<const double> parameters) const;

  std::vector<models::Layer> layers_;
  SampleShape input_;
};

}  // namespace troupe::test
