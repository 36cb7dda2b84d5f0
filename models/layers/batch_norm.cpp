#include "troupe/layers/batch_norm.hpp"

#include "models/layers/checks.hpp"

namespace troupe::models {

SampleShape BatchNorm::output(std::span<const SampleShape> inputs) const {
  check_images(inputs[0]);
  return inputs[0];
}

std::vector<LayerTensor> BatchNorm::tensors(const SampleShape& input) const {
  using Start = LayerTensor::Start;
  return {{{"weight", {input.channels}}, Start::constant, 1},
          {{"bias", {input.channels}}, Start::constant, 0},
          {{"running_mean", {input.channels}}, Start::constant, 0},
          {{"running_var", {input.channels}}, Start::constant, 1}};
}

/// Throws an error for batches with a single value for each channel, as PyTorch does. The last batch of an epoch may be
/// smaller than `batch_size`, and may nevertheless have a single value for each channel; this value is normalised to
/// zero.
void BatchNorm::check_batch(const SampleShape& input, std::int64_t batch_size) const {
  if (batch_size == 1 && input.height * input.width == 1)
    throw_invalid("gets only one value per channel, which has no variance; use larger images or batches");
}

Layer batch_norm() { return std::make_shared<BatchNorm>(); }

}  // namespace troupe::models
