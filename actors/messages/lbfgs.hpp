#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"
#include "actors/messages/settle.hpp"

// What L-BFGS says to workers. Vectors go by their numbers in the state; scalar products are sums of doubles over the
// worker's pieces, by their largest complete subtrees (`piece_subtree_sums`).
namespace troupe {

struct PortionsComputed {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> portions;  ///< as asked
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> samples;
  bool abandoned = false;  ///< not to the end
  PassReport pass;
};
template <class F>
auto fields(PortionsComputed& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::replicas>(x.portions), at_most<Bound::replicas>(x.loss_bits),
               at_most<Bound::replicas>(x.samples), x.abandoned, x.pass);
}

/// Compute the gradients of portions, one a replica, on weights `buffer`.
struct ComputePortions {
  using Reply = PortionsComputed;
  std::uint64_t round = 0;
  std::vector<std::int32_t> portions;  ///< by device, as far as there are some
  std::vector<std::int32_t> slabs;     ///< to which of this store's slabs each goes
  std::int32_t buffer = 0;
  std::int64_t step = -1;  ///< the batch of that step; -1: all of the shard's samples that belong to the portion
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(ComputePortions& x, F visit) {
  return visit(x.round, at_most<Bound::replicas>(x.portions), at_most<Bound::replicas>(x.slabs), x.buffer, x.step,
               x.timeout_ms);
}

/// Others have computed what you are at: leave it, and say when you are done.
struct Abandon {
  using Reply = Done;
  std::uint64_t round = 0;
};
template <class F>
auto fields(Abandon& x, F visit) {
  return visit(x.round);
}

struct GradientReduced {
  std::uint64_t round = 0;
  Failure failure;
  /// Of the mean gradient, penalty included, with the direction; of it with itself; and the penalty.
  std::vector<std::uint64_t> sum_bits;
  std::uint64_t largest_bits = 0;  ///< of the mean gradient's magnitudes
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_sent = 0;
};
template <class F>
auto fields(GradientReduced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::products>(x.sum_bits), x.largest_bits, x.seconds_bits, x.bytes_sent);
}

/// Add the portions' gradients of your slice, divide by the samples, add what weights `buffer` are penalised with, and
/// keep that until it is remembered.
struct ReduceGradient {
  using Reply = GradientReduced;
  std::uint64_t round = 0;
  std::vector<std::int32_t> slabs;  ///< by portion of the run, the slab in its store
  std::int64_t samples = 0;
  std::int32_t buffer = 0;
  std::int32_t direction = 0;  ///< a vector
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(ReduceGradient& x, F visit) {
  return visit(x.round, at_most<Bound::portions>(x.slabs), x.samples, x.buffer, x.direction, x.timeout_ms);
}

struct Moved {
  std::uint64_t round = 0;
  Failure failure;
  bool finite = true;                 ///< the weights
  std::int32_t not_finite_from = -1;  ///< as Applied's
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_sent = 0;
};
template <class F>
auto fields(Moved& x, F visit) {
  return visit(x.round, x.failure, x.finite, x.not_finite_from, x.seconds_bits, x.bytes_sent);
}

/// Write weights `to`: weights `from`, and from there so far along a direction. With terms, make the direction first:
/// the sum of vectors times coefficients.
struct MoveAlong {
  using Reply = Moved;
  std::uint64_t round = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t direction = 0;
  std::uint64_t length_bits = 0;
  std::vector<std::int32_t> vectors;
  std::vector<std::uint64_t> coefficient_bits;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(MoveAlong& x, F visit) {
  return visit(x.round, x.from, x.to, x.direction, x.length_bits, at_most<Bound::history>(x.vectors),
               at_most<Bound::history>(x.coefficient_bits), x.timeout_ms);
}

struct Remembered {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::uint64_t> sum_bits;  ///< by row, column and subtree
  std::uint64_t seconds_bits = 0;
};
template <class F>
auto fields(Remembered& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::products>(x.sum_bits), x.seconds_bits);
}

/// Take the gradient that was reduced last for the gradient, unless it is that; write before into a vector how far it
/// is from the one before, over a length; and say the products of some vectors with others.
struct Remember {
  using Reply = Remembered;
  std::uint64_t round = 0;
  bool takes = true;
  std::int32_t gradient = 0;
  std::int32_t change = -1;  ///< a vector; -1: none
  std::uint64_t length_bits = 0;
  std::vector<std::int32_t> rows;  ///< at most 3
  std::vector<std::int32_t> columns;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(Remember& x, F visit) {
  return visit(x.round, x.takes, x.gradient, x.change, x.length_bits, at_most<Bound::history>(x.rows),
               at_most<Bound::history>(x.columns), x.timeout_ms);
}

}  // namespace troupe
