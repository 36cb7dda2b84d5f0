#include "kernel_trial.hpp"
#include "models/cuda/kernels/dropout.hpp"
#include "models/cuda/kernels/packing.hpp"

namespace troupe::cuda {

namespace {

/// Calls test(element, shape, samples) for all combinations.
template <class Test>
void for_each_batch(const Test& test) {
  for (const Element element : kElements)
    for (const std::int64_t channels : kChannelCounts)
      for (const auto [height, width] : kImages)
        for (const std::int64_t samples : {1, 3}) {
          const SampleShape shape{.channels = channels, .height = height, .width = width};
          CAPTURE(size_of(element));
          CAPTURE(samples);
          CAPTURE(shape.channels);
          CAPTURE(shape.height);
          test(element, shape, samples);
        }
}

/// Returns the values in the device's NHWC order.
std::vector<float> with_channels_last(const SampleShape& shape, std::int64_t samples, const std::vector<float>& plain) {
  const std::int64_t pixels = shape.height * shape.width;
  std::vector<float> values(plain.size());
  for (std::int64_t sample = 0; sample < samples; ++sample)
    for (std::int64_t channel = 0; channel < shape.channels; ++channel)
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
        values[(sample * pixels + pixel) * shape.channels + channel] =
            plain[(sample * shape.channels + channel) * pixels + pixel];
  return values;
}

}  // namespace

TEST_CASE("layout kernels convert plain samples to activations and back") {
  for_each_batch([](Element element, const SampleShape& shape, std::int64_t samples) {
    const std::vector<float> values = drawn(element, samples * shape.size(), 11);
    const DeviceArray plain(values);
    const DeviceArray activations(element, values.size());
    const DeviceArray back(values.size());
    from_plain(stream(), shape, samples, plain.floats(), element, activations.data());
    CHECK(first_other_bits(activations.read(), with_channels_last(shape, samples, values)) == -1);
    to_plain(stream(), shape, samples, element, activations.data(), back.floats());
    CHECK(first_other_bits(back.read(), values) == -1);
  });
}

TEST_CASE("dropout kernels drop the same values as the CPU") {
  constexpr float kProbability = 0.3F;
  for_each_batch([](Element element, const SampleShape& shape, std::int64_t samples) {
    const std::vector<float> plain = drawn(element, samples * shape.size(), 12);
    Random random(/*seed=*/7, /*stream=*/1234567, /*substream=*/89);
    std::vector<float> expected(plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {  // as models/cpu/layers/dropout.cpp does
      const float factor = random.uniform() < kProbability ? 0.0F : 1 / (1 - kProbability);
      expected[i] = stored(element, plain[i] * factor);
    }
    const DeviceArray values(element, with_channels_last(shape, samples, plain));
    dropout(stream(), shape, samples, element, random.stream(), kProbability, values.data(), values.data());
    CHECK(first_other_bits(values.read(), with_channels_last(shape, samples, expected)) == -1);
  });
}

}  // namespace troupe::cuda
