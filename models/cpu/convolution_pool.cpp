#include <algorithm>
#include <vector>

#include "models/cpu/operation.hpp"
#include "runtime/simd.hpp"

namespace troupe::cpu {

namespace {

/// A slice is the smallest power of two of samples that leaves so much between the layers (measured: smaller ones cost
/// the convolutions more than they spare the second-level cache).
constexpr std::int64_t kSliceBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMostSamples = 32;

TROUPE_CLONES void add(const float* __restrict from, float* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

std::int64_t slice_samples(const PlacedLayer& convolution, std::int64_t batch) {
  const std::int64_t sample_bytes = convolution.output.size() * static_cast<std::int64_t>(sizeof(float));
  std::int64_t samples = 1;
  while (samples < std::min(kMostSamples, batch) && samples * sample_bytes < kSliceBytes) samples *= 2;
  return std::min(samples, batch);
}

class ConvolutionPool final : public Operation {
 public:
  ConvolutionPool(Context& context, const PlacedLayer& convolution, const PlacedLayer& pool, std::int64_t batch)
      : context_(context), convolution_(convolution), pool_(pool), samples_(slice_samples(convolution, batch)) {
    whole_ = make_convolution(context, convolution, samples_);
    if (batch % samples_ != 0) rest_ = make_convolution(context, convolution, batch % samples_);
    for (std::int64_t first = 0; first < batch; first += samples_)
      pools_.push_back(make_max_pool(pool, std::min(samples_, batch - first)));
    const auto between = static_cast<std::size_t>(samples_ * convolution.output.size());
    context.slice.resize(std::max(context.slice.size(), between));
    context.slice_gradient.resize(std::max(context.slice_gradient.size(), convolution.parameters.size()));
  }

  void forward(const float* input, const float* weights, float* output) override {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      convolution(i).forward(input + first_input(i), weights, context_.slice.data());
      pools_[i]->forward(context_.slice.data(), nullptr, output + first_output(i));
    }
  }

  void backward(const float* input, const float* /*output*/, const float* weights, float* output_gradient,
                float* input_gradient, float* gradient) override {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      float* const between = context_.slice.data();
      float* const slice_gradient = i == 0 ? gradient : context_.slice_gradient.data();
      pools_[i]->backward(nullptr, nullptr, nullptr, output_gradient + first_output(i), between, nullptr);
      convolution(i).backward(input + first_input(i), nullptr, weights, between,
                              input_gradient == nullptr ? nullptr : input_gradient + first_input(i), slice_gradient);
      if (i > 0) add(slice_gradient, gradient, convolution_.parameters.size());
    }
  }

 private:
  Operation& convolution(std::size_t slice) { return rest_ && slice + 1 == pools_.size() ? *rest_ : *whole_; }
  std::int64_t first_input(std::size_t slice) const {
    return static_cast<std::int64_t>(slice) * samples_ * convolution_.input.size();
  }
  std::int64_t first_output(std::size_t slice) const {
    return static_cast<std::int64_t>(slice) * samples_ * pool_.output.size();
  }

  Context& context_;
  const PlacedLayer& convolution_;
  const PlacedLayer& pool_;
  std::int64_t samples_;
  std::unique_ptr<Operation> whole_, rest_;
  std::vector<std::unique_ptr<Operation>> pools_;  ///< one per slice: each remembers where its maxima were
};

}  // namespace

std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch) {
  return std::make_unique<ConvolutionPool>(context, convolution, pool, batch);
}

}  // namespace troupe::cpu
