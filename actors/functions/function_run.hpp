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

/// Returns the group of the ranks of this node, if there are nodes. Empty if there are none.
using FindNodeGroup = std::function<std::shared_ptr<NodeGroup>()>;

/// Returns the id of the group's memory.
ObjectId group_id(const StartFunction& request);

/// Data of a worker that persists from one function run to the next.
struct FunctionMemory {
  std::any worker_storage;
  std::string checkpoint;  ///< the checkpoint from which functions resume, as bytes; empty: none
};

/// One run of a function on one worker, on its own thread. The object lives as long as that thread.
class FunctionRun : public Surroundings, public std::enable_shared_from_this<FunctionRun> {
 public:
  /// @throws Error invalid_argument if the name is not registered
  FunctionRun(const StartFunction& request, int worker, std::shared_ptr<StoreClient> store,
              std::shared_ptr<FunctionMemory> memory, std::shared_ptr<NodeGroup> node_group = {});

  /// @throws Error limit_reached
  void begin();
  Outbox& outbox() { return outbox_; }
  void stop(const StopFunction& request);
  /// Stops waiting for the function, which may continue to run.
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
  /// Returns the absent rank that caused the error; -1 if there is another cause, or if the rank is this one.
  int blamed_by(const Error& error) const;
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
  std::shared_ptr<NodeGroup> node_group_;       ///< null if there are no nodes
  std::shared_ptr<Communicator> communicator_;  ///< null until the group is formed
  std::optional<Absence> absence_;              ///< reported to the group once it is formed
  std::int64_t saved_ = 0;
};

}  // namespace troupe
