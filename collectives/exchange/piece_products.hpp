#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Computes dot products of flat vectors over one owner's slice, with one sum for each piece (`vector_pieces`) of the
/// slice. The products in a piece are added in doubles, in a fixed order. So the sums are bitwise identical for every
/// distribution of pieces over owners, and for every division into chunks.
class PieceProducts {
 public:
  PieceProducts() = default;
  /// @param size the size of the flat vectors, in floats
  /// @param slice the owner's slice; it must begin and end at borders of pieces
  /// @param products the number of dot products
  /// @param end floats at this index of the flat vectors and above are not counted
  PieceProducts(std::size_t size, const Range& slice, std::size_t products, std::size_t end);

  /// Adds the products of the floats [begin, begin + count) of two vectors to dot product `which`. All floats before
  /// `begin` must have been added already, and `begin` must be a multiple of 32.
  /// @param a the floats of the first vector, starting at index `begin`
  /// @param b the floats of the second vector, starting at index `begin`
  void add(std::size_t which, std::size_t begin, std::size_t count, const float* a, const float* b);
  /// Like `add`, for the dot products of each vector in `columns` with each vector in `rows`. The product of column c
  /// and row r has the number c x rows.size() + r.
  /// @param rows at most three vectors, converted to doubles, starting at index `begin`
  /// @param columns vectors of floats, starting at index `begin`
  /// @param next one pointer per column, to the floats that the next call reads; they are prefetched into the cache
  void add_table(std::size_t begin, std::size_t count, std::span<const double* const> rows,
                 std::span<const float* const> columns, std::span<const float* const> next);
  /// Adds `factor` times the squares of the floats [begin, begin + count) of a vector to dot product `which`. `begin`
  /// may be any index.
  /// @param a the floats of the vector, starting at index `begin`
  void add_square(std::size_t which, std::size_t begin, std::size_t count, double factor, const float* a);

  std::size_t products() const { return products_; }
  /// Returns the sums of dot product `which`, one per piece of the slice.
  std::vector<double> sums(std::size_t which) const;

 private:
  /// The number of partial sums per product and piece (SIMD lanes). It is fixed, so that the result is bitwise
  /// identical for registers of every width.
  static constexpr std::size_t kLanes = 8;
  using Lanes = std::array<double, kLanes>;
  /// Calls `use(piece, offset, floats)` for each piece of the slice that overlaps [begin, begin + count): the index of
  /// the piece, and the overlap as an offset from `begin` and a number of floats.
  template <class Use>
  void in_pieces(std::size_t begin, std::size_t count, const Use& use);
  Lanes& at(std::size_t piece, std::size_t which) { return lanes_[piece * products_ + which]; }

  std::size_t products_ = 0;
  std::size_t end_ = 0;
  std::vector<Range> pieces_;
  std::vector<Lanes> lanes_;  ///< by piece and product
};

/// Returns the numbers of the pieces in a slice, as a range. The slice must begin and end at borders of pieces.
/// @param size the size of the flat vector, in floats
Range pieces_of(std::size_t size, const Range& slice);
/// Returns an owner's contribution to a dot product. In the fixed tree with all kPieces pieces as leaves, the largest
/// complete subtrees that together cover `pieces` are determined. The result contains the sum of each of these
/// subtrees.
/// @param pieces the numbers of the owner's pieces
/// @param sums the result of PieceProducts::sums, one per piece in `pieces`
std::vector<double> piece_subtree_sums(const Range& pieces, std::span<const double> sums);
/// Returns the number of values that `piece_subtree_sums` returns for `pieces`.
std::size_t piece_subtrees(const Range& pieces);
/// Returns the whole dot product: the sum over all pieces.
/// @param pieces the pieces of each owner, in order
/// @param sums the results of `piece_subtree_sums` for all owners, one after the other, in order of `pieces`
/// @throws Error invalid_argument if `pieces` do not cover all pieces in order
double sum_of_pieces(std::span<const Range> pieces, std::span<const double> sums);

}  // namespace troupe
