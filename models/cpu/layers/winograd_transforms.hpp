#pragma once

#include <cstdint>

namespace troupe::cpu {

/// Winograd's algorithm F(4x4, 3x3) computes a tile of 4x4 outputs of a convolution from 6x6 inputs. It needs 36
/// multiplications instead of 144 (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015,
/// arXiv:1509.09308). First, inputs and weights are transformed. Then 36 matrix products are computed, one for each
/// position in the 6x6 inputs. Finally, the products are transformed to outputs.
inline constexpr int kWinogradOutputs = 4;  // outputs along one side of a tile
inline constexpr int kWinogradInputs = 6;
inline constexpr int kWinogradKernel = 3;
inline constexpr int kWinogradPlaces = kWinogradInputs * kWinogradInputs;

/// The size of images in blocks of `inner` (8 or 16) channels. The images are divided into tiles of 4x4 pixels, which
/// are numbered sample after sample and row by row.
struct WinogradImages {
  std::int64_t channels, height, width, inner;

  std::int64_t tile_rows() const { return (height + kWinogradOutputs - 1) / kWinogradOutputs; }
  std::int64_t tile_columns() const { return (width + kWinogradOutputs - 1) / kWinogradOutputs; }
  std::int64_t tiles() const { return tile_rows() * tile_columns(); }  ///< tiles of one sample
};

/// A range of `count` tiles of a batch, from tile `first` on.
struct TileRange {
  std::int64_t first, count;
};

/// 36 matrices, one for each position in the 6x6 inputs of a tile. Consecutive matrices begin `stride` floats apart.
template <class Float>
struct WinogradMatrices {
  Float* data;
  std::int64_t stride;
};

/// Transforms the 6x6 inputs of each tile to 36 values for each channel. Writes these values to `to`: 36 matrices with
/// one row for each tile and one column for each channel. Inputs outside the image are zero.
void transform_input(const WinogradImages& images, TileRange tiles, const float* input,
                     const WinogradMatrices<float>& to);

/// Transforms the 36 matrix products `from`, each with one row for each tile and one column for each channel, to the
/// 4x4 outputs of each tile. Adds a bias to each channel, unless `biases` is null.
void transform_output(const WinogradImages& images, TileRange tiles, const WinogradMatrices<const float>& from,
                      const float* biases, float* output);

/// Describes weights in blocks of the layout [outer][inner][3][3][row channels][column channels]. `transform_weights`
/// converts these weights to 36 matrices with one row for each row channel and one column for each column channel.
struct WinogradWeights {
  std::int64_t rows, columns;            ///< number of row channels and of column channels
  std::int64_t inner;                    ///< row channels of a block, and column channels of a block: 8 or 16
  std::int64_t row_block, column_block;  ///< floats from one block to the next
  bool turned;                           ///< true: rotates kernels by 180 degrees, for the gradient of the input
};
void transform_weights(const WinogradWeights& weights, const float* from, const WinogradMatrices<float>& to);

}  // namespace troupe::cpu
