#pragma once

#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"
#include "actors/messages/settle.hpp"

// Messages between the driver and workers for L-BFGS. A vector is identified by its index in the state. A worker
// returns a scalar product as partial sums in double precision. There is one partial sum for each of the largest
// complete subtrees that together cover the worker's slice (see `piece_subtree_sums`).
namespace troupe {

struct PortionsComputed {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> portions;  ///< the requested portions
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> samples;
  bool abandoned = false;  ///< the worker has stopped before it had computed all of these portions
  PassReport pass;
};
template <class F>
auto fields(PortionsComputed& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::replicas>(x.portions), at_most<Bound::replicas>(x.loss_bits),
               at_most<Bound::replicas>(x.samples), x.abandoned, x.pass);
}

/// A request to a worker: compute the gradients of some portions, one portion per replica, with the weights in
/// `buffer`.
struct ComputePortions {
  using Reply = PortionsComputed;
  std::uint64_t round = 0;
  /// The portion for each replica, in order of devices. There are fewer portions than replicas if not enough portions
  /// are left.
  std::vector<std::int32_t> portions;
  /// For each of `portions`: the index of the slab, in the worker's store, into which the gradient is written.
  std::vector<std::int32_t> slabs;
  std::int32_t buffer = 0;
  std::int64_t step = -1;  ///< the step whose batch is used; -1: use all samples of the portion
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(ComputePortions& x, F visit) {
  return visit(x.round, at_most<Bound::replicas>(x.portions), at_most<Bound::replicas>(x.slabs), x.buffer, x.step,
               x.timeout_ms);
}

/// A request to a worker: stop computing the portions of the last `ComputePortions`, because other workers have
/// computed the same portions. The reply confirms that the worker has stopped.
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
  /// The partial sums of three numbers, each by subtree. First comes the scalar product of the mean gradient (including
  /// the gradient of the penalty) with the direction. Then follow the scalar product of the mean gradient with itself,
  /// and the penalty.
  std::vector<std::uint64_t> sum_bits;
  std::uint64_t largest_bits = 0;  ///< the largest magnitude in the mean gradient
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_sent = 0;
};
template <class F>
auto fields(GradientReduced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::products>(x.sum_bits), x.largest_bits, x.seconds_bits, x.bytes_sent);
}

/// A request to a worker: compute the mean gradient of its slice. The worker adds the gradients of all portions and
/// divides the sum by the number of samples. Then it adds the gradient of the penalty at the weights in `buffer`. The
/// worker keeps the result until the request `Remember`.
struct ReduceGradient {
  using Reply = GradientReduced;
  std::uint64_t round = 0;
  /// By portion: the index of the slab that contains the portion's gradient, in the store of the worker that has
  /// computed the gradient.
  std::vector<std::int32_t> slabs;
  std::int64_t samples = 0;
  std::int32_t buffer = 0;
  std::int32_t direction = 0;  ///< the index of the vector with the search direction
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(ReduceGradient& x, F visit) {
  return visit(x.round, at_most<Bound::portions>(x.slabs), x.samples, x.buffer, x.direction, x.timeout_ms);
}

struct Moved {
  std::uint64_t round = 0;
  Failure failure;
  bool finite = true;                 ///< whether the new weights are finite
  std::int32_t not_finite_from = -1;  ///< see Applied::not_finite_from
  std::uint64_t seconds_bits = 0;
  std::int64_t bytes_sent = 0;
};
template <class F>
auto fields(Moved& x, F visit) {
  return visit(x.round, x.failure, x.finite, x.not_finite_from, x.seconds_bits, x.bytes_sent);
}

/// A request to a worker: write new weights into buffer `to`, namely the weights in buffer `from` plus the step length
/// times the direction. If `vectors` is not empty, first compute the direction: the sum of `vectors`, each multiplied
/// by its coefficient.
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
  /// For each column, and within it for each row: the partial sums by subtree.
  std::vector<std::uint64_t> sum_bits;
  std::uint64_t seconds_bits = 0;
};
template <class F>
auto fields(Remembered& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::products>(x.sum_bits), x.seconds_bits);
}

/// A request to a worker: return the scalar products of the vectors in `rows` with the vectors in `columns`. If `takes`
/// is true, two operations come first. If `change` is not -1, write (new gradient - old gradient) / length into the
/// vector `change`. Then store the new gradient, which the last `ReduceGradient` has computed, in the vector
/// `gradient`.
struct Remember {
  using Reply = Remembered;
  std::uint64_t round = 0;
  bool takes = true;
  std::int32_t gradient = 0;
  std::int32_t change = -1;  ///< the index of the vector for the change of the gradient; -1: none
  std::uint64_t length_bits = 0;
  std::vector<std::int32_t> rows;  ///< at most 3 vectors
  std::vector<std::int32_t> columns;
  std::int64_t timeout_ms = 0;
};
template <class F>
auto fields(Remember& x, F visit) {
  return visit(x.round, x.takes, x.gradient, x.change, x.length_bits, at_most<Bound::history>(x.rows),
               at_most<Bound::history>(x.columns), x.timeout_ms);
}

}  // namespace troupe
