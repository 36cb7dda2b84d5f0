#include <doctest/doctest.h>

#include <vector>

#include "cuda/kernel_trial.hpp"
#include "models/cuda/kernels/unfold.hpp"

// Convolutions as matrix products, against plain loops.
namespace troupe::cuda {

namespace {

constexpr std::int64_t kUnfolded = 3;  // samples

template <class Check>
void for_each_unfolding(const Check& check) {
  for (const Element element : kElements)
    for (const std::int64_t channels : kChannelCounts)
      for (const models::Window window : {models::Window{1, 2, 0}, {3, 1, 1}, {3, 2, 1}, {2, 2, 0}, {5, 1, 4}}) {
        const SampleShape input{.channels = channels, .height = 7, .width = 5};
        const Unfolding unfolding{input, window.slide(input, 4), window, element};
        CAPTURE(channels);
        CAPTURE(window.kernel);
        CAPTURE(window.stride);
        check(unfolding);
      }
}

/// Calls visit(place in the matrix, place in the input or -1) for every place in the matrix.
template <class Visit>
void for_each_place(const Unfolding& of, const Visit& visit) {
  std::size_t place = 0;
  for (std::int64_t sample = 0; sample < kUnfolded; ++sample)
    for (std::int64_t row = 0; row < of.output.height; ++row)
      for (std::int64_t column = 0; column < of.output.width; ++column)
        for (std::int64_t value = 0; value < of.columns(); ++value) {
          const std::int64_t at = value / of.input.channels;
          const std::int64_t y = row * of.window.stride - of.window.padding + at / of.window.kernel;
          const std::int64_t x = column * of.window.stride - of.window.padding + at % of.window.kernel;
          const bool there = value < of.values() && y >= 0 && y < of.input.height && x >= 0 && x < of.input.width;
          const std::int64_t pixel = (sample * of.input.height + y) * of.input.width + x;
          visit(place++, there ? pixel * of.input.channels + value % of.input.channels : -1);
        }
}

std::size_t matrix_size(const Unfolding& of) {
  return static_cast<std::size_t>(kUnfolded * of.output.height * of.output.width * of.columns());
}

}  // namespace

TEST_CASE("unfolding kernels copy the windows, with zeros beyond the border") {
  for_each_unfolding([](const Unfolding& unfolding) {
    const std::vector<float> x =
        drawn(unfolding.element, static_cast<std::size_t>(kUnfolded * unfolding.input.size()), 51);
    std::vector<float> expected(matrix_size(unfolding));
    for_each_place(unfolding, [&](std::size_t place, std::int64_t from) {
      if (from >= 0) expected[place] = x[static_cast<std::size_t>(from)];
    });
    const DeviceArray input(unfolding.element, x);
    const DeviceArray matrix(unfolding.element, expected.size());
    unfold(stream(), unfolding, kUnfolded, input.data(), matrix.data());
    CHECK(first_other_bits(matrix.read(), expected) == -1);
  });
}

TEST_CASE("folding kernels add all unfolded values of a place") {
  for_each_unfolding([](const Unfolding& unfolding) {
    const std::vector<float> values = drawn(Element::f32, matrix_size(unfolding), 52);
    std::vector<double> expected(static_cast<std::size_t>(kUnfolded * unfolding.input.size()));
    for_each_place(unfolding, [&](std::size_t place, std::int64_t from) {
      if (from >= 0) expected[static_cast<std::size_t>(from)] += values[place];
    });
    const DeviceArray matrix(values);
    const DeviceArray input(unfolding.element, expected.size());
    fold(stream(), unfolding, kUnfolded, matrix.floats(), input.data());
    CHECK(first_difference(unfolding.element, input.read(), expected) == -1);
  });
}

TEST_CASE("row kernels crop rows or pad them with zeros") {
  for (const Element element : kElements) {
    const std::vector<float> narrow = drawn(element, 5 * 3, 53);
    std::vector<float> wide(5 * 8);
    for (std::size_t i = 0; i < narrow.size(); ++i) wide[i / 3 * 8 + i % 3] = narrow[i];
    const DeviceArray from(element, narrow);
    const DeviceArray to(element, wide.size());
    const DeviceArray back(element, narrow.size());
    copy_rows(stream(), element, 5, 3, from.data(), 8, to.data());
    CHECK(first_other_bits(to.read(), wide) == -1);
    copy_rows(stream(), element, 5, 8, to.data(), 3, back.data());
    CHECK(first_other_bits(back.read(), narrow) == -1);
  }
}

}  // namespace troupe::cuda
