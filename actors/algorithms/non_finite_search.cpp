#include "actors/algorithms/non_finite_search.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "actors/messages/synchronous.hpp"
#include "actors/rounds/reply_checks.hpp"

namespace troupe {
namespace {

/// A non-finite value, and the worker that wrote the value. `sums_from` is the node that sent the non-finite sum of
/// gradients from which the value was computed; -1: none.
struct Finding {
  NonFinite what;
  int worker = 0;
  int sums_from = -1;
};

std::string name_of_node(const StepContext& context, int node, const Phase& phase) {
  return context.rounds.where(context.members.member_of_node(node), phase).node;
}

/// Returns the first worker of `node`. The driver asks this worker which node sent non-finite sums of gradients. Any
/// worker of the node can answer, because each node stores the sums once for all of its workers.
int worker_of(const StepContext& context, int node) {
  const std::vector<int> workers = context.members.workers();
  return *std::ranges::find(workers, node, [&](int worker) { return context.members.node_of(worker); });
}

/// Asks `worker` for the first non-finite value that it wrote, and for a node that has sent non-finite sums of
/// gradients to the worker's node.
/// @param owner the worker that owns the slice to which the sums belong
Found ask_for_non_finite(const StepContext& context, int worker, int owner, int buffer, const Phase& phase) {
  const auto lane = static_cast<std::int32_t>(context.members.lanes_of(owner).begin);
  const auto replies = context.rounds.ask(FindNonFinite{0, buffer, lane}, {worker}, phase);
  check_sender(context, worker, replies.front().reply.sums_from, phase);
  return replies.front().reply;
}

/// Returns the number of the node whose gradients made the sums non-finite; -1 if no other node has sent such sums. In
/// ring order, each node adds its gradients to a sum and passes the sum on. Therefore this function asks node after
/// node, backwards along the ring. In other orders, each node sends its own sums, so the sender is the cause.
int sender_of_sums(const StepContext& context, const Finding& found, int buffer, const Phase& phase) {
  if (found.sums_from < 0 || !context.plan.ring_order) return found.sums_from;
  std::set<int> asked{context.members.node_of(found.worker)};
  int node = found.sums_from;
  while (asked.insert(node).second) {
    const int from = ask_for_non_finite(context, worker_of(context, node), found.worker, buffer, phase).sums_from;
    if (from < 0) break;
    node = from;
  }
  return node;
}

/// If gradients from another node caused the value in `found`, writes this other node into `where`, and returns an
/// explanation to append to the error's message. Otherwise returns an empty string.
std::string blame_sender(const StepContext& context, const Finding& found, int buffer, const Phase& phase,
                         Where& where) {
  const int sender = sender_of_sums(context, found, buffer, phase);
  if (sender < 0) return "";
  const std::string told_by = std::exchange(where.node, name_of_node(context, sender, phase));
  where.worker = -1;
  return ", because the gradients that " + where.node + " sent are not finite (reported by " + told_by + ")";
}

/// Asks `workers` which non-finite values they wrote into `buffer`. Returns the first of these values in the canonical
/// order of tensors.
/// @throws Error model_failed if all written values are finite
Finding find(const StepContext& context, const std::vector<int>& workers, int buffer, const UpdateRules& optimizer,
             const Phase& phase) {
  std::vector<Finding> all;
  for (const int worker : workers) {  // ask one worker after the other, because a search needs memory
    const Found found = ask_for_non_finite(context, worker, worker, buffer, phase);
    const NonFinite& what = found.non_finite;
    check_reply(what, context.model.tensors.size(), optimizer.state_vectors(), context.rounds.where(worker, phase));
    if (what.tensor >= 0) all.push_back({what, worker, found.sums_from});
  }
  if (all.empty())
    throw Error(ErrorCode::model_failed,
                "the optimizer '" + to_string(context.options.optimizer) +
                    "' or the model's update_statistics reports a non-finite value, but all written values are finite",
                context.rounds.where(workers.front(), phase));
  return *std::ranges::min_element(all, {}, &Finding::what);
}

}  // namespace

std::vector<int> say_non_finite(const std::vector<From<Applied>>& replies) {
  std::vector<int> workers;
  for (const auto& [worker, reply] : replies)
    if (!reply.finite) workers.push_back(worker);
  return workers;
}

void check_sender(const StepContext& context, int worker, std::int32_t from, const Phase& phase) {
  if (from < -1 || from >= context.members.num_nodes() || (from >= 0 && from == context.members.node_of(worker)))
    throw Error(ErrorCode::protocol,
                "invalid reply: the node that sent non-finite values is unknown or the worker's own",
                context.rounds.where(worker, phase));
}

void check_senders(const StepContext& context, const Senders& senders, const Phase& phase) {
  if (senders.empty()) return;
  int origin = senders.begin()->second;
  // In a ring, nodes pass on weights that they received. Otherwise each node sends only its own weights.
  if (context.plan.weights_in_ring) {
    std::set<int> passed;
    while (senders.contains(origin) && passed.insert(origin).second) origin = senders.at(origin);
  }
  const auto told = std::ranges::find(senders, origin, [](const auto& each) { return each.second; });
  const Where where = context.rounds.where(context.members.member_of_node(origin), phase);
  throw Error(ErrorCode::non_finite_weights,
              "this node sent new weights that are not finite, but did not report it (reported by " +
                  name_of_node(context, told->first, phase) + "); nothing is committed",
              where);
}

std::string name_of_tensor(const StepContext& context, const NonFinite& found) {
  const auto tensor = static_cast<std::size_t>(found.tensor);
  const auto& tensors = context.model.tensors;
  return tensor < tensors.size() ? "tensor '" + tensors[tensor].name + "'" : "padding";
}

std::string name_of_part(const NonFinite& found, const UpdateRules& optimizer) {
  if (found.part == NonFinite::kWeights) return "weights";
  if (found.part == NonFinite::kStatistics) return "statistics";
  return optimizer.state_name(found.part - NonFinite::kState);
}

Error non_finite_error(const StepContext& context, const UpdateRules& optimizer, const std::vector<int>& workers,
                       int buffer, const Phase& phase) {
  std::string what;
  Where where;
  try {
    const Finding found = find(context, workers, buffer, optimizer, phase);
    what = "the step's new " + name_of_part(found.what, optimizer) + " would not be finite";
    where = context.rounds.where(found.worker, phase);
    where.object = name_of_tensor(context, found.what);
    what += blame_sender(context, found, buffer, phase, where);
  } catch (const Error& error) {
    what = std::string("the step's result would not be finite; the tensor is unknown: ") + error.message();
    where = error.where();
  }
  return {ErrorCode::non_finite_weights, what + "; nothing is committed", where};
}

Error non_finite_mean_error(const StepContext& context, int worker, int buffer, const Phase& phase) {
  Where where = context.rounds.where(worker, phase);
  const std::string why = blame_for_gradients(context, worker, buffer, phase, where);
  return {ErrorCode::non_finite_weights, "the step's mean gradient is not finite" + why + "; nothing is committed",
          where};
}

std::string blame_for_gradients(const StepContext& context, int worker, int buffer, const Phase& phase, Where& where) {
  if (context.members.num_nodes() == 0) return "";
  const Found found = ask_for_non_finite(context, worker, worker, buffer, phase);
  return blame_sender(context, {{}, worker, found.sums_from}, buffer, phase, where);
}

}  // namespace troupe
