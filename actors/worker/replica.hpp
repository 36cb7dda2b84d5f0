#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/messages/synchronous.hpp"
#include "actors/worker/task_queue.hpp"
#include "collectives/exchange/exchange.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// One model on one device of a worker, the shards it works on, and what it was asked for last.
struct Replica {
  ReplicaContext context;
  std::unique_ptr<Model> model;
  std::vector<EvaluationResult> evaluated;  ///< by position in context.shards
  std::string text;                         ///< that a function returned

  // Of the synchronous algorithm.
  std::vector<BatchResult> computed;  ///< by position in context.shards
  std::size_t num_computed = 0;       ///< of them, that belong to `call` and `step` and whose gradients are there
  std::uint64_t call = 0;
  std::int64_t step = 0;
  ExchangeReport spent;
  bool finite = true;    ///< what the last apply wrote
  NonFinite non_finite;  ///< where it is not

  TaskQueue queue;  ///< the last member: its thread uses the others
};

}  // namespace troupe
