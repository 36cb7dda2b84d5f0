#pragma once

#include "models/devices/parameters.hpp"

namespace troupe::cuda {

/// The layout of the weights of a convolution, or of a linear layer that reads a flattened image. In canonical order,
/// the weights are [outputs][channels][pixels]; on the device, they are [outputs][pixels][channels]. The pixels are
/// those of the kernel or of the image.
class TransposedWeights final : public WeightsLayout {
 public:
  TransposedWeights(std::int64_t outputs, std::int64_t channels, std::int64_t pixels)
      : outputs_(outputs), channels_(channels), pixels_(pixels) {}

  std::size_t floats() const override { return static_cast<std::size_t>(round_up(outputs_ * channels_ * pixels_)); }
  std::size_t canonical_floats() const override { return static_cast<std::size_t>(outputs_ * channels_ * pixels_); }
  std::string text() const override;
  void to_canonical(const float* weights, float* canonical) const override;
  void from_canonical(const float* canonical, float* weights) const override;

 private:
  std::int64_t outputs_;
  std::int64_t channels_;
  std::int64_t pixels_;
};

}  // namespace troupe::cuda
