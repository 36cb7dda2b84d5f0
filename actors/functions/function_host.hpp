#pragma once

#include <memory>

#include "actors/functions/function_run.hpp"

namespace troupe {

/// Executes the driver's requests about users' functions on one worker. At most one function runs on a worker at a
/// time.
class FunctionHost {
 public:
  FunctionHost(int worker, std::shared_ptr<StoreClient> store, FindNodeGroup find_node_group = {})
      : worker_(worker), store_(std::move(store)), find_node_group_(std::move(find_node_group)) {}
  ~FunctionHost();
  FunctionHost(const FunctionHost&) = delete;
  FunctionHost& operator=(const FunctionHost&) = delete;

  /// Executes a request and passes the reply to `done`, which is called exactly once. If the function has no new output
  /// when a `Listen` arrives, `done` is called later, on the function's thread.
  void carry_out(const StartFunction& request, const std::function<void(Done)>& done);
  void carry_out(const ProvideCheckpoint& request, const std::function<void(Done)>& done);
  void carry_out(const StopFunction& request, const std::function<void(Done)>& done);
  void carry_out(const Listen& request, const std::function<void(Heard)>& done);

 private:
  /// Returns the object through which the ranks on this node take part in the group of the requested function call.
  /// Returns null if the placement has no nodes, or if the call has only one rank.
  /// @throws Error protocol if this node's current group is not the group of the request
  std::shared_ptr<NodeGroup> node_group_of(const StartFunction& request) const;

  int worker_;
  std::shared_ptr<StoreClient> store_;
  FindNodeGroup find_node_group_;
  std::shared_ptr<FunctionMemory> memory_ = std::make_shared<FunctionMemory>();
  std::shared_ptr<FunctionRun> run_;  ///< the current run, or the last one if none is running
};

}  // namespace troupe
