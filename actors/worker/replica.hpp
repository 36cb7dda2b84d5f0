#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/messages/measures.hpp"
#include "actors/messages/synchronous.hpp"
#include "actors/worker/task_queue.hpp"
#include "collectives/exchange/exchange.hpp"
#include "collectives/exchange/piece_products.hpp"
#include "models/aligned.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Shards whose gradients a replica computes, and what it has of them.
struct Portion {
  std::vector<int> shards;
  std::vector<BatchResult> computed;  ///< of the first shards
  std::uint64_t call = 0;             ///< what they belong to
  std::int64_t step = 0;

  void forget() { computed.clear(); }
};

/// One model on one device of a worker, the shards it works on, and what it was asked for last.
struct Replica {
  ReplicaContext context;
  std::unique_ptr<Model> model;
  Measures evaluated;  ///< by position in own.shards
  std::string text;    ///< that a function returned, or of what was measured

  // Of the synchronous algorithm.
  Portion own;
  Portion backup;  ///< of the worker before, where workers back each other up
  ExchangeReport spent;
  bool finite = true;    ///< what the last apply wrote
  NonFinite non_finite;  ///< where it is not

  // Of local SGD, by position in own.shards.
  std::vector<double> moved;  ///< squared distance of the copy from the weights
  int non_finite_shard = -1;  ///< whose copy is not finite, as non_finite says

  // Of L-BFGS.
  BatchResult portion;        ///< of what it has computed last
  bool abandoned = false;     ///< which it has left
  PieceProducts products;     ///< over its slice
  std::uint32_t largest = 0;  ///< of the mean gradient's magnitudes in it, as bits

  // Of algorithms on whose replicas run on their own clocks.
  std::vector<BatchResult> advanced;  ///< by position in own.shards, also of local SGD
  AlignedFloats own_weights;          ///< served ones that its own gradients have moved
  AlignedFloats next_gradient;        ///< that is added to one before, or of a copy's step

  TaskQueue queue;  ///< the last member: its thread uses the others
};

}  // namespace troupe
