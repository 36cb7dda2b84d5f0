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

// What a reply may say is for its sender to choose; that it says what was asked, no more and no less, is checked before
// anything of it is used. Numbers that only a model can have got wrong are told as the model's fault.
namespace troupe {

/// @throws Error protocol unless there is a replica for each device, and the model's tensors are named by plain texts,
/// have shapes, and fit into its flat vector.
void check_reply(const Built& built, int devices, const Where& where);
/// @param shards of the worker. @throws Error protocol unless it tells of exactly these, in order; model_failed for a
/// number of samples that cannot be.
void check_reply(const Computed& computed, const Range& shards, const Where& where);
/// @param pass which it is of. @throws Error non_finite_loss for a shard's loss that is NaN or infinite
void check_loss(double loss, int shard, const PassReport& pass, const Where& where);
/// Names nobody where the weights are not finite: they may be those of a user, and a node may have written them again
/// that others have checked.
Error non_finite_loss(const std::string& what, bool weights_finite, const Where& where);
/// @param sums that the worker's slice has. @throws Error protocol for another number of them, or what is no square.
void check_reply(const MeanReduced& reduced, std::size_t sums, const Where& where);
void check_sums(const std::vector<std::uint64_t>& sum_bits, std::size_t sums, const Where& where);
void check_seconds(std::uint64_t seconds_bits, const Where& where);
void check_sent(std::uint64_t seconds_bits, std::int64_t bytes_sent, const Where& where);
void check_squares(const std::vector<std::uint64_t>& square_bits, std::size_t sums, const Where& where);
/// @throws Error protocol for times or bytes that cannot be.
void check_reply(const Applied& applied, const Where& where);

/// Whether all of these doubles are.
bool are_finite(std::span<const std::uint64_t> bits);

/// As of `Computed`; and protocol for distances that cannot be, or a tensor or shard that there is not.
/// @param tensors of the model. @param state_vectors of each shard
void check_reply(const StepsTaken& taken, const Range& shards, std::size_t tensors, int state_vectors,
                 const Where& where);

/// As of `Computed`. @param asked its portions
void check_reply(const PortionsComputed& computed, const std::vector<std::int32_t>& asked, const Where& where);

/// As of `Computed`.
void check_reply(const Advanced& advanced, const Range& shards, const Where& where);

/// @throws Error protocol for times or numbers of bytes that cannot be
void check_reply(const Pushed& pushed, const Where& where);
/// As of `Computed`; no more may be right than there are samples. What is measured beside that is what was asked for or
/// a part of it, under names that can be shown, and as long as it has to be.
void check_reply(const Evaluated& evaluated, const Range& shards, const EvaluationOptions& measure, const Where& where);
/// @param texts that are to come. @throws Error protocol for others, or more bytes than kMostTextBytes
void check_reply(const Called& called, std::size_t texts, const Where& where);
/// @throws Error protocol unless it names one of `tensors` tensors, or padding, and a part that there is.
void check_reply(const NonFinite& found, std::size_t tensors, int state_vectors, const Where& where);

}  // namespace troupe
