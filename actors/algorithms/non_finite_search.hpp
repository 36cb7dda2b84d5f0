#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "actors/messages/synchronous.hpp"

namespace troupe {

/// By node that was sent what is not finite, the node that has sent it.
using Senders = std::map<int, int>;

/// Workers that say of what they wrote that it is not finite.
std::vector<int> say_non_finite(const std::vector<From<Applied>>& replies);

/// @param from a node of which a worker says that it has sent what is not finite; -1: none has
/// @throws Error protocol for one that there is not, or the worker's own
void check_sender(const StepContext& context, int worker, std::int32_t from, const Phase& phase);
/// @throws Error non_finite_weights where a node has sent others new weights that are not finite, though it has not
/// said so of them. It is named: a node that only passed them on says of which it has them.
void check_senders(const StepContext& context, const Senders& senders, const Phase& phase);
/// The same of what workers answer.
template <class Reply>
void check_senders(const StepContext& context, const std::vector<From<Reply>>& replies, const Phase& phase) {
  Senders senders;
  for (const auto& [worker, reply] : replies) {
    check_sender(context, worker, reply.not_finite_from, phase);
    if (reply.not_finite_from >= 0) senders.emplace(context.members.node_of(worker), reply.not_finite_from);
  }
  check_senders(context, senders, phase);
}

/// Why a step cannot be committed of which these workers, of at least one, said that something in `buffer` is not
/// finite: names the first tensor of which that is so, and the node whose gradients made it so, where they did.
/// @param optimizer by which slices were applied
Error non_finite_error(const StepContext& context, const UpdateRules& optimizer, const std::vector<int>& workers,
                       int buffer, const Phase& phase);

/// The same for a step of which this worker says that the mean gradient of its slice is not finite.
Error non_finite_mean_error(const StepContext& context, int worker, int buffer, const Phase& phase);
/// Makes the node the place of an error that sent a worker's slice of gradients that are not finite, where one did, and
/// says so. @param where the worker's
std::string blame_for_gradients(const StepContext& context, int worker, int buffer, const Phase& phase, Where& where);

/// Such as "tensor 'fc.weight'", or "padding".
std::string name_of_tensor(const StepContext& context, const NonFinite& found);
/// Such as "weights" or "momentum".
std::string name_of_part(const NonFinite& found, const UpdateRules& optimizer);

}  // namespace troupe
