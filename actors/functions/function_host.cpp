#include "actors/functions/function_host.hpp"

namespace troupe {
namespace {

/// Calls `work`, and then passes a reply with the number `round` to `done`. If `work` throws, the reply contains the
/// error.
template <class Work>
void answer(std::uint64_t round, const std::function<void(Done)>& done, const Work& work) {
  Done reply{round, {}};
  try {
    work();
  } catch (...) {
    reply.failure = Failure::from(std::current_exception(), ErrorCode::protocol);
  }
  done(std::move(reply));
}

}  // namespace

FunctionHost::~FunctionHost() {
  if (run_) run_->abandon();
}

void FunctionHost::carry_out(const StartFunction& request, const std::function<void(Done)>& done) {
  answer(request.round, done, [&] {
    if (run_ && !run_->has_ended())
      throw Error(ErrorCode::in_use, "the worker still runs an earlier function that has not ended");
    if (request.size < 1 || request.rank < 0 || request.rank >= request.size || request.local_rank < 0 ||
        request.local_rank >= request.local_size || request.local_size > request.size)
      throw Error(ErrorCode::protocol, "the rank is not in the group");
    auto run = std::make_shared<FunctionRun>(request, worker_, store_, memory_, node_group_of(request));
    run->begin();
    run_ = std::move(run);  // set last, because a run that could not begin would never be marked as ended
  });
}

std::shared_ptr<NodeGroup> FunctionHost::node_group_of(const StartFunction& request) const {
  if (request.size == 1 || !find_node_group_) return nullptr;
  auto group = find_node_group_();
  const bool known = group && group->size() == request.size && group->node_of(request.rank) == group->node() &&
                     group->id() == group_id(request);
  if (!known) throw Error(ErrorCode::protocol, "this node does not know the group");
  return group;
}

void FunctionHost::carry_out(const ProvideCheckpoint& request, const std::function<void(Done)>& done) {
  answer(request.round, done, [&] {
    if (run_ && !run_->has_ended())
      throw Error(ErrorCode::protocol, "a checkpoint must not arrive while a function runs");
    if (request.first) memory_->checkpoint.clear();
    memory_->checkpoint += request.bytes;
  });
}

void FunctionHost::carry_out(const StopFunction& request, const std::function<void(Done)>& done) {
  answer(request.round, done, [&] {
    if (run_) run_->stop(request);
  });
}

void FunctionHost::carry_out(const Listen& request, const std::function<void(Heard)>& done) {
  if (run_) return run_->outbox().listen(request.round, done);
  Heard nothing;
  nothing.round = request.round;
  nothing.ended = true;
  nothing.failure = {static_cast<std::int32_t>(ErrorCode::protocol), "no function has begun", "", "", ""};
  done(std::move(nothing));
}

}  // namespace troupe
