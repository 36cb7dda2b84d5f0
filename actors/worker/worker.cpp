#include "actors/worker/worker.hpp"

#include <atomic>
#include <mutex>

namespace troupe {
namespace {

/// Counts the replicas that have not finished a request yet, and keeps the first failure.
struct Pending {
  explicit Pending(std::size_t count) : left(count) {}

  void fail(Failure what) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(what);
  }

  std::atomic<std::size_t> left;
  std::mutex mutex;
  Failure failure;
};

}  // namespace

Worker::Worker(int index, std::shared_ptr<StoreClient> store, CreateModel creator, std::shared_ptr<NodeShare> node)
    : functions_(index, store, node ? FindNodeGroup([node] { return node->group(); }) : FindNodeGroup()) {
  state_.index = index;
  state_.store = std::move(store);
  state_.creator = std::move(creator);
  state_.node = std::move(node);
}

void Worker::on_replicas(std::size_t count, ErrorCode otherwise, Work work, Finish finish) {
  if (count == 0 || count > state_.replicas.size()) {
    const Error none(ErrorCode::protocol, "the worker has no replicas");
    return finish(Failure::from(std::make_exception_ptr(none), otherwise));
  }
  auto pending = std::make_shared<Pending>(count);
  auto shared_work = std::make_shared<Work>(std::move(work));
  auto shared_finish = std::make_shared<Finish>(std::move(finish));
  for (std::size_t i = 0; i < count; ++i) {
    Replica& replica = *state_.replicas[i];
    replica.queue.run([self = shared_from_this(), &replica, pending, shared_work, shared_finish, otherwise] {
      try {
        (*shared_work)(replica);
      } catch (...) {
        pending->fail(Failure::from(std::current_exception(), otherwise));
      }
      if (--pending->left == 0) (*shared_finish)(pending->failure);
    });
  }
}

}  // namespace troupe
