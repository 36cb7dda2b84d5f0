#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/plan.hpp"
#include "runtime/store/store_client.hpp"

namespace troupe {

/// What the slabs of one membership hold. A new generation gets new slabs.
struct SlabLayout {
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::size_t size = 0;  ///< floats of the flat vectors
  int num_shards = 1;
  int first_shard = 0;  ///< of those whose gradients lie in this store; the others' lie in other nodes'
  int end_shard = 1;
  int state_vectors = 0;       ///< of the optimizer
  bool mean_gradient = false;  ///< the driver adds the gradients and shares their mean

  ObjectId id(ObjectKind kind, int number, int buffer = 0) const;
  /// Of one flat vector, in whole pages.
  std::size_t bytes() const;
};

/// Both buffers of a vector that each step writes anew: buffer `v % 2` holds version v.
template <class T>
using Buffers = std::array<T, 2>;

/// The slabs that all workers of a machine share: weights and optimizer state, made for the slice owners to write, and
/// the mean gradient where the driver adds the gradients itself. They belong to the driver, or in a cluster to the
/// node. Released when this goes.
class SharedSlabs {
 public:
  SharedSlabs(StoreClient& store, const SlabLayout& layout);
  ~SharedSlabs();
  SharedSlabs(const SharedSlabs&) = delete;
  SharedSlabs& operator=(const SharedSlabs&) = delete;

  /// Publishes weights and state; from now on only those who opened their slices can write.
  void seal();
  /// Maps all gradients, for a driver that adds them.
  void map_gradients(std::chrono::milliseconds timeout);

  std::span<float> weights(int buffer) const;
  std::span<float> state(int vector, int buffer) const;
  std::span<float> mean_gradient() const;
  const Gradients& gradients() const { return gradients_; }

 private:
  std::shared_ptr<Mapping> create(ObjectKind kind, int number, int buffer, bool shared_writers);

  StoreClient& store_;
  SlabLayout layout_;
  std::vector<ObjectId> held_;
  Buffers<std::shared_ptr<Mapping>> weights_;
  std::vector<Buffers<std::shared_ptr<Mapping>>> states_;
  std::shared_ptr<Mapping> mean_gradient_;
  std::vector<std::shared_ptr<Mapping>> gradient_maps_;
  Gradients gradients_;
};

/// A worker's slabs: the gradients of its shards, which it alone writes, its slice of the weights and state, and for
/// reading what the others publish. Released when this goes.
class WorkerSlabs {
 public:
  /// Creates the gradients of `shards` and opens the slice for writing.
  /// @param contributes whether gradients are needed though the slice is empty.
  WorkerSlabs(StoreClient& store, const SlabLayout& layout, const std::vector<int>& shards, const Range& slice,
              bool contributes = false);
  ~WorkerSlabs();
  WorkerSlabs(const WorkerSlabs&) = delete;
  WorkerSlabs& operator=(const WorkerSlabs&) = delete;

  /// Maps the weights and all that this worker is to add. Everybody has created theirs by now.
  void map_others(std::chrono::milliseconds timeout);

  std::span<float> gradient(int shard) const;
  std::span<const float> weights(int buffer) const;
  /// The part `range` of this worker's slice, for writing.
  std::span<float> weights_slice(int buffer, const Range& range) const;
  std::span<float> state_slice(int vector, int buffer, const Range& range) const;
  const Range& slice() const { return slice_; }
  /// What a slice is reduced from: by shard, the gradients that lie in this store (the others' are empty), or the
  /// driver's mean alone.
  const Gradients& sources() const { return sources_; }

 private:
  std::shared_ptr<Mapping> get(const ObjectId& id, std::chrono::milliseconds timeout);
  std::shared_ptr<Mapping> open_slice(int vector, int buffer);
  std::span<float> part(const std::shared_ptr<Mapping>& mapping, const Range& range) const;

  StoreClient& store_;
  SlabLayout layout_;
  Range slice_;
  bool contributes_;
  std::vector<ObjectId> held_;
  std::vector<std::shared_ptr<Mapping>> own_gradients_;  ///< by shard; null for the others'
  Buffers<std::shared_ptr<Mapping>> weights_;
  Buffers<std::shared_ptr<Mapping>> weights_slices_;
  std::vector<Buffers<std::shared_ptr<Mapping>>> state_slices_;
  std::vector<std::shared_ptr<Mapping>> source_maps_;
  Gradients sources_;
};

}  // namespace troupe
