#pragma once

#include <cstdint>

namespace troupe::cpu {

/// Winograd's algorithm F(4x4, 3x3) computes 4x4 outputs of a convolution from 6x6 inputs by 36 multiplications instead
/// of 144: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015 (arXiv:1509.09308). Inputs,
/// weights and outputs are transformed; in between are 36 products of matrices, one for each place in a 6x6 tile.
inline constexpr int kWinogradOutputs = 4;  // on a side
inline constexpr int kWinogradInputs = 6;
inline constexpr int kWinogradKernel = 3;
inline constexpr int kWinogradPlaces = kWinogradInputs * kWinogradInputs;

/// Images in blocks of `inner` (8 or 16) channels, cut into tiles of 4x4 pixels, sample after sample and row by row.
struct WinogradImages {
  std::int64_t channels, height, width, inner;

  std::int64_t tile_rows() const { return (height + kWinogradOutputs - 1) / kWinogradOutputs; }
  std::int64_t tile_columns() const { return (width + kWinogradOutputs - 1) / kWinogradOutputs; }
  std::int64_t tiles() const { return tile_rows() * tile_columns(); }  ///< of one sample
};

/// Tiles [first, first + count) of a batch.
struct TileRange {
  std::int64_t first, count;
};

/// A matrix for each place, `stride` floats apart.
template <class Float>
struct WinogradMatrices {
  Float* data;
  std::int64_t stride;
};

/// Transforms the 6x6 inputs of each tile, zero outside the image, to a row of each matrix: tiles x channels.
void transform_input(const WinogradImages& images, TileRange tiles, const float* input,
                     const WinogradMatrices<float>& to);

/// Transforms rows of the products, tiles x channels, to the 4x4 outputs of each tile, and adds a bias per channel
/// unless `biases` is null.
void transform_output(const WinogradImages& images, TileRange tiles, const WinogradMatrices<const float>& from,
                      const float* biases, float* output);

/// Transforms weights in blocks [outer][inner][3][3][row channels][column channels] to matrices of row channels x
/// column channels.
struct WinogradWeights {
  std::int64_t rows, columns;            ///< channels
  std::int64_t inner;                    ///< of a block, 8 or 16
  std::int64_t row_block, column_block;  ///< floats from one block to the next
  bool turned;                           ///< by 180 degrees, for the gradient of the input
};
void transform_weights(const WinogradWeights& weights, const float* from, const WinogradMatrices<float>& to);

}  // namespace troupe::cpu
