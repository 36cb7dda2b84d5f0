#include "models/cuda/kernels/dispatch.hpp"
#include "models/cuda/kernels/global_average.hpp"

namespace troupe::cuda {

namespace {

/// A kernel that computes the means of pixels. Each index processes one pack of channels of one sample.
template <class T, class Mean, int kCount>
struct MeanOfPixels {
  const T* input;
  std::uint32_t pixels;
  std::uint32_t packs;
  Mean* output;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const std::size_t channels = std::size_t{packs} * kCount;
    const Divided sample = divide(index, packs);
    const T* from = input + sample.quotient * pixels * channels + sample.remainder * kCount;
    Floats<kCount> mean{};
    for (std::uint32_t pixel = 0; pixel < pixels; ++pixel, from += channels) {
      const Floats<kCount> x = load<kCount>(from);
      for (int i = 0; i < kCount; ++i) mean[i] += x[i];
    }
    for (int i = 0; i < kCount; ++i) mean[i] /= static_cast<float>(pixels);
    store(mean, output + index * kCount);
  }
};

/// A kernel that computes the gradient of the input. Each index processes one pack of channels of one pixel.
template <class T, class Mean, int kCount>
struct SpreadOfMean {
  const Mean* output_gradient;
  std::uint32_t pixels;
  std::uint32_t packs;
  T* input_gradient;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided pixel = divide(index, packs);
    const std::size_t sample = divide(pixel.quotient, pixels).quotient;
    Floats<kCount> share = load<kCount>(output_gradient + (sample * packs + pixel.remainder) * kCount);
    for (int i = 0; i < kCount; ++i) share[i] /= static_cast<float>(pixels);
    store(share, input_gradient + index * kCount);
  }
};

/// Calls run(Elements<T, n>{}, Elements<Mean, m>{}). T is the type of pixels, n the number of channels that an index
/// processes, and Mean the type of means. m has no meaning.
template <class Run>
void with_both(const Averages& averages, const Run& run) {
  with_packs(averages.image, averages.channels,
             [&](auto image) { with_element(averages.mean, [&](auto mean) { run(image, mean); }); });
}

}  // namespace

void global_average_forward(cudaStream_t stream, const Averages& averages, const void* input, void* output) {
  with_both(averages, [&](auto image, auto mean) {
    using T = typename decltype(image)::Type;
    using Mean = typename decltype(mean)::Type;
    constexpr int kCount = decltype(image)::kPack;
    const auto packs = static_cast<std::uint32_t>(averages.channels / kCount);
    for_each(stream, static_cast<std::size_t>(averages.samples) * packs,
             MeanOfPixels<T, Mean, kCount>{static_cast<const T*>(input), static_cast<std::uint32_t>(averages.pixels),
                                           packs, static_cast<Mean*>(output)});
  });
}

void global_average_backward(cudaStream_t stream, const Averages& averages, const void* output_gradient,
                             void* input_gradient) {
  with_both(averages, [&](auto image, auto mean) {
    using T = typename decltype(image)::Type;
    using Mean = typename decltype(mean)::Type;
    constexpr int kCount = decltype(image)::kPack;
    const auto packs = static_cast<std::uint32_t>(averages.channels / kCount);
    for_each(stream, static_cast<std::size_t>(averages.samples * averages.pixels) * packs,
             SpreadOfMean<T, Mean, kCount>{static_cast<const Mean*>(output_gradient),
                                           static_cast<std::uint32_t>(averages.pixels), packs,
                                           static_cast<T*>(input_gradient)});
  });
}

}  // namespace troupe::cuda
