#include <algorithm>

#include "actors/algorithms/asynchronous.hpp"

// Replays a recorded run: each operation of this run waits until it is the next operation in the record.
namespace troupe {

/// Returns the record's next operation if it belongs to this worker. Returns none if the operation belongs to another
/// worker, if the record has ended, or if this run replays no record.
std::optional<ServerOperation> AsynchronousRunner::scripted(int worker) const {
  if (!script_ || script_->done()) return std::nullopt;
  const ServerOperation& next = script_->next();
  return next.worker == worker ? std::optional(next) : std::nullopt;
}

/// Returns whether this operation may be carried out now. Without a replay, returns true. In a replay, returns whether
/// `operation` is the record's next operation, and if so, removes it from the record. If the result is true and this
/// run writes a record of its own, writes `operation` to its record.
bool AsynchronousRunner::is_turn(const ServerOperation& operation) {
  // While members come to rest, the record may already be at its end: if the recorded run lost this worker, the record
  // contains no push of the worker's last gradients.
  if (script_ && script_->done() && resting_) return false;
  if (script_ && script_->next() != operation) return false;
  if (script_) script_->take();
  if (recorder_) recorder_->write(operation);
  return true;
}

/// In a replay, lets the worker wait until the record's next operation is the worker's. However, if the record shows
/// that the recorded run lost the worker and started it again, starts the worker again in this run, too.
/// @throws Error bad_file if the record's next operation is the worker's, but is a different one
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

/// In a replay, returns whether the recorded run came to rest at this point in the middle of a step, because it lost a
/// worker. This is so if the record's next operation is a rest, and no task of the servers is outstanding.
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
