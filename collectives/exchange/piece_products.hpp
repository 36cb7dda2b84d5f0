#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/plan/plan.hpp"

namespace troupe {

/// Scalar products of flat vectors over an owner's pieces (`vector_pieces`), of which each is added in one order, in
/// doubles: their bits depend neither on who owns what nor on how the pieces are cut into chunks.
class PieceProducts {
 public:
  PieceProducts() = default;
  /// @param size of the flat vectors. @param slice of whole pieces. @param products how many. @param end from which on
  /// floats do not count
  PieceProducts(std::size_t size, const Range& slice, std::size_t products, std::size_t end);

  /// Adds the floats [begin, begin + count) of the vectors to product `which`: all floats before them have been added,
  /// and `begin` is a multiple of 32 floats. @param a their floats from `begin` on, as `b`'s
  void add(std::size_t which, std::size_t begin, std::size_t count, const float* a, const float* b);
  /// Adds the products of columns with up to three rows: product column x rows + row. All lie side by side from
  /// `begin` on. @param rows their floats as doubles. @param next of each column, what is asked for after
  /// this, so that it is in the cache then
  void add_table(std::size_t begin, std::size_t count, std::span<const double* const> rows,
                 std::span<const float* const> columns, std::span<const float* const> next);
  /// Adds `factor` times the product of a vector with itself. `begin` is any float.
  void add_square(std::size_t which, std::size_t begin, std::size_t count, double factor, const float* a);

  std::size_t products() const { return products_; }
  /// By piece of the slice.
  std::vector<double> sums(std::size_t which) const;

 private:
  /// Partial sums of each eighth float: registers of every width make the same bits.
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

/// The first and the last piece of a slice that is cut between pieces.
Range pieces_of(std::size_t size, const Range& slice);
/// What a worker says of a product over its pieces: the sums of the largest complete subtrees of the fixed tree over
/// all pieces. @param sums by piece of `pieces`
std::vector<double> piece_subtree_sums(const Range& pieces, std::span<const double> sums);
/// How many these are.
std::size_t piece_subtrees(const Range& pieces);
/// The sum over all pieces. @param sums of the subtrees of all owners, in order of `pieces`
/// @throws Error invalid_argument where these do not tile them
double sum_of_pieces(std::span<const Range> pieces, std::span<const double> sums);

}  // namespace troupe
