#include "models/cpu/layers/winograd_transforms.hpp"

#include <algorithm>

#include "models/cpu/element.hpp"
#include "runtime/simd.hpp"

namespace troupe::cpu {

namespace {

constexpr int kSide = kWinogradInputs;
constexpr int kOutputs = kWinogradOutputs;
constexpr int kTaps = kWinogradKernel * kWinogradKernel;

template <int kInner>
using Vector = typename Pixel<kInner>::Floats;

/// Transforms six inputs d, which are `step` elements apart, in place: B^T d in the paper (see
/// winograd_transforms.hpp).
template <class V>
[[gnu::always_inline]] inline void transform_inputs(V* d, int step) {
  const V d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
  const V even = d4 - 4.0F * d2;
  const V odd = d3 - 4.0F * d1;
  const V even_half = d4 - d2;
  const V odd_half = 2.0F * (d3 - d1);
  d[0] = 4.0F * d0 - 5.0F * d2 + d4;
  d[step] = even + odd;
  d[2 * step] = even - odd;
  d[3 * step] = even_half + odd_half;
  d[4 * step] = even_half - odd_half;
  d[5 * step] = 4.0F * d1 - 5.0F * d3 + d5;
}

/// Transforms six products m, which are `step` elements apart, to four outputs, in place: A^T m in the paper (see
/// winograd_transforms.hpp).
template <class V>
[[gnu::always_inline]] inline void transform_products(V* m, int step) {
  const V sum = m[step] + m[2 * step];
  const V difference = m[step] - m[2 * step];
  const V far_sum = m[3 * step] + m[4 * step];
  const V far_difference = m[3 * step] - m[4 * step];
  const V last = m[5 * step];
  m[0] = m[0] + sum + far_sum;
  m[step] = difference + 2.0F * far_difference;
  m[2 * step] = sum + 4.0F * far_sum;
  m[3 * step] = difference + 8.0F * far_difference + last;
}

/// Transforms three weights g, which are `from_step` elements apart, to six values, which are `to_step` elements apart:
/// G g in the paper (see winograd_transforms.hpp).
template <class V>
[[gnu::always_inline]] inline void transform_taps(const V* g, int from_step, V* to, int to_step) {
  const V ends = g[0] + g[2 * from_step];
  const V middle = g[from_step];
  const V far_ends = g[0] + 4.0F * g[2 * from_step];
  to[0] = 0.25F * g[0];
  to[to_step] = (-1.0F / 6) * (ends + middle);
  to[2 * to_step] = (-1.0F / 6) * (ends - middle);
  to[3 * to_step] = (1.0F / 24) * (far_ends + 2.0F * middle);
  to[4 * to_step] = (1.0F / 24) * (far_ends - 2.0F * middle);
  to[5 * to_step] = g[2 * from_step];
}

/// The position of a tile (4x4 outputs) in a batch.
struct Tile {
  std::int64_t sample;
  int row, column;  ///< row and column of the tile's first output
};

Tile tile_at(const WinogradImages& images, std::int64_t number) {
  const std::int64_t place = number % images.tiles();
  return {number / images.tiles(), static_cast<int>(place / images.tile_columns()) * kOutputs,
          static_cast<int>(place % images.tile_columns()) * kOutputs};
}

/// Loads the 6x6 inputs of a tile for one block of channels. Inputs outside the image are zero.
/// @param image the block of channels of the tile's sample
/// @param d receives the inputs, row by row
template <int kInner>
[[gnu::always_inline]] inline void load_inputs(const WinogradImages& images, const Tile& tile, const float* image,
                                               Vector<kInner>* d) {
  const int height = static_cast<int>(images.height);
  const int width = static_cast<int>(images.width);
  const int top = tile.row - 1;  // 1 is the padding
  const int left = tile.column - 1;
  const bool inside = top >= 0 && left >= 0 && top + kSide <= height && left + kSide <= width;
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column) {
      const int y = top + row;
      const int x = left + column;
      Vector<kInner>& value = d[row * kSide + column];
      if (inside || (y >= 0 && y < height && x >= 0 && x < width))
        load<kInner>(image + (std::int64_t{y} * width + x) * kInner, value);
      else
        value = Vector<kInner>{};
    }
}

template <int kInner>
[[gnu::always_inline]] inline void input_of_tiles(const WinogradImages& images, TileRange tiles, const float* input,
                                                  const WinogradMatrices<float>& to) {
  const std::int64_t block = images.height * images.width * kInner;
  for (std::int64_t i = 0; i < tiles.count; ++i) {
    const Tile tile = tile_at(images, tiles.first + i);
    for (std::int64_t channel = 0; channel < images.channels; channel += kInner) {
      Vector<kInner> d[kSide * kSide];
      const std::int64_t number = (tile.sample * images.channels + channel) / kInner;
      load_inputs<kInner>(images, tile, input + number * block, d);
      for (int column = 0; column < kSide; ++column) transform_inputs(d + column, kSide);
      for (int row = 0; row < kSide; ++row) transform_inputs(d + row * kSide, 1);
      float* const target = to.data + i * images.channels + channel;
      for (int place = 0; place < kSide * kSide; ++place) store<kInner>(d[place], target + place * to.stride);
    }
  }
}

template <int kInner>
[[gnu::always_inline]] inline void output_of_tiles(const WinogradImages& images, TileRange tiles,
                                                   const WinogradMatrices<const float>& from, const float* biases,
                                                   float* output) {
  const std::int64_t block = images.height * images.width * kInner;
  for (std::int64_t i = 0; i < tiles.count; ++i) {
    const Tile tile = tile_at(images, tiles.first + i);
    const int rows = static_cast<int>(std::min<std::int64_t>(kOutputs, images.height - tile.row));
    const int columns = static_cast<int>(std::min<std::int64_t>(kOutputs, images.width - tile.column));
    for (std::int64_t channel = 0; channel < images.channels; channel += kInner) {
      Vector<kInner> m[kSide * kSide];
      const float* const source = from.data + i * images.channels + channel;
      for (int place = 0; place < kSide * kSide; ++place) load<kInner>(source + place * from.stride, m[place]);
      for (int column = 0; column < kSide; ++column) transform_products(m + column, kSide);
      for (int row = 0; row < kOutputs; ++row) transform_products(m + row * kSide, 1);
      Vector<kInner> bias{};
      if (biases != nullptr) load<kInner>(biases + channel, bias);
      const std::int64_t number = (tile.sample * images.channels + channel) / kInner;
      float* const target = output + number * block + (std::int64_t{tile.row} * images.width + tile.column) * kInner;
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          store<kInner>(m[row * kSide + column] + bias, target + (row * images.width + column) * kInner);
    }
  }
}

template <int kInner>
[[gnu::always_inline]] inline void weights_of_blocks(const WinogradWeights& weights, const float* from,
                                                     const WinogradMatrices<float>& to) {
  for (std::int64_t row = 0; row < weights.rows; ++row)
    for (std::int64_t column = 0; column < weights.columns; column += kInner) {
      const float* const block = from + row / kInner * weights.row_block + column / kInner * weights.column_block;
      Vector<kInner> g[kTaps];
      for (int tap = 0; tap < kTaps; ++tap) {
        const int taken = weights.turned ? kTaps - 1 - tap : tap;
        load<kInner>(block + (taken * kInner + row % kInner) * kInner, g[tap]);
      }
      Vector<kInner> half[kSide * kWinogradKernel];
      Vector<kInner> u[kSide * kSide];
      for (int x = 0; x < kWinogradKernel; ++x) transform_taps(g + x, kWinogradKernel, half + x, kWinogradKernel);
      for (int y = 0; y < kSide; ++y) transform_taps(half + y * kWinogradKernel, 1, u + y * kSide, 1);
      float* const target = to.data + row * weights.columns + column;
      for (int place = 0; place < kSide * kSide; ++place) store<kInner>(u[place], target + place * to.stride);
    }
}

TROUPE_CLONES void input_by_16(const WinogradImages& images, TileRange tiles, const float* input,
                               const WinogradMatrices<float>& to) {
  input_of_tiles<16>(images, tiles, input, to);
}
TROUPE_CLONES void input_by_8(const WinogradImages& images, TileRange tiles, const float* input,
                              const WinogradMatrices<float>& to) {
  input_of_tiles<8>(images, tiles, input, to);
}
TROUPE_CLONES void output_by_16(const WinogradImages& images, TileRange tiles,
                                const WinogradMatrices<const float>& from, const float* biases, float* output) {
  output_of_tiles<16>(images, tiles, from, biases, output);
}
TROUPE_CLONES void output_by_8(const WinogradImages& images, TileRange tiles, const WinogradMatrices<const float>& from,
                               const float* biases, float* output) {
  output_of_tiles<8>(images, tiles, from, biases, output);
}
TROUPE_CLONES void weights_by_16(const WinogradWeights& weights, const float* from, const WinogradMatrices<float>& to) {
  weights_of_blocks<16>(weights, from, to);
}
TROUPE_CLONES void weights_by_8(const WinogradWeights& weights, const float* from, const WinogradMatrices<float>& to) {
  weights_of_blocks<8>(weights, from, to);
}

}  // namespace

void transform_input(const WinogradImages& images, TileRange tiles, const float* input,
                     const WinogradMatrices<float>& to) {
  (images.inner == 16 ? input_by_16 : input_by_8)(images, tiles, input, to);
}

void transform_output(const WinogradImages& images, TileRange tiles, const WinogradMatrices<const float>& from,
                      const float* biases, float* output) {
  (images.inner == 16 ? output_by_16 : output_by_8)(images, tiles, from, biases, output);
}

void transform_weights(const WinogradWeights& weights, const float* from, const WinogradMatrices<float>& to) {
  (weights.inner == 16 ? weights_by_16 : weights_by_8)(weights, from, to);
}

}  // namespace troupe::cpu
