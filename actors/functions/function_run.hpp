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

/// Which group the ranks of this node belong to, where there are nodes; empty elsewhere.
using FindNodeGroup = std::function<std::shared_ptr<NodeGroup>()>;

/// Of the group's memory.
ObjectId group_id(const StartFunction& request);

/// What outlives a worker's runs of functions.
struct FunctionMemory {
  std::any worker_storage;
  std::string checkpoint;  ///< that functions go on from, as bytes; empty: none
};

/// One run of a function on one worker, on a thread of its own, which lives as long as that thread.
class FunctionRun : public Surroundings, public std::enable_shared_from_this<FunctionRun> {
 public:
  /// @throws Error invalid_argument for a name that is not registered
  FunctionRun(const StartFunction& request, int worker, std::shared_ptr<StoreClient> store,
              std::shared_ptr<FunctionMemory> memory, std::shared_ptr<NodeGroup> node_group = {});

  /// @throws Error limit_reached
  void begin();
  Outbox& outbox() { return outbox_; }
  void stop(const StopFunction& request);
  /// Nobody asks any more; the function may go on.
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
  /// The rank that does not come, where that is what the group threw; -1 else, and where it is this one.
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
  std::shared_ptr<NodeGroup> node_group_;       ///< null where there are no nodes
  std::shared_ptr<Communicator> communicator_;  ///< null until the group is there
  std::optional<Absence> absence_;              ///< of which the group is told once it is there
  std::int64_t saved_ = 0;
};

}  // namespace troupe
