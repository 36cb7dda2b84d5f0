#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "actors/functions/outbox.hpp"
#include "actors/functions/surroundings.hpp"
#include "actors/messages/function.hpp"
#include "collectives/group/node_group.hpp"
#include "runtime/store/store_client.hpp"
#include "troupe/function.hpp"

namespace troupe {

/// A function that returns the memory that this node's ranks share in the current group. The function is empty if the
/// placement has no nodes.
using FindNodeGroup = std::function<std::shared_ptr<NodeGroup>()>;

/// Returns the name of the object in which the ranks of the group meet. The name is the same for all ranks of a call.
ObjectId group_id(const StartFunction& request);

/// The data of a worker that stays from one function run to the next.
struct FunctionMemory {
  std::any worker_storage;
  std::string checkpoint;  ///< the checkpoint that the next function can load, as bytes; empty: none
};

/// One run of a user's function on one worker, on a thread of its own. The thread keeps the object alive until the
/// function has ended.
class FunctionRun : public Surroundings, public std::enable_shared_from_this<FunctionRun> {
 public:
  /// @param memory the worker's data, shared by all runs
  /// @param node_group the memory that this node's ranks share; null if the placement has no nodes
  /// @throws Error invalid_argument if no function of this name is registered
  FunctionRun(const StartFunction& request, int worker, std::shared_ptr<StoreClient> store,
              std::shared_ptr<FunctionMemory> memory, std::shared_ptr<NodeGroup> node_group = {});

  /// Starts the thread.
  /// @throws Error limit_reached if no thread can be started
  void begin();
  Outbox& outbox() { return outbox_; }
  /// Requests that the function stops. If `request` names an absent rank, also breaks the group, so that this rank's
  /// collectives throw.
  void stop(const StopFunction& request);
  /// Requests that the function stops, and discards its further output. Does not wait for its thread, which may
  /// continue to run.
  void abandon();
  bool has_ended() const { return ended_; }

  void report(const Json& metrics) override;
  void save(Checkpoint checkpoint) override;
  std::optional<Checkpoint> load() override;
  bool should_stop() const override { return stop_; }
  std::any& worker_storage() override { return memory_->worker_storage; }

 private:
  void run();
  TaskResult call_function();
  void join_group();
  std::shared_ptr<Communicator> communicate(const AskAbsent& absent) const;
  void load_datasets();
  /// Returns the rank whose absence caused `error`. Returns -1 if the error has another cause, or if that rank is this
  /// one.
  int blamed_by(const Error& error) const;
  /// Announces to the other ranks that this rank no longer takes part.
  void leave(ErrorCode code, const std::string& text);

  const StartFunction request_;
  const int worker_;
  TrainFunction function_;
  std::shared_ptr<StoreClient> store_;
  std::shared_ptr<FunctionMemory> memory_;
  Outbox outbox_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::shared_ptr<NodeGroup> node_group_;       ///< null if the placement has no nodes
  std::shared_ptr<Communicator> communicator_;  ///< null until the group is formed
  std::optional<Absence> absence_;              ///< a missing rank that the driver reported; breaks the group, as soon
                                                ///< as it is formed
  std::int64_t saved_ = 0;
};

}  // namespace troupe
