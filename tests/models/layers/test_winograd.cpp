#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "models/aligned.hpp"
#include "models/cpu/layers/winograd.hpp"
#include "models/cpu/packing.hpp"
#include "models/cpu/placed_network.hpp"
#include "models/reference_layers.hpp"
#include "runtime/random.hpp"

using namespace troupe;
using cpu::WinogradPass;
using test::Tensor;

namespace {

constexpr double kTolerance = 1e-5;  // relative to the largest value

/// Places a network that begins with `layer`.
cpu::PlacedNetwork place(cpu::Context& context, const models::Layer& layer, const SampleShape& input,
                         std::int64_t samples, Element element) {
  const std::vector<std::int64_t> shape{input.channels, input.height, input.width};
  const models::Graph graph({layer, models::global_average_pool()});
  return place_network(context, plan_network(graph, shape, {}), samples, element);
}

/// One convolution with a 3x3 kernel and the memory that it needs.
struct Trial {
  std::int64_t samples;
  models::Layer layer;
  cpu::Context context;
  cpu::PlacedNetwork network;
  std::vector<float> parameters;  ///< canonical: weights, then biases
  AlignedFloats weights;          ///< in the layout of the device
  AlignedFloats scratch;

  Trial(std::int64_t batch, const SampleShape& input, std::int64_t outputs)
      : samples(batch),
        layer(models::conv2d(outputs, {.kernel = 3, .padding = 1})),
        network(place(context, layer, input, samples, Element::f32)) {
    parameters.resize(static_cast<std::size_t>(outputs * (input.channels * 9 + 1)));
    Random random(1);
    for (float& value : parameters) value = 2 * random.uniform() - 1;
    weights.resize(network.parameters.size());
    const cpu::PlacedLayer& placed = this->placed();
    placed.weights->from_canonical(parameters.data(), weights.data());
    std::copy_n(parameters.end() - outputs, outputs, weights.begin() + static_cast<std::ptrdiff_t>(biases()));
  }

  const cpu::PlacedLayer& placed() const { return network.layers.front(); }
  std::size_t biases() const { return placed().parameters.vector(0); }

  Tensor run(WinogradPass::Direction direction, const Tensor& from) {
    const bool forward = direction == WinogradPass::Direction::forward;
    const cpu::PlacedLayer& at = placed();
    const auto pass = WinogradPass::make(context, at, samples, direction);
    REQUIRE(pass);
    scratch.resize(context.bytes() / sizeof(float));
    context.place(reinterpret_cast<std::byte*>(scratch.data()));
    const auto [read, written] = forward ? std::pair(at.input, at.output) : std::pair(at.output, at.input);
    const auto [in, out] =
        forward ? std::pair(at.planned.input, at.planned.output) : std::pair(at.planned.output, at.planned.input);
    const std::vector<float> plain(from.values.begin(), from.values.end());
    AlignedFloats input(static_cast<std::size_t>(samples * read.size()));
    cpu::pack(plain.data(), in, read, samples, input.data());
    AlignedFloats output(static_cast<std::size_t>(samples * written.size()));
    pass->run(input.data(), weights.data(), forward ? weights.data() + biases() : nullptr, output.data());
    std::vector<float> result(static_cast<std::size_t>(samples * out.size()));
    cpu::unpack(output.data(), out, written, samples, result.data());
    Tensor to(samples, out.channels, out.height, out.width);
    to.values.assign(result.begin(), result.end());
    return to;
  }
};

Tensor drawn(std::int64_t samples, const SampleShape& shape) {
  Tensor tensor(samples, shape.channels, shape.height, shape.width);
  Random random(2);
  for (double& value : tensor.values) value = static_cast<double>(2 * random.uniform() - 1);
  return tensor;
}

void check_near(const Tensor& result, const Tensor& expected) {
  REQUIRE(result.values.size() == expected.values.size());
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    largest = std::max(largest, std::abs(expected.values[i]));
    difference = std::max(difference, std::abs(result.values[i] - expected.values[i]));
  }
  CHECK(difference < kTolerance * largest);
}

}  // namespace

TEST_CASE("Winograd's algorithm computes the outputs and input gradients of plain loops") {
  const cpu::OneThread one_thread;
  // Whole tiles, tiles that reach beyond the image, images smaller than the kernel, and more tiles than run at once.
  for (const auto& [height, width] : {std::pair(8, 8), {5, 3}, {1, 1}, {2, 9}, {7, 12}, {29, 30}}) {
    for (const auto& [samples, inputs, outputs] : {std::tuple(1, 16, 16), {3, 20, 48}, {2, 33, 7}}) {
      const SampleShape input{inputs, height, width};
      const std::string described = input.text();
      CAPTURE(described);
      Trial trial(samples, input, outputs);
      const Tensor in = drawn(samples, input);
      const std::vector<double> parameters(trial.parameters.begin(), trial.parameters.end());
      const Tensor* const all[] = {&in};
      const Tensor out = test::forward(trial.layer, all, parameters.data(), true);
      check_near(trial.run(WinogradPass::Direction::forward, in), out);

      const Tensor out_gradient = drawn(samples, {outputs, height, width});
      Tensor in_gradient(samples, inputs, height, width);
      Tensor* const all_gradients[] = {&in_gradient};
      std::vector<double> parameters_gradient(parameters.size());
      test::backward(trial.layer, all, parameters.data(), out_gradient, all_gradients, parameters_gradient.data());
      check_near(trial.run(WinogradPass::Direction::input_gradient, out_gradient), in_gradient);
    }
  }
}

TEST_CASE("convolutions other than 3x3 with stride 1 and padding 1 have no Winograd pass") {
  const auto has_pass = [](const models::Layer& layer, std::int64_t channels, Element element) {
    cpu::Context context;
    const cpu::PlacedNetwork network = place(context, layer, {channels, 9, 9}, 2, element);
    return WinogradPass::make(context, network.layers.front(), 2, WinogradPass::Direction::forward) != nullptr;
  };
  const cpu::OneThread one_thread;
  CHECK(has_pass(models::conv2d(16, {.kernel = 3, .padding = 1}), 16, Element::f32));
  CHECK_FALSE(has_pass(models::conv2d(16, {.kernel = 3}), 16, Element::f32));
  CHECK_FALSE(has_pass(models::conv2d(16, {.kernel = 3, .stride = 2, .padding = 1}), 16, Element::f32));
  CHECK_FALSE(has_pass(models::conv2d(16, {.kernel = 5, .padding = 2}), 16, Element::f32));
  CHECK_FALSE(has_pass(models::conv2d(16, {.kernel = 3, .padding = 1}), 3, Element::f32));  // read without conversion
  if (cpu::has_bf16()) CHECK_FALSE(has_pass(models::conv2d(16, {.kernel = 3, .padding = 1}), 16, Element::bf16));
}
