#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Computes dot products of flat vectors over the slice of one owner. Stores one sum for each piece (`vector_pieces`)
/// of the slice. In each piece, the products of floats are added in doubles and in a fixed order. So the sums are
/// bitwise identical for every distribution of pieces over owners, and for every division of the vectors into calls.
class PieceProducts {
 public:
  PieceProducts() = default;
  /// @param size the size of the flat vectors, in floats
  /// @param slice the owner's slice, which must begin and end at borders of pieces
  /// @param products the number of dot products
  /// @param end floats whose index in the flat vectors is `end` or higher are not counted
  PieceProducts(std::size_t size, const Range& slice, std::size_t products, std::size_t end);

  /// Adds the products of the floats [begin, begin + count) of two vectors to the dot product with the number `which`.
  /// `begin` must be a multiple of 32. The calls for one dot product must be in ascending order of `begin`, and leave
  /// out no floats of the slice.
  /// @param a the floats of the first vector, starting at index `begin`
  /// @param b the floats of the second vector, starting at index `begin`
  void add(std::size_t which, std::size_t begin, std::size_t count, const float* a, const float* b);
  /// Like `add`, for the dot products of each vector in `columns` with each vector in `rows`. The dot product of column
  /// c and row r has the number c x rows.size() + r.
  /// @param rows by row: the floats of the vector, converted to doubles (`widen`), starting at index `begin`; at most
  /// three rows
  /// @param columns by column: the floats of the vector, starting at index `begin`
  /// @param next by column: the floats that the next call reads, which are prefetched into the cache
  void add_table(std::size_t begin, std::size_t count, std::span<const double* const> rows,
                 std::span<const float* const> columns, std::span<const float* const> next);
  /// Adds `factor` times the squares of the floats [begin, begin + count) of a vector to the dot product with the
  /// number `which`. `begin` may be any index.
  /// @param a the floats of the vector, starting at index `begin`
  void add_square(std::size_t which, std::size_t begin, std::size_t count, double factor, const float* a);

  std::size_t products() const { return products_; }
  /// Returns the sums for the dot product with the number `which`, one per piece of the slice.
  std::vector<double> sums(std::size_t which) const;

 private:
  /// The number of partial sums per dot product and piece. This number is fixed, so that results are bitwise identical
  /// for SIMD registers of every width.
  static constexpr std::size_t kLanes = 8;
  using Lanes = std::array<double, kLanes>;
  /// Calls `use(piece, offset, floats)` for each piece of the slice that overlaps [begin, begin + count). `piece` is
  /// the index of the piece. The overlap starts `offset` floats after `begin` and has `floats` floats.
  template <class Use>
  void in_pieces(std::size_t begin, std::size_t count, const Use& use);
  Lanes& at(std::size_t piece, std::size_t which) { return lanes_[piece * products_ + which]; }

  std::size_t products_ = 0;
  std::size_t end_ = 0;
  std::vector<Range> pieces_;
  std::vector<Lanes> lanes_;  ///< the partial sums, by piece and dot product
};

/// Returns the numbers of the pieces in `slice`, as a range. `slice` must begin and end at borders of pieces.
/// @param size the size of the flat vector, in floats
Range pieces_of(std::size_t size, const Range& slice);
/// Returns one owner's contribution to a dot product: the sums of some subtrees of the fixed tree with all kPieces
/// pieces as leaves. These are the largest subtrees that together cover exactly the owner's pieces
/// (`complete_subtrees`).
/// @param pieces the numbers of the owner's pieces
/// @param sums the result of PieceProducts::sums, one per piece in `pieces`
std::vector<double> piece_subtree_sums(const Range& pieces, std::span<const double> sums);
/// Returns the number of values that `piece_subtree_sums` returns for `pieces`.
std::size_t piece_subtrees(const Range& pieces);
/// Returns the whole dot product: the sum over all pieces of the vectors.
/// @param pieces by owner: the numbers of the owner's pieces; owners are in order of their pieces
/// @param sums the results of `piece_subtree_sums` for all owners, one after the other, in order of `pieces`
/// @throws Error invalid_argument if `pieces` do not cover all pieces in order
double sum_of_pieces(std::span<const Range> pieces, std::span<const double> sums);

}  // namespace troupe
