#include "actors/algorithms/non_finite_search.hpp"

#include <algorithm>
#include <utility>

#include "actors/messages/synchronous.hpp"
#include "actors/rounds/reply_checks.hpp"

namespace troupe {
namespace {

/// Of all that these workers wrote, and who wrote it.
std::pair<NonFinite, int> find(const StepContext& context, const std::vector<int>& workers, int buffer,
                               const UpdateRules& optimizer, const Phase& phase) {
  std::vector<std::pair<NonFinite, int>> all;
  for (const int worker : workers) {  // one after the other, because it takes memory
    const auto replies = context.rounds.ask(FindNonFinite{0, buffer}, {worker}, phase);
    const NonFinite& found = replies.front().reply.non_finite;
    check_reply(found, context.model.tensors.size(), optimizer.state_vectors(), context.rounds.where(worker, phase));
    if (found.tensor >= 0) all.emplace_back(found, worker);
  }
  if (all.empty())
    throw Error(ErrorCode::model_failed,
                "the optimizer '" + context.options.optimizer.kind +
                    "' or the model's update_statistics says so, and all that it wrote is finite",
                context.rounds.where(workers.front(), phase));
  return *std::min_element(all.begin(), all.end());
}

}  // namespace

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
    const auto [found, worker] = find(context, workers, buffer, optimizer, phase);
    what = "the step's new " + name_of_part(found, optimizer) + " would not be finite";
    where = context.rounds.where(worker, phase);
    where.object = name_of_tensor(context, found);
  } catch (const Error& error) {
    what = std::string("what the step makes would not be finite; where cannot be told: ") + error.message();
    where = error.where();
  }
  return {ErrorCode::non_finite_weights, what + "; nothing is committed", where};
}

}  // namespace troupe
