#include <algorithm>

#include "actors/algorithms/asynchronous.hpp"

// Replays the order of operations of a recorded run. An operation is held back until its turn.
namespace troupe {

/// The next operation of the record, if it is this worker's.
std::optional<ServerOperation> AsynchronousRunner::scripted(int worker) const {
  if (!script_ || script_->done()) return std::nullopt;
  const ServerOperation& next = script_->next();
  return next.worker == worker ? std::optional(next) : std::nullopt;
}

/// Returns true without a replay, or if the operation is next in the record. Then takes the operation from the record,
/// and records it.
bool AsynchronousRunner::is_turn(const ServerOperation& operation) {
  // A worker that was lost in the record makes no more pushes.
  if (script_ && script_->done() && resting_) return false;
  if (script_ && script_->next() != operation) return false;
  if (script_) script_->take();
  if (recorder_) recorder_->write(operation);
  return true;
}

/// Holds a worker back whose turn has not come. If the worker was lost in the record and started again, it starts again
/// here as well.
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

/// Whether the record came to rest here in the middle of a step, because a worker was lost.
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
