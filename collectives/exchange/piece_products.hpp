#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Dot products of flat vectors over the pieces (`vector_pieces`) of one owner. Each piece is added in doubles, in a
/// fixed order. The result is therefore bitwise identical for every distribution of the pieces and every division into
/// chunks.
class PieceProducts {
 public:
  PieceProducts() = default;
  /// @param size of the flat vectors, in floats
  /// @param slice whole pieces
  /// @param products number of dot products
  /// @param end floats at this index and above are not counted
  PieceProducts(std::size_t size, const Range& slice, std::size_t products, std::size_t end);

  /// Adds the floats [begin, begin + count) of the vectors to product `which`. All floats before `begin` must have been
  /// added, and `begin` must be a multiple of 32.
  /// @param a the first vector's floats, starting at index `begin`; likewise `b`
  void add(std::size_t which, std::size_t begin, std::size_t count, const float* a, const float* b);
  /// Adds the products of columns with up to three rows, starting at index `begin`. The product of a column and a row
  /// has the index column x rows + row.
  /// @param rows floats as doubles
  /// @param next one pointer per column, to the floats that the next call reads; they are prefetched
  void add_table(std::size_t begin, std::size_t count, std::span<const double* const> rows,
                 std::span<const float* const> columns, std::span<const float* const> next);
  /// Adds `factor` times the dot product of a vector with itself. `begin` may be any index.
  void add_square(std::size_t which, std::size_t begin, std::size_t count, double factor, const float* a);

  std::size_t products() const { return products_; }
  /// Returns the sums of one product, one per piece of the slice.
  std::vector<double> sums(std::size_t which) const;

 private:
  /// Eight partial sums per product, so that the result is bitwise identical for registers of every width.
  static constexpr std::size_t kLanes = 8;
  using Lanes = std::array<double, kLanes>;
  template <class Use>
  void in_pieces(std::size_t begin, std::size_t count, const Use& use);
  Lanes& at(std::size_t piece, std::size_t which) { return lanes_[piece * products_ + which]; }

  std::size_t products_ = 0;
  std::size_t end_ = 0;
  std::vector<Range> pieces_;
  std::vector<Lanes> lanes_;  ///< by piece and product
};

/// Returns the range of the pieces in a slice. The slice must begin and end at borders of pieces.
Range pieces_of(std::size_t size, const Range& slice);
/// Returns a worker's contribution to a product: the sums of the largest complete subtrees of the fixed tree over all
/// pieces.
/// @param sums one per piece of `pieces`
std::vector<double> piece_subtree_sums(const Range& pieces, std::span<const double> sums);
/// Returns the number of these sums.
std::size_t piece_subtrees(const Range& pieces);
/// Returns the sum over all pieces.
/// @param sums of the subtrees of all owners, in order of `pieces`
/// @throws Error invalid_argument if `pieces` do not tile all pieces
double sum_of_pieces(std::span<const Range> pieces, std::span<const double> sums);

}  // namespace troupe
