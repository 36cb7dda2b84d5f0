#include "kernel_trial.hpp"
#include "models/cuda/kernels/bias.hpp"

namespace troupe::cuda {

namespace {

/// Calls test(element, rows, channels) for all combinations, and for enough rows that the summation tree has several
/// stages.
template <class Test>
void for_each_matrix(const Test& test) {
  const auto run = [&](Element element, std::int64_t rows, std::int64_t channels) {
    CAPTURE(size_of(element));
    CAPTURE(rows);
    CAPTURE(channels);
    test(element, rows, channels);
  };
  for (const Element element : kElements) {
    for (const std::int64_t channels : kChannelCounts)
      for (const std::int64_t rows : kRowCounts) run(element, rows, channels);
    run(element, 70001, 3);
    run(element, 70001, 8);
  }
}

}  // namespace

TEST_CASE("bias kernels equal plain loops, with and without a ReLU") {
  for_each_matrix([](Element element, std::int64_t rows, std::int64_t channels) {
    for (const bool relu : {false, true}) {
      const std::vector<float> values = drawn(element, rows * channels, 21);
      const std::vector<float> biases = drawn(Element::f32, channels + 1, 22);
      std::vector<float> expected(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        const float sum = values[i] + biases[1 + i % channels];
        expected[i] = stored(element, relu && sum < 0 ? 0.0F : sum);
      }
      const DeviceArray data(element, values);
      const DeviceArray bias(biases);  // not necessarily aligned
      add_bias(stream(), rows, channels, element, bias.floats() + 1, relu, data.data());
      CHECK(first_other_bits(data.read(), expected) == -1);
    }
  });
}

TEST_CASE("column sum kernels equal plain loops") {
  for_each_matrix([](Element element, std::int64_t rows, std::int64_t channels) {
    const std::vector<float> values = drawn(element, rows * channels, 23);
    std::vector<double> expected(channels);
    for (std::size_t i = 0; i < values.size(); ++i) expected[i % channels] += values[i];
    const DeviceArray data(element, values);
    const DeviceBytes scratch(column_sums_scratch(rows, channels));
    const DeviceArray sums(channels);
    column_sums(stream(), rows, channels, element, data.data(), scratch.data(), sums.floats());
    CHECK(first_difference(Element::f32, sums.read(), expected) == -1);
  });
}

}  // namespace troupe::cuda
