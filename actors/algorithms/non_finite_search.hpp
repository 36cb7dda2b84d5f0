#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

/// Maps the number of each node that received non-finite values to the number of the node that sent them.
using Senders = std::map<int, int>;

/// Returns the workers that report in `replies` that they wrote non-finite values.
std::vector<int> say_non_finite(const std::vector<From<Applied>>& replies);

/// Checks that the node which `worker` reports as the sender of non-finite values is valid.
/// @param from the number of the reported node; -1: none
/// @throws Error protocol if the node does not exist, or is the worker's own node
void check_sender(const StepContext& context, int worker, std::int32_t from, const Phase& phase);
/// Throws an error if `senders` is not empty: then a node has sent new weights that are not finite to another node,
/// without reporting the weights as non-finite.
/// @throws Error non_finite_weights, which names the node where these weights originate, not a node that only passed
/// them on
void check_senders(const StepContext& context, const Senders& senders, const Phase& phase);
/// Checks the senders of non-finite values that the workers report in `replies` (`not_finite_from`).
/// @throws Error protocol if a reported node is invalid; non_finite_weights if a worker reports a sender
template <class Reply>
void check_senders(const StepContext& context, const std::vector<From<Reply>>& replies, const Phase& phase) {
  Senders senders;
  for (const auto& [worker, reply] : replies) {
    check_sender(context, worker, reply.not_finite_from, phase);
    if (reply.not_finite_from >= 0) senders.emplace(context.members.node_of(worker), reply.not_finite_from);
  }
  check_senders(context, senders, phase);
}

/// Returns the error for a step that cannot be committed, because `workers` have reported non-finite values in
/// `buffer`. The error names the first tensor with non-finite values. If gradients from another node are the cause, the
/// error also names the other node.
/// @param optimizer the optimizer that updated the slices
/// @param workers the workers that reported non-finite values
Error non_finite_error(const StepContext& context, const UpdateRules& optimizer, const std::vector<int>& workers,
                       int buffer, const Phase& phase);

/// Returns the error for a step in which `worker` has reported that the mean gradient of its slice is not finite. If
/// gradients from another node are the cause, the error names the other node.
/// @param buffer the buffer that the step wrote
Error non_finite_mean_error(const StepContext& context, int worker, int buffer, const Phase& phase);
/// Finds out whether another node has sent non-finite gradients for the slice of `worker`. If so, writes this other
/// node into `where`, and returns an explanation to append to the error's message. Otherwise returns an empty string.
/// @param where in: the place of `worker`; out: the place that the error should name
std::string blame_for_gradients(const StepContext& context, int worker, int buffer, const Phase& phase, Where& where);

/// Returns the name of the tensor with the non-finite value for an error message, for example "tensor 'fc.weight'" or
/// "padding".
std::string name_of_tensor(const StepContext& context, const NonFinite& found);
/// Returns the name of the state's vector with the non-finite value for an error message, for example "weights" or
/// "momentum".
std::string name_of_part(const NonFinite& found, const UpdateRules& optimizer);

}  // namespace troupe
