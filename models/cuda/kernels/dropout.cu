#include "models/cuda/kernels/dispatch.hpp"
#include "models/cuda/kernels/dropout.hpp"

namespace troupe::cuda {

namespace {

/// The random number generator computes this many random numbers at once. They are called a block.
constexpr std::uint32_t kNumbersOfBlock = 4;

struct DropRule {
  RandomStream random;
  float probability;
  float kept;  ///< the factor of values that are not set to zero

  TROUPE_HOST_DEVICE float factor(std::uint32_t word) const { return uniform_of(word) < probability ? 0.0F : kept; }
};

/// A kernel for dropout of flat features. Each index processes four adjacent values, which use one block of random
/// numbers.
template <class T>
struct DropFlat {
  const T* input;
  T* output;
  std::size_t count;
  DropRule rule;

  TROUPE_HOST_DEVICE void operator()(std::size_t block) const {
    const auto words = rule.random.words(block);
    std::size_t at = block * kNumbersOfBlock;
    if (at + kNumbersOfBlock > count) {
      for (std::uint32_t i = 0; at < count; ++i, ++at) store(to_float(input[at]) * rule.factor(words[i]), output[at]);
      return;
    }
    auto values = load<kNumbersOfBlock>(input + at);
    for (std::uint32_t i = 0; i < kNumbersOfBlock; ++i) values[i] *= rule.factor(words[i]);
    store(values, output + at);
  }
};

/// A kernel for dropout of images whose number of pixels is a multiple of four. Each index processes four pixels of one
/// channel, which use one block of random numbers.
template <class T>
struct DropPixels {
  const T* input;
  T* output;
  std::uint32_t channels;
  std::uint32_t blocks;  ///< number of blocks of random numbers for the pixels of one channel
  DropRule rule;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided by_channel = divide(index, channels);
    const Divided by_block = divide(by_channel.quotient, blocks);
    const std::uint32_t channel = by_channel.remainder;
    const auto words = rule.random.words((by_block.quotient * channels + channel) * blocks + by_block.remainder);
    std::size_t at = by_channel.quotient * kNumbersOfBlock * channels + channel;
    for (std::uint32_t i = 0; i < kNumbersOfBlock; ++i, at += channels)
      store(to_float(input[at]) * rule.factor(words[i]), output[at]);
  }
};

/// A kernel for dropout of any images. Each index processes one value.
template <class T>
struct DropValue {
  const T* input;
  T* output;
  std::uint32_t channels;
  std::uint32_t pixels;
  DropRule rule;

  TROUPE_HOST_DEVICE void operator()(std::size_t at) const {
    const Divided by_channel = divide(at, channels);
    const Divided by_pixel = divide(by_channel.quotient, pixels);
    const std::size_t number = (by_pixel.quotient * channels + by_channel.remainder) * pixels + by_pixel.remainder;
    const auto words = rule.random.words(number / kNumbersOfBlock);
    store(to_float(input[at]) * rule.factor(words[number % kNumbersOfBlock]), output[at]);
  }
};

}  // namespace

void dropout(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
             const RandomStream& random, float probability, const void* input, void* output) {
  const DropRule rule{random, probability, 1 / (1 - probability)};
  const auto channels = static_cast<std::uint32_t>(shape.channels);
  const auto pixels = static_cast<std::uint32_t>(shape.height * shape.width);
  const auto count = static_cast<std::size_t>(samples * shape.size());
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    const auto* const from = static_cast<const T*>(input);
    auto* const to = static_cast<T*>(output);
    if (pixels == 1) return for_each(stream, divide_up(count, kNumbersOfBlock), DropFlat<T>{from, to, count, rule});
    if (pixels % kNumbersOfBlock == 0)
      return for_each(stream, count / kNumbersOfBlock,
                      DropPixels<T>{from, to, channels, pixels / kNumbersOfBlock, rule});
    for_each(stream, count, DropValue<T>{from, to, channels, pixels, rule});
  });
}

}  // namespace troupe::cuda
