#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/pass_report.hpp"

// What the synchronous algorithm says to workers.
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

/// Compute the gradients of weights `buffer`, and begin to send other nodes what they need of them. Who has some
/// already, of an attempt of the same call at the same step, need not compute these again.
struct Compute {
  using Reply = Computed;
  std::uint64_t round = 0;
  std::uint64_t call = 0;  ///< of the driver's, whose attempts all have the same weights at the same step; from 1
  std::int64_t step = 0;   ///< steps committed so far
  std::int32_t buffer = 0;
  bool as_backup = false;       ///< those of the worker before you, in your own slabs
  std::int64_t timeout_ms = 0;  ///< how long the driver waits for the step
};
template <class F>
auto fields(Compute& x, F visit) {
  return visit(x.round, x.call, x.step, x.buffer, x.as_backup, x.timeout_ms);
}

struct MeanReduced {
  std::uint64_t round = 0;
  Failure failure;
  /// Sums of squares of the learned floats, by complete subtree of pages: of its slice, and then of that which it
  /// stands in for.
  std::vector<std::uint64_t> square_bits;
  std::int64_t bytes_sent = 0;
};
template <class F>
auto fields(MeanReduced& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::subtrees>(x.square_bits), x.bytes_sent);
}

/// Add the gradients of your slice, keep their mean for `Apply`, and say how long it is. Only where gradients are
/// clipped, and the driver does not add them itself. Workers that are late are left out: their gradients are their
/// backups', and the worker behind each does its part.
struct ReduceMean {
  using Reply = MeanReduced;
  std::uint64_t round = 0;
  std::int64_t samples = 0;
  std::uint64_t computed = 0;          ///< the round in which the gradients were computed
  std::vector<std::int32_t> left_out;  ///< the first lanes of those workers
  std::int64_t timeout_ms = 0;         ///< how long the driver waits
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
  bool finite = true;  ///< all that was written
  /// A node that has sent new weights which are not finite; -1: none has.
  std::int32_t not_finite_from = -1;
  /// Of local SGD, as MeanReduced::square_bits: of how far the copies' mean is from the weights.
  std::vector<std::uint64_t> square_bits = {};
};
template <class F>
auto fields(Applied& x, F visit) {
  return visit(x.round, x.failure, x.reduce_bits, x.apply_bits, x.bytes_sent, x.finite, x.not_finite_from,
               at_most<Bound::subtrees>(x.square_bits));
}

/// Write buffer `to` of weights and optimizer state from buffer `from` and the gradients, or their mean that was kept.
struct Apply {
  using Reply = Applied;
  std::uint64_t round = 0;
  std::int64_t step = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t samples = 0;
  std::int64_t updates = 0;            ///< that made the optimizer's state so far
  std::uint64_t computed = 0;          ///< the round in which the gradients were computed
  std::uint64_t clip_bits = 0;         ///< what the mean gradient is multiplied with
  std::uint64_t rate_bits = 0;         ///< the learning rate of tensors in no group
  std::vector<std::int32_t> left_out;  ///< as ReduceMean's
  std::int64_t timeout_ms = 0;         ///< how long the driver waits
};
template <class F>
auto fields(Apply& x, F visit) {
  return visit(x.round, x.step, x.from, x.to, x.samples, x.updates, x.computed, x.clip_bits, x.rate_bits,
               at_most<Bound::replicas>(x.left_out), x.timeout_ms);
}

/// The first tensor, in canonical order, of which something is not finite, and what: its weights come first, then the
/// vectors of the optimizer's state.
struct NonFinite {
  static constexpr std::int32_t kWeights = 0;
  static constexpr std::int32_t kStatistics = 1;
  static constexpr std::int32_t kState = 2;  ///< the first vector

  std::int32_t tensor = -1;  ///< its index, or the number of tensors where it is padding; -1: all is finite
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
  /// A node that has sent sums of gradients of the owner's slice which are not finite; -1: none has.
  std::int32_t sums_from = -1;
};
template <class F>
auto fields(Found& x, F visit) {
  return visit(x.round, x.failure, x.non_finite, x.sums_from);
}

/// Say what is not finite of what the last `Apply` wrote into `buffer`.
struct FindNonFinite {
  using Reply = Found;
  std::uint64_t round = 0;
  std::int32_t buffer = 0;
  std::int32_t owner = 0;  ///< the first lane of the worker whose slice the sums are of
};
template <class F>
auto fields(FindNonFinite& x, F visit) {
  return visit(x.round, x.buffer, x.owner);
}

}  // namespace troupe
