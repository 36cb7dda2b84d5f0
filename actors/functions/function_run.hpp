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

/// A function that returns the object that the ranks on this node share in the current group. The `std::function` is
/// empty if the placement has no nodes.
using FindNodeGroup = std::function<std::shared_ptr<NodeGroup>()>;

/// Returns the name of the store's object through which the ranks of a function call form their group. All ranks of one
/// attempt of the call get the same name.
ObjectId group_id(const StartFunction& request);

/// The data of a worker that is kept from one function run to the next.
struct FunctionMemory {
  std::any worker_storage;
  std::string checkpoint;  ///< the encoded checkpoint that the next function can load; empty if there is none
};

/// One run of a user's function on one worker, on a thread of its own. The thread keeps the FunctionRun alive until the
/// function has ended.
class FunctionRun : public Surroundings, public std::enable_shared_from_this<FunctionRun> {
 public:
  /// @param memory the worker's data, which all function runs of the worker share
  /// @param node_group the object that the ranks on this node share; null if the placement has no nodes or the call has
  /// one rank
  /// @throws Error invalid_argument if no function with the name in `request` is registered
  FunctionRun(const StartFunction& request, int worker, std::shared_ptr<StoreClient> store,
              std::shared_ptr<FunctionMemory> memory, std::shared_ptr<NodeGroup> node_group = {});

  /// Starts the thread that runs the function.
  /// @throws Error limit_reached if no thread can be started
  void begin();
  Outbox& outbox() { return outbox_; }
  /// Requests that the function stops (`should_stop` returns true). If `request` names an absent rank, also breaks the
  /// group, so that the function's calls of collectives throw.
  void stop(const StopFunction& request);
  /// Requests that the function stops, and discards its further output. Does not wait for the function's thread, which
  /// may continue to run.
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
  /// Returns the rank whose absence caused `error`. Returns -1 if the error has another cause, or if the absent rank is
  /// this rank itself.
  int blamed_by(const Error& error) const;
  /// Announces to the other ranks that this rank no longer takes part in collectives. Does nothing if the group is not
  /// formed.
  /// @param code, text the error of the other ranks that wait for this rank
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
  std::optional<Absence> absence_;              ///< the absent rank that the driver reported; it breaks the group as
                                                ///< soon as the group is formed
  std::int64_t saved_ = 0;
};

}  // namespace troupe
