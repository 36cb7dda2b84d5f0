#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "models/files.hpp"
#include "models/network_trial.hpp"
#include "models/reference_layers.hpp"
#include "troupe/layers/average_pool.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

/// Calls `visit` for each output and each input in its window.
template <class Visit>
void slide(const LayerSpec& layer, const Tensor& in, const Tensor& out, const Visit& visit) {
  const Window& window = dynamic_cast<const AveragePool&>(layer).window();
  for (std::int64_t n = 0; n < out.samples; ++n)
    for (std::int64_t c = 0; c < out.channels; ++c)
      for (std::int64_t y = 0; y < out.height; ++y)
        for (std::int64_t x = 0; x < out.width; ++x)
          for (std::int64_t i = 0; i < window.kernel * window.kernel; ++i) {
            const std::int64_t row = y * window.stride - window.padding + i / window.kernel;
            const std::int64_t column = x * window.stride - window.padding + i % window.kernel;
            if (in.has(row, column)) visit(n, c, y, x, row, column, static_cast<double>(window.kernel * window.kernel));
          }
}

Tensor averages(const LayerSpec& layer, const Tensor& in) {
  const SampleShape shape{.channels = in.channels, .height = in.height, .width = in.width};
  const SampleShape of = layer.output(std::span(&shape, 1));
  Tensor out(in.samples, of.channels, of.height, of.width);
  slide(layer, in, out, [&](auto n, auto c, auto y, auto x, auto row, auto column, double count) {
    out.at(n, c, y, x) += in.at(n, c, row, column) / count;
  });
  return out;
}

void spread(const LayerSpec& layer, const Tensor& in, const Tensor& out_gradient, Tensor& in_gradient) {
  slide(layer, in, out_gradient, [&](auto n, auto c, auto y, auto x, auto row, auto column, double count) {
    in_gradient.at(n, c, row, column) += out_gradient.at(n, c, y, x) / count;
  });
}

const std::vector<Case> kCases{
    {"average pooling",
     {1, 8, 8},
     {conv2d(3, {.kernel = 3, .padding = 1}), avg_pool2d({.kernel = 2}), flatten(), linear(3)}},
    {"first", {5, 6, 7}, {avg_pool2d({.kernel = 2}), conv2d(3, {.kernel = 3}), flatten(), linear(3)}},
    {"across the border",
     {3, 9, 11},
     {conv2d(17, {.kernel = 3, .padding = 1}), relu(), avg_pool2d({.kernel = 3, .stride = 2, .padding = 1}), flatten(),
      linear(3)}},
    {"overlapping",
     {1, 7, 5},
     {conv2d(18, {.kernel = 3, .padding = 1}), avg_pool2d({.kernel = 3, .stride = 1}), relu(), flatten(), linear(3)}},
    {"with gaps",
     {2, 9, 11},
     {conv2d(5, {.kernel = 3, .padding = 1}), avg_pool2d({.kernel = 2, .stride = 3}), flatten(), linear(3)}},
    {"behind batch-norm",
     {2, 8, 8},
     {conv2d(5, {.kernel = 3, .padding = 1}), batch_norm(), relu(), avg_pool2d({.kernel = 4}), flatten(), linear(3)}}};

}  // namespace

TEST_CASE("average pooling equals PyTorch's avg_pool2d") {
  Tensor in(1, 1, 5, 5);
  std::iota(in.values.begin(), in.values.end(), 1.0);
  const std::vector<double> strided{1.7777778, 3.6666667, 3.1111112, 7.6666665, 13.0,
                                    9.666667,  8.444444,  13.666667, 9.777778};
  const Tensor found = averages(*avg_pool2d({.kernel = 3, .stride = 2, .padding = 1}), in);
  REQUIRE(found.values.size() == strided.size());
  for (std::size_t i = 0; i < strided.size(); ++i) CHECK(found.values[i] == doctest::Approx(strided[i]).epsilon(1e-6));
  CHECK(averages(*avg_pool2d({.kernel = 2}), in).values == std::vector<double>{4, 6, 14, 16});
}

TEST_CASE("networks with average pooling have the gradients of plain loops") {
  add_plain_layer("average pooling", {.forward = averages, .backward = spread});
  for (const Case& at : kCases) {
    for (const std::int64_t batch : {1, 2, 5}) check_against_reference(NetworkTrial(at, batch));
    check_mixed_precision(at, 5);
  }
}

TEST_CASE("average pooling refuses windows that do not fit") {
  const auto plan = [](const Layer& layer) {
    plan_network(Graph({layer, flatten(), linear(kClasses)}), std::vector<std::int64_t>{4, 4}, kClasses);
  };
  testing::check_throws(ErrorCode::invalid_argument, "layer 0 (average pooling) has a kernel of 5",
                        [&] { plan(avg_pool2d({.kernel = 5})); });
  testing::check_throws(ErrorCode::invalid_argument, "at most half its kernel",
                        [&] { plan(avg_pool2d({.kernel = 3, .stride = 1, .padding = 2})); });
}
