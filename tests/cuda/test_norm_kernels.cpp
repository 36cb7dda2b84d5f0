#include <algorithm>

#include "kernel_trial.hpp"
#include "models/cpu/layers/batch_norm_kernels.hpp"
#include "models/cuda/kernels/batch_norm.hpp"
#include "models/devices/statistics.hpp"

namespace troupe::cuda {

namespace {

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kSamples = 5;  // for the sums of the statistics

std::size_t statistics_count(std::int64_t channels) { return static_cast<std::size_t>(2 * round_up(channels)); }

/// A batch-norm in plain double-precision loops.
struct PlainNorm {
  std::int64_t rows, channels;
  std::vector<double> mean, deviation;

  PlainNorm(std::int64_t the_rows, std::int64_t the_channels, const std::vector<float>& x)
      : rows(the_rows), channels(the_channels), mean(channels), deviation(channels) {
    for (std::size_t i = 0; i < x.size(); ++i) mean[i % channels] += x[i] / static_cast<double>(rows);
    for (std::size_t i = 0; i < x.size(); ++i)
      deviation[i % channels] += std::pow(x[i] - mean[i % channels], 2) / static_cast<double>(rows);
    for (double& d : deviation) d = std::sqrt(d + kEpsilon);
  }
  double variance(std::size_t channel) const { return deviation[channel] * deviation[channel] - kEpsilon; }
  double normal(const std::vector<float>& x, std::size_t i) const {
    return (x[i] - mean[i % channels]) / deviation[i % channels];
  }
  /// Returns the tolerance for rounding in channels with little variance.
  double slack() const { return 1e-5 / *std::min_element(deviation.begin(), deviation.end()); }
};

/// The memory of the kernels for one batch.
struct NormTrial {
  NormShape shape;
  std::vector<float> x, scale, shift, running;
  DeviceArray input, scales, shifts, statistics, statistics_sums, output;
  DeviceBytes vector_memory, scratch;
  NormVectors vectors;

  NormTrial(const NormShape& the_shape, const std::vector<float>& values)
      : shape(the_shape),
        x(values),
        scale(drawn(Element::f32, shape.channels, 31)),
        shift(drawn(Element::f32, shape.channels, 32)),
        running(drawn(Element::f32, statistics_count(shape.channels), 33)),
        input(shape.element, x),
        scales(scale),
        shifts(shift),
        statistics(running),
        statistics_sums(running.size()),
        output(shape.element, x.size()),
        vector_memory(NormVectors::bytes(shape.channels)),
        scratch(norm_scratch(shape)),
        vectors(vector_memory.data(), shape.channels) {
    for (float& value : running) value = std::abs(value);  // like variances
    statistics.write(running);
  }

  void measure() {
    norm_measure(stream(), shape, kSamples, input.data(), {scales.floats(), shifts.floats()}, statistics.floats(),
                 statistics_sums.floats(), vectors, scratch.data());
  }
};

NormTrial trial_of(const NormShape& shape) {
  return NormTrial(shape, drawn(shape.element, shape.rows * shape.channels, 34));
}

/// Calls test(shape) for all combinations, and for enough rows that the summation tree has several stages.
template <class Test>
void for_each_shape(const Test& test) {
  const auto run = [&](const NormShape& shape) {
    CAPTURE(size_of(shape.element));
    CAPTURE(shape.rows);
    CAPTURE(shape.channels);
    CAPTURE(shape.relu);
    test(shape);
  };
  for (const Element element : kElements)
    for (const bool relu : {false, true}) {
      for (const std::int64_t channels : kChannelCounts)
        for (const std::int64_t rows : kRowCounts) run({rows, channels, element, relu});
      run({20001, 8, element, relu});
    }
}

}  // namespace

TEST_CASE("batch statistics kernels place the running statistics in the CPU's layout") {
  for_each_shape([](const NormShape& shape) {
    NormTrial trial = trial_of(shape);
    const PlainNorm plain(shape.rows, shape.channels, trial.x);
    trial.measure();
    std::vector<double> expected(trial.running.size());
    for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
      const std::size_t at = statistic_position(Statistic::mean, channel);
      const double distance = plain.mean[channel] - trial.running[at];
      expected[at] = kSamples * distance;
      expected[statistic_position(Statistic::variance, channel)] =
          kSamples * (plain.variance(channel) + distance * distance);
    }
    CHECK(first_difference(Element::f32, trial.statistics_sums.read(), expected) == -1);
  });
}

