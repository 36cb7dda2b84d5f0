#include "models/cuda/kernels/dispatch.hpp"
#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/kernels/packing.hpp"

namespace troupe::cuda {

namespace {

/// The number of channels of one pixel that an index of a kernel processes. Neighbouring indices process neighbouring
/// pixels, so that neighbouring threads access adjacent plain values. In the packed values, each thread accesses
/// adjacent channels.
constexpr std::uint32_t kChannelsOfIndex = 8;

struct PlainIndex {
  std::size_t plain;       ///< position of the first channel's value in the plain values
  std::size_t packed;      ///< position of the first channel's value in the packed values
  std::uint32_t channels;  ///< number of channels that the index processes
};

struct PlainShape {
  std::uint32_t channels;
  std::uint32_t groups;  ///< number of groups of kChannelsOfIndex channels; the last group may have fewer
  std::uint32_t pixels;

  TROUPE_HOST_DEVICE PlainIndex at(std::size_t index) const {
    const Divided by_pixel = divide(index, pixels);
    const Divided by_group = divide(by_pixel.quotient, groups);
    const std::uint32_t first = by_group.remainder * kChannelsOfIndex;
    const std::uint32_t left = channels - first;
    return {(by_group.quotient * channels + first) * pixels + by_pixel.remainder,
            (by_group.quotient * pixels + by_pixel.remainder) * channels + first,
            left < kChannelsOfIndex ? left : kChannelsOfIndex};
  }
};

/// The kernel of from_plain, which converts raw samples to activations.
/// @tparam kWhole true: the number of channels is a multiple of kChannelsOfIndex
template <class T, bool kWhole>
struct FromPlain {
  PlainShape shape;
  const float* plain;
  T* packed;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PlainIndex at = shape.at(index);
    const float* const from = plain + at.plain;
    if constexpr (kWhole) {
      Floats<kChannelsOfIndex> values;
      for (std::uint32_t i = 0; i < kChannelsOfIndex; ++i) values[i] = from[std::size_t{i} * shape.pixels];
      store(values, packed + at.packed);
    } else {
      for (std::uint32_t i = 0; i < at.channels; ++i) store(from[std::size_t{i} * shape.pixels], packed[at.packed + i]);
    }
  }
};

template <class T, bool kWhole>
struct ToPlain {
  PlainShape shape;
  const T* packed;
  float* plain;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const PlainIndex at = shape.at(index);
    float* const to = plain + at.plain;
    if constexpr (kWhole) {
      const auto values = load<kChannelsOfIndex>(packed + at.packed);
      for (std::uint32_t i = 0; i < kChannelsOfIndex; ++i) to[std::size_t{i} * shape.pixels] = values[i];
    } else {
      for (std::uint32_t i = 0; i < at.channels; ++i)
        to[std::size_t{i} * shape.pixels] = to_float(packed[at.packed + i]);
    }
  }
};

/// A sequence is stored in the order of its plain values, as flat features are.
PlainShape plain_shape(const SampleShape& shape) {
  if (shape.sequence) return {.channels = static_cast<std::uint32_t>(shape.size()), .groups = 1, .pixels = 1};
  return {.channels = static_cast<std::uint32_t>(shape.channels),
          .groups = static_cast<std::uint32_t>(divide_up(shape.channels, kChannelsOfIndex)),
          .pixels = static_cast<std::uint32_t>(shape.height * shape.width)};
}

std::size_t indices(const PlainShape& shape, std::int64_t samples) {
  return static_cast<std::size_t>(samples) * shape.groups * shape.pixels;
}

}  // namespace

void from_plain(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, const float* plain,
                Element element, void* activations) {
  const PlainShape at = plain_shape(shape);
  if (at.pixels == 1) return from_floats(stream, element, samples * shape.size(), plain, activations);
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    auto* const packed = static_cast<T*>(activations);
    if (at.channels % kChannelsOfIndex == 0)
      return for_each(stream, indices(at, samples), FromPlain<T, true>{at, plain, packed});
    for_each(stream, indices(at, samples), FromPlain<T, false>{at, plain, packed});
  });
}

void to_plain(cudaStream_t stream, const SampleShape& shape, std::int64_t samples, Element element,
              const void* activations, float* plain) {
  const PlainShape at = plain_shape(shape);
  if (at.pixels == 1) return to_floats(stream, element, samples * shape.size(), activations, plain);
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    const auto* const packed = static_cast<const T*>(activations);
    if (at.channels % kChannelsOfIndex == 0)
      return for_each(stream, indices(at, samples), ToPlain<T, true>{at, packed, plain});
    for_each(stream, indices(at, samples), ToPlain<T, false>{at, packed, plain});
  });
}

}  // namespace troupe::cuda
