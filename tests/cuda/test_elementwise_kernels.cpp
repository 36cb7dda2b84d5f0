#include <numbers>

#include "kernel_trial.hpp"
#include "models/cuda/kernels/activations.hpp"
#include "models/cuda/kernels/elementwise.hpp"

namespace troupe::cuda {

namespace {

constexpr std::size_t kCounts[] = {1, 3, 8, 17, 64, 1000};
const float kNotANumber = std::numeric_limits<float>::quiet_NaN();

/// Sets a NaN, a zero and a negative zero.
std::vector<float> with_special(std::vector<float> values) {
  if (values.size() > 3) {
    values[0] = kNotANumber;
    values[1] = 0.0F;
    values[2] = -0.0F;
  }
  return values;
}

/// Calls test(element, count) for all combinations.
template <class Test>
void for_each_size(const Test& test) {
  for (const Element element : kElements)
    for (const std::size_t count : kCounts) {
      CAPTURE(size_of(element));
      CAPTURE(count);
      test(element, count);
    }
}

/// The argument of tanh in GELU's approximation (Hendrycks and Gimpel 2016, arXiv 1606.08415).
double tanh_argument(double x) { return std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }

double derivative(Activation activation, double x, double y) {
  switch (activation) {
    case Activation::gelu:
      return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    case Activation::gelu_tanh: {
      const double t = std::tanh(tanh_argument(x));
      const double inner = std::sqrt(2 / std::numbers::pi) * (1 + 3 * 0.044715 * x * x);
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner;
    }
    case Activation::sigmoid:
      return y * (1 - y);
    case Activation::tanh:
      return 1 - y * y;
  }
  return 0;
}

double value_of(Activation activation, double x) {
  switch (activation) {
    case Activation::gelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(tanh_argument(x)));
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
  }
  return 0;
}

}  // namespace

TEST_CASE("addition kernels equal plain loops, with and without a ReLU") {
  for_each_size([](Element element, std::size_t count) {
    for (const bool relu : {false, true}) {
      const std::vector<float> a = with_special(drawn(element, count, 1));
      const std::vector<float> b = drawn(element, count, 2);
      std::vector<float> expected(count);
      for (std::size_t i = 0; i < count; ++i) {
        const float sum = a[i] + b[i];
        expected[i] = stored(element, relu && sum < 0 ? 0.0F : sum);
      }
      const DeviceArray first(element, a);
      const DeviceArray second(element, b);
      const DeviceArray output(element, count);
      add(stream(), element, count, first.data(), second.data(), relu, output.data());
      CHECK(first_other_bits(output.read(), expected) == -1);
      if (relu) continue;
      accumulate(stream(), element, count, first.data(), second.data());
      CHECK(first_other_bits(second.read(), expected) == -1);
    }
  });
}

TEST_CASE("ReLU kernels clip values and gradients") {
  for_each_size([](Element element, std::size_t count) {
    const std::vector<float> x = with_special(drawn(element, count, 3));
    const std::vector<float> dy = drawn(element, count, 4);
    std::vector<float> cut(count);
    std::vector<float> dx(count);
    for (std::size_t i = 0; i < count; ++i) {
      cut[i] = x[i] < 0 ? 0.0F : x[i];
      dx[i] = cut[i] > 0 ? dy[i] : 0.0F;
    }
    const DeviceArray values(element, x);
    const DeviceArray gradient(element, dy);
    relu_forward(stream(), element, count, values.data(), values.data());
    CHECK(first_other_bits(values.read(), cut) == -1);
    relu_backward(stream(), element, count, values.data(), gradient.data());
    CHECK(first_other_bits(gradient.read(), dx) == -1);
  });
}

TEST_CASE("conversion kernels convert between floats and elements") {
  for_each_size([](Element element, std::size_t count) {
    std::vector<float> values = drawn(Element::f32, count, 5);
    for (float& value : values) value *= 1.2345F;
    std::vector<float> expected(count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = stored(element, values[i]);
    const DeviceArray from(values);
    const DeviceArray elements(element, count);
    const DeviceArray back(count);
    from_floats(stream(), element, count, from.floats(), elements.data());
    CHECK(first_other_bits(elements.read(), expected) == -1);
    to_floats(stream(), element, count, elements.data(), back.floats());
    CHECK(first_other_bits(back.read(), expected) == -1);
  });
}

TEST_CASE("activation kernels compute values and gradients") {
  for (const Activation activation : {Activation::gelu, Activation::gelu_tanh, Activation::sigmoid, Activation::tanh})
    for_each_size([=](Element element, std::size_t count) {
      CAPTURE(static_cast<int>(activation));
      const std::vector<float> x = drawn(element, count, 6);
      const std::vector<float> dy = drawn(element, count, 7);
      std::vector<double> expected(count);
      for (std::size_t i = 0; i < count; ++i) expected[i] = value_of(activation, x[i]);
      const DeviceArray input(element, x);
      const DeviceArray output(element, count);
      activation_forward(stream(), activation, element, count, input.data(), output.data());
      const std::vector<float> y = output.read();
      CHECK(first_difference(element, y, expected) == -1);

      for (std::size_t i = 0; i < count; ++i) expected[i] = dy[i] * derivative(activation, x[i], y[i]);
      const DeviceArray gradient(element, dy);
      activation_backward(stream(), activation, element, count, reads_output(activation) ? output.data() : input.data(),
                          gradient.data());
      CHECK(first_difference(element, gradient.read(), expected) == -1);
    });
}

TEST_CASE("a kernel over no elements is not started") {
  const DeviceArray one(std::vector<float>{1});
  accumulate(stream(), Element::f32, 0, one.data(), one.data());
  CHECK(one.read()[0] == 1);
}

}  // namespace troupe::cuda
