#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

/// Maps a node that received non-finite values to the node that sent them.
using Senders = std::map<int, int>;

/// Returns the workers whose replies report that they wrote non-finite values.
std::vector<int> say_non_finite(const std::vector<From<Applied>>& replies);

/// Checks the node that a worker names as the sender of non-finite values.
/// @param from the sender, as the worker reports it; -1: none
/// @throws Error protocol for an unknown node, or for the worker's own node
void check_sender(const StepContext& context, int worker, std::int32_t from, const Phase& phase);
/// @throws Error non_finite_weights if there are senders: a node has sent other nodes new weights that are not finite,
/// without reporting them as non-finite. The error names the node where these weights originate, not a node that only
/// passed them on.
void check_senders(const StepContext& context, const Senders& senders, const Phase& phase);
/// As above, with the senders that the workers' replies name.
template <class Reply>
void check_senders(const StepContext& context, const std::vector<From<Reply>>& replies, const Phase& phase) {
  Senders senders;
  for (const auto& [worker, reply] : replies) {
    check_sender(context, worker, reply.not_finite_from, phase);
    if (reply.not_finite_from >= 0) senders.emplace(context.members.node_of(worker), reply.not_finite_from);
  }
  check_senders(context, senders, phase);
}

/// Returns the error for a step that cannot be committed, because at least one worker has reported non-finite values in
/// `buffer`. The error names the first tensor with such values. If another node's gradients caused the values, the
/// error names this node as well.
/// @param optimizer the rule that updated the slices
/// @param workers the workers that reported non-finite values
Error non_finite_error(const StepContext& context, const UpdateRules& optimizer, const std::vector<int>& workers,
                       int buffer, const Phase& phase);

/// Returns the error for a step in which `worker` reports that the mean gradient of its slice is not finite. If another
/// node's gradients are the cause, the error names this node.
Error non_finite_mean_error(const StepContext& context, int worker, int buffer, const Phase& phase);
/// If another node has sent non-finite gradients of the worker's slice, makes this node the place of the error. Returns
/// the explanation to append to the error's message; empty if there is no such node.
/// @param where in: the worker's place; out: the place of the error
std::string blame_for_gradients(const StepContext& context, int worker, int buffer, const Phase& phase, Where& where);

/// Returns a name for the error message, for example "tensor 'fc.weight'" or "padding".
std::string name_of_tensor(const StepContext& context, const NonFinite& found);
/// Returns a name for the error message, for example "weights" or "momentum".
std::string name_of_part(const NonFinite& found, const UpdateRules& optimizer);

}  // namespace troupe
