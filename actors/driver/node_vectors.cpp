#include "actors/driver/node_vectors.hpp"

#include <algorithm>
#include <vector>

#include "actors/driver/option_checks.hpp"

namespace troupe {
namespace {

/// Returns one worker of each node that is not lost: the first worker of the node that is not lost.
std::vector<int> survivors(const Members& members) {
  std::vector<int> workers;
  for (const int worker : members.workers()) {
    const int node = members.node_of(worker);
    const bool first = workers.empty() || members.node_of(workers.back()) != node;
    if (first && !members.lost(worker) && !members.lost(members.member_of_node(node))) workers.push_back(worker);
  }
  return workers;
}

/// Returns the weights from a node that is not lost; tries one node after the other. Ends the current generation.
HeldFloats rescue_weights(Run& run, int buffer, const char* name) {
  FormedRun& formed = *run.formed;
  const std::vector<int> live = run.versions.live();
  const int place = static_cast<int>(std::ranges::find(live, buffer) - live.begin());
  const Deadline deadline(run.options.timeouts.save);
  const Members& members = formed.members();
  const PlanRequest plan = plan_request_of(run.options, members.topology());
  const std::vector<int> workers = survivors(members);
  Error why(ErrorCode::worker_lost, "all nodes were lost, and the weights with them", {.phase = name});
  for (std::size_t i = 0; i < workers.size(); ++i) try {
      // Use only a part of the remaining time for this node. If this node hangs, enough time remains for the other
      // nodes.
      const auto share = deadline.left() / static_cast<std::int64_t>(workers.size() - i);
      const Phase at = run.phase(name, share);
      const std::vector<int> unbuilt = members.unbuilt_workers();
      if (std::ranges::count(unbuilt, workers[i]) > 0) run.preparation.build(formed, {workers[i]}, at);
      formed.generation().begin_alone(workers[i], plan, formed.rounds(), formed.home(), run.versions, at);
      HeldFloats weights = formed.transfers().fetch_weights(workers[i], place, total_size(run.model().tensors), at);
      formed.rounds().unsettle();  // the other nodes do not take part in this generation
      return weights;
    } catch (const Error& error) {
      formed.rounds().unsettle();
      why = error;
    }
  throw Error(why);
}

}  // namespace

HeldFloats fetch_of_nodes(Run& run, int vector, const std::function<int()>& buffer, const char* name) {
  const bool whole = !run.lost_at && !run.node_lost() && run.formed->members().lost_workers().empty();
  if (whole || vector != kWeightsVector) try {
      run.settle(Needs::members);
      const VectorPart all{vector, 0, total_size(run.model().tensors)};
      return run.formed->transfers().fetch(all, buffer(), run.saving(name));
    } catch (const Error& error) {
      if (vector != kWeightsVector || !run.may_come_of_lost_node(error)) throw;
    }
  if (buffer() == run.versions.buffer() && run.algorithm->has_servers() && !run.algorithm->whole())
    throw Error(ErrorCode::worker_lost, "the lost node's slice of the weights is lost", {.phase = name});
  return rescue_weights(run, buffer(), name);
}

}  // namespace troupe
