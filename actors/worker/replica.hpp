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

/// The shards whose gradients a replica computes in a step, and the results so far. Despite its name, this struct has
/// nothing to do with the portions of L-BFGS.
struct Portion {
  std::vector<int> shards;
  std::vector<BatchResult> computed;  ///< the results for the first shards in `shards`, in order
  std::uint64_t call = 0;             ///< the number of the driver's call to which the results belong
  std::int64_t step = 0;

  void forget() { computed.clear(); }
};

/// One replica of a worker: a model on one device, its shards, and the results of its last requests.
struct Replica {
  ReplicaContext context;
  std::unique_ptr<Model> model;
  Measures evaluated;  ///< the results of the last evaluation, in the order of own.shards
  std::string text;    ///< the text that a user's function has returned, or the measurements of an evaluation

  // The next members are for the synchronous algorithm.
  Portion own;
  /// If workers are backups of each other: the shards of the worker with the previous rank.
  Portion backup;
  /// The times and numbers of bytes of the last request.
  ExchangeReport spent;
  bool finite = true;    ///< whether all values that the last `Apply` has written are finite
  NonFinite non_finite;  ///< the first non-finite value that was found

  // The next members are for local SGD.
  /// In the order of own.shards: the squared distance between the shard's copy of the weights and the old weights.
  std::vector<double> moved;
  int non_finite_shard = -1;  ///< the first shard whose copy is not finite (see `non_finite`); -1: none

  // The next members are for L-BFGS.
  BatchResult portion;     ///< the result of the last computed portion
  bool abandoned = false;  ///< the last portion was abandoned
  PieceProducts products;  ///< the scalar products over the replica's slice
  /// The largest magnitude of the mean gradient in the replica's slice, as the bits of a float.
  std::uint32_t largest = 0;

  // The next members are for asynchronous algorithms.
  std::vector<BatchResult> advanced;  ///< the results in the order of own.shards; also used by local SGD
  AlignedFloats own_weights;          ///< a copy of the served weights, updated with the replica's own gradients
  AlignedFloats
      next_gradient;  ///< memory for a gradient that is added to an earlier one, or for the gradient of a local step

  TaskQueue queue;  ///< must be the last member, because its thread uses the other members
};

}  // namespace troupe
