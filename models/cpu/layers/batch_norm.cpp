#include "troupe/layers/batch_norm.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "models/cpu/layer_kernels.hpp"
#include "models/cpu/layers/batch_norm_kernels.hpp"

namespace troupe::cpu {

namespace {

/// An array with one value for each channel of a block of channels.
template <class T>
using PerChannel = std::array<T, kChannelBlock>;

/// Computes a batch-norm. If the plan requires it, also adds a second input and applies a ReLU. Processes one block of
/// channels at a time, so that each loop over the block finds its input in the cache.
class BatchNorm final : public Operation {
 public:
  BatchNorm(const PlacedLayer& layer, std::int64_t batch)
      : shape_(layer.output, batch, layer.planned.relu),
        has_addend_(layer.planned.inputs.size() > 1),
        shift_vector_(layer.parameters.vector(1)),
        mean_(static_cast<std::size_t>(layer.output.channels)),
        inverse_deviation_(mean_.size()) {}

  StageTraits traits() const override {
    return {.reads_input = true,
            .reads_output = shape_.relu,
            .takes_two_gradients = true,
            .input_gradient_in_place = !has_addend_};
  }

  void forward(const ForwardOperands& at) override {
    PerChannel<float> scale{};
    PerChannel<float> shift{};
    for (std::int64_t block = 0; block < shape_.blocks; ++block) {
      const auto first = static_cast<std::size_t>(block * shape_.inner);
      if (at.statistics_sums != nullptr) {
        measure(block, at);
      } else {
        recall(first, at.statistics);
      }
      for (std::size_t i = 0; i < inner(); ++i) {
        scale[i] = at.weights[first + i] * inverse_deviation_[first + i];
        shift[i] = at.weights[shift_vector_ + first + i] - mean_[first + i] * scale[i];
      }
      scale_and_shift(shape_, block, at.input, at.addend, scale.data(), shift.data(), at.output);
    }
  }

  void backward(const BackwardOperands& at) override {
    for (std::int64_t block = 0; block < shape_.blocks; ++block) {
      const auto first = static_cast<std::size_t>(block * shape_.inner);
      PerChannel<double> sums{};
      PerChannel<double> products{};
      gradient_sums(shape_, block, at.input, at.output, at.second_gradient, &mean_[first], at.output_gradient,
                    sums.data(), products.data());
      for (std::size_t i = 0; i < inner(); ++i) {
        at.gradient[first + i] = static_cast<float>(products[i] * inverse_deviation_[first + i]);
        at.gradient[shift_vector_ + first + i] = static_cast<float>(sums[i]);
      }
      if (!at.context.training) sums = products = {};  // running statistics do not depend on the input
      if (at.input_gradient != nullptr) pass_on(block, at, sums, products);
    }
  }

 private:
  std::size_t inner() const { return static_cast<std::size_t>(shape_.inner); }

  /// Computes mean and deviation of the batch for the channels of `block`. Writes the sums from which running
  /// statistics are updated to `at.statistics_sums` (see ParameterLayout::update_statistics).
  void measure(std::int64_t block, const ForwardOperands& at) {
    PerChannel<double> mean{};
    PerChannel<double> variance{};
    channel_moments(shape_, block, at.input, mean.data(), variance.data());
    const auto samples = static_cast<double>(shape_.samples);
    for (std::size_t i = 0; i < inner(); ++i) {
      const std::size_t channel = static_cast<std::size_t>(block * shape_.inner) + i;
      mean_[channel] = static_cast<float>(mean[i]);
      inverse_deviation_[channel] = static_cast<float>(1 / std::sqrt(variance[i] + kNormEpsilon));
      const std::size_t at_mean = statistic_position(Statistic::mean, static_cast<std::int64_t>(channel));
      const std::size_t at_variance = statistic_position(Statistic::variance, static_cast<std::int64_t>(channel));
      const double shift = mean[i] - at.statistics[at_mean];
      at.statistics_sums[at_mean] = static_cast<float>(samples * shift);
      at.statistics_sums[at_variance] = static_cast<float>(samples * (variance[i] + shift * shift));
    }
  }

  void recall(std::size_t first, const float* statistics) {
    for (std::size_t channel = first; channel < first + inner(); ++channel) {
      const auto index = static_cast<std::int64_t>(channel);
      mean_[channel] = statistics[statistic_position(Statistic::mean, index)];
      const double variance = statistics[statistic_position(Statistic::variance, index)];
      inverse_deviation_[channel] = static_cast<float>(1 / std::sqrt(variance + kNormEpsilon));
    }
  }

  void pass_on(std::int64_t block, const BackwardOperands& at, const PerChannel<double>& sums,
               const PerChannel<double>& products) {
    const auto first = static_cast<std::size_t>(block * shape_.inner);
    PerChannel<float> by_gradient{};
    PerChannel<float> by_input{};
    PerChannel<float> constant{};
    for (std::size_t i = 0; i < inner(); ++i) {
      const double deviation = inverse_deviation_[first + i];
      const double scale = at.weights[first + i] * deviation;
      by_gradient[i] = static_cast<float>(scale);
      by_input[i] = static_cast<float>(-scale * deviation * deviation * products[i] / shape_.values());
      constant[i] = static_cast<float>(-scale * sums[i] / shape_.values());
    }
    input_gradients(shape_, block, at.input, at.output_gradient, &mean_[first], by_gradient.data(), by_input.data(),
                    constant.data(), at.input_gradient);
  }

  NormShape shape_;
  bool has_addend_;
  std::size_t shift_vector_;
  std::vector<float> mean_;  ///< mean of each channel in the forward pass
  std::vector<float> inverse_deviation_;
};

class BatchNormKernels final : public LayerKernels {
 public:
  void place(Context& /*context*/, PlacedLayer& layer, std::int64_t /*batch*/) const override {
    layer.parameters.vectors = 2;
    layer.parameters.channels = layer.planned.output.channels;
    layer.parameters.normalised = layer.input.pixels();
  }
  std::unique_ptr<Operation> make(Context& /*context*/, const PlacedLayer& layer, std::int64_t batch) const override {
    return std::make_unique<BatchNorm>(layer, batch);
  }
};

}  // namespace

}  // namespace troupe::cpu

namespace troupe::models {

std::unique_ptr<cpu::LayerKernels> BatchNorm::on_cpu() const { return std::make_unique<cpu::BatchNormKernels>(); }

}  // namespace troupe::models
