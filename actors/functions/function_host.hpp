#pragma once

#include <memory>

#include "actors/functions/function_run.hpp"

namespace troupe {

/// A worker's part in running users' functions, one at a time.
class FunctionHost {
 public:
  FunctionHost(int worker, std::shared_ptr<StoreClient> store, FindNodeGroup find_node_group = {})
      : worker_(worker), store_(std::move(store)), find_node_group_(std::move(find_node_group)) {}
  ~FunctionHost();
  FunctionHost(const FunctionHost&) = delete;
  FunctionHost& operator=(const FunctionHost&) = delete;

  /// Carries out the request, and answers with one call of `done`. A `Listen` is answered later, on the function's
  /// thread.
  void carry_out(const StartFunction& request, const std::function<void(Done)>& done);
  void carry_out(const ProvideCheckpoint& request, const std::function<void(Done)>& done);
  void carry_out(const StopFunction& request, const std::function<void(Done)>& done);
  void carry_out(const Listen& request, const std::function<void(Heard)>& done);

 private:
  /// Returns null if there are no nodes.
  std::shared_ptr<NodeGroup> node_group_of(const StartFunction& request) const;

  int worker_;
  std::shared_ptr<StoreClient> store_;
  FindNodeGroup find_node_group_;
  std::shared_ptr<FunctionMemory> memory_ = std::make_shared<FunctionMemory>();
  std::shared_ptr<FunctionRun> run_;  ///< the last run
};

}  // namespace troupe
