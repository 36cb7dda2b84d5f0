#include <algorithm>

#include "models/files/images/image.hpp"
#include "models/files/images/scaling.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// The middle part of a row or a column: `size` pixels from pixel `first` on.
struct Middle {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

Middle middle_of(std::int64_t length, std::int64_t size) {
  size = std::clamp<std::int64_t>(size, 1, length);
  return {(length - size) / 2, size};
}

/// Scales some rows of one channel of an image to another width, and multiplies the pixels by `byte_scale`.
/// @param rows the numbers of the rows to scale
/// @param taps one element for each pixel of a new row
/// @param to receives the new rows, one after the other
void scale_rows(const Image& image, std::int64_t channel, const Middle& rows, const std::vector<Taps>& taps,
                float byte_scale, float* to) {
  for (std::int64_t y = rows.first; y < rows.first + rows.size; ++y) {
    const std::uint8_t* row = image.bytes.data() + y * image.width * image.channels + channel;
    for (const Taps& each : taps) {
      const std::uint8_t* from = row + each.first * image.channels;
      float sum = 0;
      for (const float share : each.shares) {
        sum += share * static_cast<float>(*from);
        from += image.channels;
      }
      *to++ = byte_scale * sum;
    }
  }
}

}  // namespace

ImageUse use_of(const std::vector<std::int64_t>& shape) {
  if (shape.size() == 2) return {1, shape[0], shape[1]};
  if (shape.size() == 3 && (shape[0] == 1 || shape[0] == 3)) return {shape[0], shape[1], shape[2]};
  throw_invalid("the network's samples are not grey or colour images; pass the data as .npy files");
}

void write_sample(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale,
                  std::span<float> sample) {
  const ImageUse use = use_of(shape);
  const Middle columns = middle_of(image.width, image.height * use.width / use.height);
  const Middle rows = middle_of(image.height, image.width * use.height / use.width);
  const std::vector<Taps> of_rows = taps_of(columns.first, columns.size, use.width);
  const std::vector<Taps> of_columns = taps_of(0, rows.size, use.height);
  std::vector<float> narrow(static_cast<std::size_t>(rows.size * use.width));
  float* to = sample.data();
  for (std::int64_t channel = 0; channel < use.channels; ++channel, to += use.height * use.width) {
    scale_rows(image, channel, rows, of_rows, byte_scale, narrow.data());
    scale_columns(narrow.data(), use.width, of_columns, to);
  }
}

std::vector<float> sample_of(const Image& image, const std::vector<std::int64_t>& shape, float byte_scale) {
  const ImageUse use = use_of(shape);
  std::vector<float> sample(static_cast<std::size_t>(use.channels * use.height * use.width));
  write_sample(image, shape, byte_scale, sample);
  return sample;
}

}  // namespace troupe
