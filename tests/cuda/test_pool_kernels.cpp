#include <algorithm>

#include "kernel_trial.hpp"
#include "models/cuda/kernels/global_average.hpp"
#include "models/cuda/kernels/window_pool.hpp"

namespace troupe::cuda {

namespace {

constexpr std::int64_t kPooledSamples = 2;
constexpr models::Window kWindows[] = {{1, 1, 0}, {2, 2, 0}, {2, 3, 0}, {3, 2, 1}, {3, 1, 1}, {5, 3, 2}};

/// Calls test(pooling) for all combinations.
template <class Test>
void for_each_pooling(const Test& test) {
  for (const Element element : kElements)
    for (const std::int64_t channels : kChannelCounts)
      for (const ImageSides& image : kImages)
        for (const models::Window& window : kWindows) {
          if (window.kernel > std::min(image.height, image.width) + 2 * window.padding) continue;
          const auto places = [&](std::int64_t size) {
            return (size + 2 * window.padding - window.kernel) / window.stride + 1;
          };
          const Pooling pooling{
              .input = {.channels = channels, .height = image.height, .width = image.width},
              .output = {.channels = channels, .height = places(image.height), .width = places(image.width)},
              .window = window,
              .element = element};
          CAPTURE(size_of(element));
          CAPTURE(channels);
          CAPTURE(image.height);
          CAPTURE(window.kernel);
          CAPTURE(window.stride);
          test(pooling);
        }
}

/// Calls visit(position of the output, positions of its window in the input, row by row).
template <class Visit>
void for_each_window(const Pooling& pooling, const Visit& visit) {
  const SampleShape& in = pooling.input;
  const SampleShape& out = pooling.output;
  const models::Window& window = pooling.window;
  std::size_t position = 0;
  for (std::int64_t sample = 0; sample < kPooledSamples; ++sample)
    for (std::int64_t out_row = 0; out_row < out.height; ++out_row)
      for (std::int64_t out_column = 0; out_column < out.width; ++out_column)
        for (std::int64_t channel = 0; channel < in.channels; ++channel, ++position) {
          std::vector<std::size_t> covered;
          for (std::int64_t tap = 0; tap < window.kernel * window.kernel; ++tap) {
            const std::int64_t row = out_row * window.stride - window.padding + tap / window.kernel;
            const std::int64_t column = out_column * window.stride - window.padding + tap % window.kernel;
            if (row < 0 || row >= in.height || column < 0 || column >= in.width) continue;
            covered.push_back(((sample * in.height + row) * in.width + column) * in.channels + channel);
          }
          visit(position, covered);
        }
}

std::size_t count_of(const SampleShape& shape) { return static_cast<std::size_t>(kPooledSamples * shape.size()); }

/// Returns few distinct values, so that windows contain several equal maxima.
std::vector<float> coarse(std::size_t count) {
  std::vector<float> values = drawn(Element::f32, count, 41);
  for (float& value : values) value = std::round(value);
  return values;
}

}  // namespace

TEST_CASE("max-pooling kernels pass the gradient to the first maximum") {
  for_each_pooling([](const Pooling& pooling) {
    for (const bool relu : {false, true}) {
      std::vector<float> x = coarse(count_of(pooling.input));
      for (float& value : x) value -= 1;  // so that whole windows are below zero
      const std::vector<float> dy = drawn(pooling.element, count_of(pooling.output), 42);
      std::vector<float> y(dy.size());
      std::vector<double> dx(x.size());
      for_each_window(pooling, [&](std::size_t out, const std::vector<std::size_t>& covered) {
        const std::size_t best = *std::max_element(covered.begin(), covered.end(),
                                                   [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
        y[out] = relu && x[best] < 0 ? 0.0F : x[best];
        if (!relu || y[out] > 0) dx[best] += dy[out];
      });
      const DeviceArray input(pooling.element, x);
      const DeviceArray output(pooling.element, y.size());
      const DeviceArray output_gradient(pooling.element, dy);
      const DeviceArray input_gradient(pooling.element, x.size());
      const DeviceBytes scratch(max_pool_scratch(pooling, kPooledSamples));
      max_pool_forward(stream(), pooling, kPooledSamples, relu, input.data(), output.data());
      CHECK(first_other_bits(output.read(), y) == -1);
      max_pool_backward(stream(), pooling, kPooledSamples, relu, input.data(), output.data(), output_gradient.data(),
                        scratch.data(), input_gradient.data());
      CHECK(first_difference(pooling.element, input_gradient.read(), dx) == -1);
    }
  });
}

TEST_CASE("max-pooling kernels preserve NaN and infinity") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Pooling pooling{.input = {.channels = 1, .height = 2, .width = 8},
                        .output = {.channels = 1, .height = 1, .width = 4},
                        .window = {2, 2, 0},
                        .element = Element::f32};
  const DeviceArray input({nan, 1, 2, 1, -infinity, -infinity, infinity, 1,  //
                           nan, 2, 1, nan, -infinity, -infinity, 1, infinity});
  const DeviceArray output(4);
  const DeviceArray output_gradient({1, 2, 3, 4});
  const DeviceArray input_gradient(16);
  const DeviceBytes scratch(max_pool_scratch(pooling, 1));
  max_pool_forward(stream(), pooling, 1, /*relu=*/false, input.data(), output.data());
  CHECK(first_other_bits(output.read(), {nan, nan, -infinity, infinity}) == -1);
  max_pool_backward(stream(), pooling, 1, /*relu=*/false, input.data(), output.data(), output_gradient.data(),
                    scratch.data(), input_gradient.data());
  CHECK(input_gradient.read() == std::vector<float>{1, 0, 0, 0, 3, 0, 4, 0,  //
                                                    0, 0, 0, 2, 0, 0, 0, 0});
}

TEST_CASE("average pooling kernels count the zeros of the padding") {
  for_each_pooling([](const Pooling& pooling) {
    const std::vector<float> x = drawn(pooling.element, count_of(pooling.input), 43);
    const std::vector<float> dy = drawn(pooling.element, count_of(pooling.output), 44);
    const auto area = static_cast<double>(pooling.window.kernel * pooling.window.kernel);
    std::vector<double> y(dy.size());
    std::vector<double> dx(x.size());
    for_each_window(pooling, [&](std::size_t out, const std::vector<std::size_t>& covered) {
      for (const std::size_t in : covered) {
        y[out] += x[in] / area;
        dx[in] += dy[out] / area;
      }
    });
    const DeviceArray input(pooling.element, x);
    const DeviceArray output(pooling.element, y.size());
    const DeviceArray output_gradient(pooling.element, dy);
    const DeviceArray input_gradient(pooling.element, x.size());
    average_pool_forward(stream(), pooling, kPooledSamples, input.data(), output.data());
    CHECK(first_difference(pooling.element, output.read(), y) == -1);
    average_pool_backward(stream(), pooling, kPooledSamples, output_gradient.data(), input_gradient.data());
    CHECK(first_difference(pooling.element, input_gradient.read(), dx) == -1);
  });
}

TEST_CASE("global average kernels support floats and elements") {
  for (const Element image : kElements)
    for (const Element mean : kElements)
      for (const std::int64_t channels : kChannelCounts)
        for (const auto [height, width] : kImages) {
          const Averages averages{kPooledSamples, height * width, channels, image, mean};
          const auto pixels = static_cast<std::size_t>(averages.pixels);
          const auto each = static_cast<std::size_t>(channels);
          CAPTURE(size_of(image));
          CAPTURE(size_of(mean));
          CAPTURE(channels);
          CAPTURE(pixels);
          const std::vector<float> x = drawn(image, kPooledSamples * pixels * each, 45);
          const std::vector<float> dy = drawn(mean, kPooledSamples * each, 46);
          std::vector<double> y(dy.size());
          std::vector<double> dx(x.size());
          for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t at = i / each / pixels * each + i % each;
            y[at] += x[i] / static_cast<double>(pixels);
            dx[i] = dy[at] / static_cast<double>(pixels);
          }
          const DeviceArray input(image, x);
          const DeviceArray output(mean, y.size());
          const DeviceArray output_gradient(mean, dy);
          const DeviceArray input_gradient(image, x.size());
          global_average_forward(stream(), averages, input.data(), output.data());
          CHECK(first_difference(mean, output.read(), y) == -1);
          global_average_backward(stream(), averages, output_gradient.data(), input_gradient.data());
          CHECK(first_difference(image, input_gradient.read(), dx) == -1);
        }
}

}  // namespace troupe::cuda
