#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"

// Messages between the driver and workers for synchronous SGD.
namespace troupe {

struct Computed {
  std::uint64_t round = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> samples;
  PassReport pass;
};
template <class F>
auto fields(Computed& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::shards>(x.shards), at_most<Bound::shards>(x.loss_bits),
               at_most<Bound::shards>(x.samples), x.pass);
}

/// A request to a worker: compute the gradients of its shards at the weights in `buffer`, and begin to send each other
/// node the slices of gradients that the other node reduces. If an earlier attempt of the same call has already
/// computed a gradient for the same step, the gradient is not computed again.
struct Compute {
  using Reply = Computed;
  std::uint64_t round = 0;
  /// The number of the call of `DistributedSGD` that this request belongs to, from 1. All attempts of a call use the
  /// same weights for a given step.
  std::uint64_t call = 0;
  std::int64_t step = 0;  ///< the number of steps committed so far
  std::int32_t buffer = 0;
  /// Whether to compute the shards of the worker with the previous rank instead, and to write their gradients into the
  /// backup slabs.
  bool as_backup = false;
  std::int64_t timeout_ms = 0;  ///< the time for which the driver waits for the step, in milliseconds
};
template <class F>
auto fields(Compute& x, F visit) {
  return visit(x.round, x.call, x.step, x.buffer, x.as_backup, x.timeout_ms);
}

struct MeanReduced {
  std::uint64_t round = 0;
  Failure failure;
  /// Sums of squares of the mean gradient's learned floats, one for each complete subtree of pages. First come the sums
  /// for the worker's own slice, and then those for the slice of the straggler that it replaces, if there is one.
  std::vector<std::uint64_t> square_bits;
  std::int64_t bytes_sent = 0;
};
template <class F>
auto fields(MeanReduced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::subtrees>(x.square_bits), x.bytes_sent);
}

/// A request to a worker: compute the mean gradient of its slice, keep it for `Apply`, and return its sums of squares.
/// Sent only if gradients are clipped and the driver does not add the gradients itself. `left_out` lists the stragglers
/// of this step: for their shards, use the gradients of their backups. A straggler's slice is handled by its backup,
/// the worker with the next rank.
struct ReduceMean {
  using Reply = MeanReduced;
  std::uint64_t round = 0;
  std::int64_t samples = 0;
  std::uint64_t computed = 0;          ///< the number of the round in which the gradients were computed
  std::vector<std::int32_t> left_out;  ///< the first lane of each worker that is left out
  std::int64_t timeout_ms = 0;         ///< the time for which the driver waits, in milliseconds
};
template <class F>
auto fields(ReduceMean& x, F visit) {
  return visit(x.round, x.samples, x.computed, at_most<Bound::replicas>(x.left_out), x.timeout_ms);
}

struct Applied {
  std::uint64_t round = 0;
  Failure failure;
  std::uint64_t reduce_bits = 0;
  std::uint64_t apply_bits = 0;
  std::int64_t bytes_sent = 0;
  bool finite = true;  ///< whether all written values are finite
  /// The index of a node that has sent new weights which are not finite; -1: none.
  std::int32_t not_finite_from = -1;
  /// In local SGD: the partial sums of the squared distance between the mean of the shards' copies and the old weights,
  /// in the order of MeanReduced::square_bits.
  std::vector<std::uint64_t> square_bits = {};
};
template <class F>
auto fields(Applied& x, F visit) {
  return visit(x.round, x.failure, x.reduce_bits, x.apply_bits, x.bytes_sent, x.finite, x.not_finite_from,
               at_most<Bound::subtrees>(x.square_bits));
}

/// A request to a worker: compute the new weights and the new optimizer state of its slice, and write them into buffer
/// `to`. They are computed from buffer `from` and from the gradients. If `ReduceMean` has kept a mean gradient, it is
/// used in place of the gradients.
struct Apply {
  using Reply = Applied;
  std::uint64_t round = 0;
  std::int64_t step = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t samples = 0;
  std::int64_t updates = 0;            ///< the number of updates that the optimizer's present state contains
  std::uint64_t computed = 0;          ///< the number of the round in which the gradients were computed
  std::uint64_t clip_bits = 0;         ///< the factor by which the mean gradient is multiplied
  std::uint64_t rate_bits = 0;         ///< the learning rate of tensors outside all groups
  std::vector<std::int32_t> left_out;  ///< see ReduceMean::left_out
  std::int64_t timeout_ms = 0;         ///< the time for which the driver waits, in milliseconds
};
template <class F>
auto fields(Apply& x, F visit) {
  return visit(x.round, x.step, x.from, x.to, x.samples, x.updates, x.computed, x.clip_bits, x.rate_bits,
               at_most<Bound::replicas>(x.left_out), x.timeout_ms);
}

/// The first tensor, in canonical order, that has non-finite values, and the part in which they are. The parts are the
/// weights (`kWeights`), the statistics (`kStatistics`), and the vectors of the optimizer's state (`kState` and
/// higher). If several parts have non-finite values, the lowest number is given.
struct NonFinite {
  static constexpr std::int32_t kWeights = 0;
  static constexpr std::int32_t kStatistics = 1;
  static constexpr std::int32_t kState = 2;  ///< the first vector of the optimizer's state; others follow

  /// The tensor's index. If the value is in the padding between tensors: the number of tensors. If all values are
  /// finite: -1.
  std::int32_t tensor = -1;
  std::int32_t part = kWeights;

  auto operator<=>(const NonFinite&) const = default;
};
template <class F>
auto fields(NonFinite& x, F visit) {
  return visit(x.tensor, x.part);
}

struct Found {
  std::uint64_t round = 0;
  Failure failure;
  NonFinite non_finite;
  /// The index of a node that has sent non-finite sums of gradients for the slice of the worker `FindNonFinite::owner`;
  /// -1: none.
  std::int32_t sums_from = -1;
};
template <class F>
auto fields(Found& x, F visit) {
  return visit(x.round, x.failure, x.non_finite, x.sums_from);
}

/// A request to a worker: find the first non-finite value that the last `Apply` wrote into `buffer`.
struct FindNonFinite {
  using Reply = Found;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
  /// The first lane of a worker. The reply's `sums_from` refers to the sums for this worker's slice.
  std::int32_t owner = 0;
};
template <class F>
auto fields(FindNonFinite& x, F visit) {
  return visit(x.round, x.buffer, x.owner);
}

}  // namespace troupe
