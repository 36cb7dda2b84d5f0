#pragma once

#include <cstdint>
#include <span>

#include "actors/messages/asynchronous.hpp"
#include "actors/messages/build.hpp"
#include "actors/messages/call.hpp"
#include "actors/messages/evaluate.hpp"
#include "actors/messages/lbfgs.hpp"
#include "actors/messages/local.hpp"
#include "collectives/plan/range.hpp"

// A member may send any reply, so these functions check that a reply matches its request exactly before any part of
// the reply is used. Values that only a wrong model can cause are reported as `model_failed`. `where` is the place of
// the member, for the error.
namespace troupe {

/// @throws Error protocol unless the reply has one replica per device. All tensors must have printable names and valid
/// shapes, and must fit into the model's flat vector.
void check_reply(const Built& built, int devices, const Where& where);
/// @param shards the worker's shards
/// @throws Error protocol unless the reply lists exactly these shards, in order; model_failed if a number of samples is
/// negative or above 2^40
void check_reply(const Computed& computed, const Range& shards, const Where& where);
/// @param pass the worker's report about the computation of the loss
/// @throws Error non_finite_loss if `loss` is NaN or infinite
void check_loss(double loss, int shard, const PassReport& pass, const Where& where);
/// Returns the error for a loss that is not finite, with the message `what`. If the weights are not finite either, the
/// error names no member: a user may have set these weights, or a node may have overwritten weights that others had
/// checked.
Error non_finite_loss(const std::string& what, bool weights_finite, const Where& where);
/// @param sums the number of partial sums that the worker's slice has
/// @throws Error protocol unless the reply has this many sums, and no sum is negative; or for an impossible number of
/// bytes
void check_reply(const MeanReduced& reduced, std::size_t sums, const Where& where);
/// @throws Error protocol unless there are exactly `sums` partial scalar products
void check_sums(const std::vector<std::uint64_t>& sum_bits, std::size_t sums, const Where& where);
/// @throws Error protocol if the time is negative or not finite
void check_seconds(std::uint64_t seconds_bits, const Where& where);
/// @throws Error protocol if the time is negative or not finite, or if the number of bytes is negative or above 2^50
void check_sent(std::uint64_t seconds_bits, std::int64_t bytes_sent, const Where& where);
/// @throws Error protocol unless there are exactly `sums` partial sums of squares, and none is negative
void check_squares(const std::vector<std::uint64_t>& square_bits, std::size_t sums, const Where& where);
/// @throws Error protocol for an impossible time or number of bytes.
void check_reply(const Applied& applied, const Where& where);

/// Returns whether all of these doubles, given as bits, are finite.
bool are_finite(std::span<const std::uint64_t> bits);

/// Checks the reply as for `Computed`.
/// @param tensors the number of the model's tensors
/// @param state_vectors the number of state vectors of each shard
/// @throws Error protocol also for an impossible distance, or if the non-finite value is in an unknown tensor or shard
void check_reply(const StepsTaken& taken, const Range& shards, std::size_t tensors, int state_vectors,
                 const Where& where);

/// Checks the reply as for `Computed`, with portions in place of shards.
/// @param asked the portions that the worker was asked to compute
void check_reply(const PortionsComputed& computed, const std::vector<std::int32_t>& asked, const Where& where);

/// Checks the reply as for `Computed`.
void check_reply(const Advanced& advanced, const Range& shards, const Where& where);

/// @throws Error protocol for an impossible time or number of bytes.
void check_reply(const Pushed& pushed, const Where& where);
/// Checks the reply as for `Computed`.
/// @throws Error model_failed if a shard has more correct samples than samples; protocol for measurements that
/// `measure` does not request, that have no printable name, or whose size differs from the size that their shape
/// implies
void check_reply(const Evaluated& evaluated, const Range& shards, const EvaluationOptions& measure, const Where& where);
/// @param texts the expected number of texts
/// @throws Error protocol for another number of texts, or if they have more than kMostTextBytes bytes together
void check_reply(const Called& called, std::size_t texts, const Where& where);
/// @throws Error protocol unless `found` names one of `tensors` tensors, padding, or no tensor (-1), and a part that
/// exists
void check_reply(const NonFinite& found, std::size_t tensors, int state_vectors, const Where& where);

}  // namespace troupe
