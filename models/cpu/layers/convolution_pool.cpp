#include <algorithm>
#include <vector>

#include "models/cpu/layers/convolution.hpp"
#include "models/cpu/layers/window_pool.hpp"

namespace troupe::cpu {

namespace {

/// Minimum size in bytes of the values between the two layers for one slice of the batch. The number of samples of a
/// slice is the smallest power of two that reaches this size, but at most kMostSamples. Measurements show that with
/// smaller slices, the convolution loses more time than the cache saves.
constexpr std::int64_t kSliceBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMostSamples = 32;

std::int64_t slice_samples(const PlacedLayer& convolution, std::int64_t batch) {
  const auto sample_bytes = static_cast<std::int64_t>(convolution.output.bytes(1));
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
      pools_.push_back(make_plain_max_pool(pool, std::min(samples_, batch - first)));
    context.slice.reserve(convolution.output.bytes(samples_));
  }

  StageTraits traits() const override { return {.reads_input = learns()}; }

  void prepare_backward() override {
    whole_->prepare_backward();
    if (rest_) rest_->prepare_backward();
    if (learns()) context_.slice_gradient.reserve(convolution_.parameters.size() * sizeof(float));
  }

  void forward(const ForwardOperands& at) override {
    void* const between = context_.slice.data();
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      convolution(i).forward({.context = at.context,
                              .input = sample(at.input, convolution_.input, first(i)),
                              .output = between,
                              .weights = at.weights});
      pools_[i]->forward(
          {.context = at.context, .input = between, .output = sample(at.output, pool_.output, first(i))});
    }
  }

  void backward(const BackwardOperands& at) override {
    void* const between = context_.slice.data();
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      float* const gradient = i == 0 ? at.gradient : context_.slice_gradient.floats();
      pools_[i]->backward({.context = at.context,
                           .output_gradient = sample(at.output_gradient, pool_.output, first(i)),
                           .input_gradient = between});
      convolution(i).backward({.context = at.context,
                               .input = sample(at.input, convolution_.input, first(i)),
                               .output_gradient = between,
                               .input_gradient = at.input_gradient == nullptr
                                                     ? nullptr
                                                     : sample(at.input_gradient, convolution_.input, first(i)),
                               .weights = at.weights,
                               .gradient = gradient});
      if (i > 0 && learns())
        accumulate(gradient, at.gradient, static_cast<std::int64_t>(convolution_.parameters.size()));
    }
  }

 private:
  bool learns() const { return !convolution_.planned.keeps_tensors; }
  Operation& convolution(std::size_t slice) { return rest_ && slice + 1 == pools_.size() ? *rest_ : *whole_; }
  std::int64_t first(std::size_t slice) const { return static_cast<std::int64_t>(slice) * samples_; }

  Context& context_;
  const PlacedLayer& convolution_;
  const PlacedLayer& pool_;
  std::int64_t samples_;
  std::unique_ptr<Operation> whole_, rest_;
  std::vector<std::unique_ptr<Operation>> pools_;  ///< one for each slice, because each stores positions of maxima
};

}  // namespace

std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch) {
  return std::make_unique<ConvolutionPool>(context, convolution, pool, batch);
}

}  // namespace troupe::cpu
