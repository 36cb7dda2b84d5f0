#include <algorithm>

#include "actors/algorithms/asynchronous.hpp"

// Replays the order of operations of a recorded run. Each operation is held back until its turn in the record.
namespace troupe {

/// Returns the next operation of the record if it belongs to this worker, or none.
std::optional<ServerOperation> AsynchronousRunner::scripted(int worker) const {
  if (!script_ || script_->done()) return std::nullopt;
  const ServerOperation& next = script_->next();
  return next.worker == worker ? std::optional(next) : std::nullopt;
}

/// Without a replay, returns true. In a replay, returns whether this is the next operation of the record, and if so
/// removes it from the record. If this run writes a record and the result is true, also writes the operation.
bool AsynchronousRunner::is_turn(const ServerOperation& operation) {
  // While members come to rest, the record may already be at its end. If the recorded run lost this worker, the record
  // has no push for its last gradients.
  if (script_ && script_->done() && resting_) return false;
  if (script_ && script_->next() != operation) return false;
  if (script_) script_->take();
  if (recorder_) recorder_->write(operation);
  return true;
}

/// Holds a worker back, because its turn has not come. If the recorded run lost the worker and started it again, starts
/// the worker again here as well.
void AsynchronousRunner::hold(const StepContext& context, int worker) {
  const auto next = scripted(worker);
  const bool begins = next && next->kind == ServerOperation::Kind::ask && !next->pushes;
  if (begins && next->clock != clocks_.clock(worker)) {
    unpushed_.erase(worker);
    clocks_.set_back(worker, next->clock);
    return follow_up(context, worker);
  }
  if (next && !resting_) throw script_->other_run();
  held_.insert(worker);
}

/// Returns whether the recorded run came to rest at this point in the middle of a step, because a worker was lost: the
/// record continues with a rest, and no task of the servers is outstanding.
bool AsynchronousRunner::rested_here(const StepContext& context) const {
  const ServerOperation rest{ServerOperation::Kind::rest, -1, context.versions.committed().step};
  return script_ && !script_->done() && script_->next() == rest &&
         std::ranges::all_of(tasks_, [](const auto& each) { return each.second.is_of_worker(); });
}

void AsynchronousRunner::let_held_go(const StepContext& context) {
  if (!script_ || script_->done()) return;
  const int worker = script_->next().worker;
  if (held_.erase(worker) > 0) follow_up(context, worker);
}

}  // namespace troupe
