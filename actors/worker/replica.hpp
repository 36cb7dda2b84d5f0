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

/// The shards that a replica computes in a step, and the results of the gradients computed so far. Not to be confused
/// with the portions of L-BFGS.
struct Portion {
  std::vector<int> shards;
  std::vector<BatchResult> computed;  ///< the results of the first shards, in order
  std::uint64_t call = 0;             ///< the number of the driver's call that the results belong to
  std::int64_t step = 0;

  void forget() { computed.clear(); }
};

/// One model on one device of a worker, its shards, and the results of its last requests.
struct Replica {
  ReplicaContext context;
  std::unique_ptr<Model> model;
  Measures evaluated;  ///< results of the last evaluation, by position in own.shards
  std::string text;    ///< the result of a function, or the measurements of an evaluation

  // Synchronous algorithm.
  Portion own;
  Portion backup;  ///< the shards of the worker with the previous rank, if workers back each other up
  /// The costs of the last request.
  ExchangeReport spent;
  bool finite = true;    ///< whether all values written by the last apply are finite
  NonFinite non_finite;  ///< the first non-finite value that was found

  // Local SGD, by position in own.shards.
  std::vector<double> moved;  ///< the squared distance of the shard's copy from the weights
  int non_finite_shard = -1;  ///< the first shard with a non-finite copy (see non_finite); -1: none

  // L-BFGS.
  BatchResult portion;        ///< the result of the last computed portion
  bool abandoned = false;     ///< the last portion was abandoned
  PieceProducts products;     ///< scalar products over the replica's slice
  std::uint32_t largest = 0;  ///< the largest magnitude of the mean gradient in the slice, as bits

  // Asynchronous algorithms.
  std::vector<BatchResult> advanced;  ///< results by position in own.shards; also used by local SGD
  AlignedFloats own_weights;          ///< a copy of the served weights, moved by the replica's own gradients
  AlignedFloats next_gradient;        ///< a gradient to add to an earlier one, or the gradient of a local step

  TaskQueue queue;  ///< must be the last member, because its thread uses the others
};

}  // namespace troupe