TEST_CASE("batch statistics kernels are as accurate as the CPU's") {
  for (const float center : {0.0F, 1000.0F}) {
    const std::int64_t pixels = 1000;
    std::vector<float> x = drawn(Element::f32, pixels * kChannelBlock, 35);
    for (float& value : x) value += center;
    NormTrial trial({pixels, kChannelBlock, Element::f32, false}, x);
    trial.measure();
    const cpu::Layout layout{.channels = kChannelBlock, .height = pixels, .inner = kChannelBlock};
    const cpu::NormShape shape(layout, /*batch=*/1, /*with_relu=*/false);
    double mean[kChannelBlock];
    double variance[kChannelBlock];
    cpu::channel_moments(shape, 0, x.data(), mean, variance);
    std::vector<float> found(kChannelBlock);
    REQUIRE(cudaStreamSynchronize(stream()) == cudaSuccess);
    for (const auto& [vector, of] : {std::pair{trial.vectors.mean, 0}, {trial.vectors.inverse_deviation, 1}}) {
      REQUIRE(cudaMemcpy(found.data(), vector, found.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(close(Element::f32, found[i], of == 0 ? mean[i] : 1 / std::sqrt(variance[i] + kEpsilon)));
    }
  }
}

TEST_CASE("normalising kernels support a second input and a ReLU") {
  for_each_shape([](const NormShape& shape) {
    for (const bool adds : {false, true}) {
      NormTrial trial = trial_of(shape);
      const PlainNorm plain(shape.rows, shape.channels, trial.x);
      const std::vector<float> more = drawn(shape.element, trial.x.size(), 36);
      const DeviceArray addend(shape.element, more);
      std::vector<double> expected(trial.x.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t channel = i % shape.channels;
        const double y = trial.scale[channel] * plain.normal(trial.x, i) + trial.shift[channel] + (adds ? more[i] : 0);
        expected[i] = shape.relu && y < 0 ? 0 : y;
      }
      trial.measure();
      norm_forward(stream(), shape, trial.input.data(), adds ? addend.data() : nullptr, trial.vectors,
                   trial.output.data());
      CHECK(first_difference(shape.element, trial.output.read(), expected, plain.slack()) == -1);
    }
  });
}

TEST_CASE("normalising kernels can use running statistics") {
  for_each_shape([](const NormShape& shape) {
    NormTrial trial = trial_of(shape);
    std::vector<double> expected(trial.x.size());
    double slack = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto channel = static_cast<std::int64_t>(i) % shape.channels;
      const double mean = trial.running[statistic_position(Statistic::mean, channel)];
      const double variance = trial.running[statistic_position(Statistic::variance, channel)];
      const double deviation = std::sqrt(variance + kEpsilon);
      const double y = trial.scale[channel] * (trial.x[i] - mean) / deviation + trial.shift[channel];
      expected[i] = shape.relu && y < 0 ? 0 : y;
      slack = std::max(slack, 1e-5 / deviation);
    }
    norm_recall(stream(), shape, {trial.scales.floats(), trial.shifts.floats()}, trial.statistics.floats(),
                trial.vectors);
    norm_forward(stream(), shape, trial.input.data(), nullptr, trial.vectors, trial.output.data());
    CHECK(first_difference(shape.element, trial.output.read(), expected, slack) == -1);
  });
}

TEST_CASE("batch-norm gradient kernels support two output gradients, in training and frozen mode") {
  for_each_shape([](const NormShape& shape) {
    for (const bool two : {false, true})
      for (const bool training : {true, false}) {
        NormTrial trial = trial_of(shape);
        const std::size_t count = trial.x.size();
        trial.measure();
        norm_forward(stream(), shape, trial.input.data(), nullptr, trial.vectors, trial.output.data());
        const std::vector<float> y = trial.output.read();
        std::vector<float> dz = drawn(shape.element, count, 37);
        const std::vector<float> more = drawn(shape.element, count, 38);
        const DeviceArray gradient(shape.element, dz);
        const DeviceArray second(shape.element, more);

        const PlainNorm plain(shape.rows, shape.channels, trial.x);
        std::vector<double> sums(shape.channels);
        std::vector<double> products(shape.channels);
        for (std::size_t i = 0; i < count; ++i) {
          if (two) dz[i] = stored(shape.element, dz[i] + more[i]);
          if (shape.relu && !(y[i] > 0)) dz[i] = 0;
          sums[i % shape.channels] += dz[i];
          products[i % shape.channels] += dz[i] * plain.normal(trial.x, i);
        }
        std::vector<double> dx(count);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t channel = i % shape.channels;
          const double through = sums[channel] + plain.normal(trial.x, i) * products[channel];
          dx[i] = trial.scale[channel] / plain.deviation[channel] *
                  (dz[i] - (training ? through / static_cast<double>(shape.rows) : 0));
        }

        const DeviceArray scale_gradients(shape.channels);
        const DeviceArray shift_gradients(shape.channels);
        norm_gradient_sums(stream(), shape, training, trial.input.data(), trial.output.data(),
                           two ? second.data() : nullptr, gradient.data(), trial.vectors, trial.scratch.data(),
                           {scale_gradients.floats(), shift_gradients.floats()});
        CHECK(first_other_bits(gradient.read(), dz) == -1);
        const double slack = 10 * plain.slack();
        CHECK(first_difference(Element::f32, scale_gradients.read(), products, slack) == -1);
        CHECK(first_difference(Element::f32, shift_gradients.read(), sums, slack) == -1);
        norm_input_gradients(stream(), shape, trial.input.data(), gradient.data(), trial.vectors, gradient.data());
        CHECK(first_difference(shape.element, gradient.read(), dx, slack) == -1);
      }
  });
}

}  // namespace troupe::cuda
