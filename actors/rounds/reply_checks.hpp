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

// Checks of replies. A faulty member may send any reply, so a reply must pass these checks before any part of it is
// used. They check that the reply matches its request exactly. Values that only a faulty user model can cause are
// reported as `model_failed`. In all functions, `where` is the place of the member that has replied, for the error.
namespace troupe {

/// Checks the reply to `Build`.
/// @throws Error protocol unless the reply describes one replica per device, and all tensors have printable names and
/// valid shapes and fit into the model's flat vector
void check_reply(const Built& built, int devices, const Where& where);
/// Checks the reply to `Compute`.
/// @param shards the worker's shards
/// @throws Error protocol unless the reply lists exactly `shards`, in order; model_failed if a number of samples is
/// negative or above 2^40
void check_reply(const Computed& computed, const Range& shards, const Where& where);
/// Checks that the loss of `shard` is finite.
/// @param pass the report of the worker that computed the loss
/// @throws Error non_finite_loss if `loss` is NaN or infinite
void check_loss(double loss, int shard, const PassReport& pass, const Where& where);
/// Returns the error for a loss that is not finite, with the message `what`. If the weights are not finite either, the
/// error names no member, because no member need be the cause: a user may have set these weights, or a node may have
/// overwritten weights after they were checked.
Error non_finite_loss(const std::string& what, bool weights_finite, const Where& where);
/// Checks the reply to `ReduceMean`.
/// @param sums the number of partial sums that the worker's slices have
/// @throws Error protocol unless the reply has exactly `sums` partial sums, no sum is negative, and the number of bytes
/// is from 0 to 2^50
void check_reply(const MeanReduced& reduced, std::size_t sums, const Where& where);
/// Checks the number of partial scalar products in a reply of L-BFGS.
/// @throws Error protocol unless there are exactly `sums` of them
void check_sums(const std::vector<std::uint64_t>& sum_bits, std::size_t sums, const Where& where);
/// Checks a time in seconds, whose bits are given.
/// @throws Error protocol if the time is negative or not finite
void check_seconds(std::uint64_t seconds_bits, const Where& where);
/// Checks a time in seconds and a number of sent bytes.
/// @throws Error protocol if the time is negative or not finite, or if the number of bytes is negative or above 2^50
void check_sent(std::uint64_t seconds_bits, std::int64_t bytes_sent, const Where& where);
/// Checks the partial sums of squares in a reply.
/// @throws Error protocol unless there are exactly `sums` partial sums, and no sum is negative
void check_squares(const std::vector<std::uint64_t>& square_bits, std::size_t sums, const Where& where);
/// Checks the reply to `Apply`.
/// @throws Error protocol if a time is negative or not finite, or if the number of bytes is negative or above 2^50
void check_reply(const Applied& applied, const Where& where);

/// Returns whether all of the given doubles are finite. Each element of `bits` contains the bits of one double
/// (`to_bits`).
bool are_finite(std::span<const std::uint64_t> bits);

/// Checks the reply to `TakeSteps` in the same way as a `Computed` reply.
/// @param tensors the number of the model's tensors
/// @param state_vectors the number of state vectors of each shard
/// @throws Error protocol also if a squared distance is negative, or if it is not finite and the reply reports no
/// non-finite value; or if the tensor or shard of the reported non-finite value does not exist
void check_reply(const StepsTaken& taken, const Range& shards, std::size_t tensors, int state_vectors,
                 const Where& where);

/// Checks the reply to `ComputePortions` in the same way as a `Computed` reply, with portions in place of shards.
/// @param asked the portions that the worker was asked to compute
void check_reply(const PortionsComputed& computed, const std::vector<std::int32_t>& asked, const Where& where);

/// Checks the reply to `Advance` in the same way as a `Computed` reply.
void check_reply(const Advanced& advanced, const Range& shards, const Where& where);

/// Checks the reply to `Push` or `Deliver`.
/// @throws Error protocol if the time is negative or not finite, or if a number of bytes is negative or above 2^50
void check_reply(const Pushed& pushed, const Where& where);
/// Checks the reply to `Evaluate` in the same way as a `Computed` reply.
/// @param measure the measurements that were requested
/// @throws Error model_failed if a shard has more correct samples than samples; protocol if the reply announces
/// measurements that `measure` does not request; protocol if the name of a metric is not printable, or if the size does
/// not match the shape of the measurements
void check_reply(const Evaluated& evaluated, const Range& shards, const EvaluationOptions& measure, const Where& where);
/// Checks the reply to `CallModel` or `CallWorker`.
/// @param texts the expected number of texts
/// @throws Error protocol if the number of texts is different, or if the texts have more than kMostTextBytes bytes in
/// total
void check_reply(const Called& called, std::size_t texts, const Where& where);
/// Checks the place of a non-finite value that a worker reports.
/// @throws Error protocol unless the place is one of `tensors` tensors, the padding (`tensors`) or none (-1), and the
/// part of the tensor exists
void check_reply(const NonFinite& found, std::size_t tensors, int state_vectors, const Where& where);

}  // namespace troupe
