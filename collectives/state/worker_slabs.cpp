#include "collectives/state/worker_slabs.hpp"

#include <utility>

#include "runtime/store/checked_part.hpp"
#include "troupe/error.hpp"

namespace troupe {

OwnGradients::OwnGradients(StoreClient& store, const SlabLayout& layout, GradientOf whose, const Range& shards,
                           std::uint64_t made_for)
    : made_for_(made_for), size_(layout.size), shards_(shards), held_(store) {
  for (std::size_t shard = shards.begin; shard < shards.end; ++shard)
    mappings_.push_back(held_.create_sealed(layout.gradient_id(whose, shard, made_for_), layout.bytes()));
}

WorkerSlabs::WorkerSlabs(StoreClient& store, const SlabLayout& layout, std::vector<const OwnGradients*> own,
                         const Range& slice, bool contributes, const Range& shards)
    : store_(store),
      layout_(layout),
      own_(std::move(own)),
      slice_(layout.backups ? Range{0, layout.size} : slice),
      contributes_(contributes || layout.backups),
      held_(store),
      slices_(static_cast<std::size_t>(layout.num_vectors())) {
  for (int vector = 0; vector < layout.vectors + layout.singles && !slice_.empty(); ++vector)
    for (int buffer = 0; buffer < layout.buffers_of(vector); ++buffer)
      slices_[static_cast<std::size_t>(vector)].push_back(open_slice(vector, buffer));
  for (std::size_t shard = shards.begin; shard < shards.end; ++shard)
    for (int number = 0; number < layout.per_shard; ++number)
      open_whole(layout.of_shard(static_cast<int>(shard), number));
  for (int slab = 0; slab < layout.dealt_slabs(); ++slab)
    dealt_.push_back(held_.open(layout.dealt_id(slab), 0, layout.bytes()));
  if (layout.devices_copy)
    for (int buffer = 0; buffer < layout.buffers; ++buffer)
      weights_.push_back(held_.open(layout.vector_id(kWeightsVector, buffer), 0, layout.bytes()));
}

void WorkerSlabs::open_whole(int vector) {
  for (int buffer = 0; buffer < layout_.buffers; ++buffer)
    slices_[static_cast<std::size_t>(vector)].push_back(
        held_.open(layout_.vector_id(vector, buffer), 0, layout_.bytes()));
}

void WorkerSlabs::map_served(int rank, std::chrono::milliseconds timeout) {
  served_ = held_.get(layout_.id(ObjectKind::served, rank), timeout);
}

void WorkerSlabs::map_others(const std::vector<std::vector<std::uint64_t>>& made_for,
                             std::chrono::milliseconds timeout) {
  for (int buffer = 0; buffer < layout_.buffers && !layout_.devices_copy; ++buffer)
    weights_.push_back(held_.get(layout_.vector_id(kWeightsVector, buffer), timeout));
  if (layout_.deals() || (slice_.empty() && !contributes_)) return;
  if (layout_.mean_gradient) {
    source_maps_.push_back(held_.get(layout_.id(ObjectKind::mean_gradient, 0), timeout));
    sources_.push_back(checked_first(source_maps_.back()->floats(), layout_.size));
    return;
  }
  sources_ = map_gradients(GradientOf::worker, made_for.at(0), timeout);
  if (layout_.backups) backups_ = map_gradients(GradientOf::backup, made_for.at(1), timeout);
}

Gradients WorkerSlabs::map_gradients(GradientOf whose, const std::vector<std::uint64_t>& made_for,
                                     std::chrono::milliseconds timeout) {
  const OwnGradients& own = *own_.at(static_cast<std::size_t>(whose));
  Gradients gradients(static_cast<std::size_t>(layout_.num_shards));
  for (std::size_t shard = layout_.shards.begin; shard < layout_.shards.end; ++shard) {
    const ObjectId id = layout_.gradient_id(whose, shard, made_for.at(shard));
    source_maps_.push_back(own.has(shard) ? own.of(shard) : held_.get(id, timeout));
    gradients[shard] = checked_first(source_maps_.back()->floats(), layout_.size);
  }
  return gradients;
}

std::span<const float> WorkerSlabs::weights(int buffer) const {
  return checked_first(weights_.at(static_cast<std::size_t>(buffer))->floats(), layout_.size);
}

std::span<const float> WorkerSlabs::served() const {
  if (!served_) throw Error(ErrorCode::protocol, "there are no parameter servers");
  return checked_first(served_->floats(), layout_.size);
}

std::span<float> WorkerSlabs::shard_vector(int shard, int number, int buffer) const {
  const auto vector = static_cast<std::size_t>(layout_.of_shard(shard, number));
  return checked_first(slices_.at(vector).at(static_cast<std::size_t>(buffer))->writable_floats(), layout_.size);
}

std::span<float> WorkerSlabs::dealt(int slab) const {
  if (slab < 0 || slab >= std::ssize(dealt_)) throw Error(ErrorCode::protocol, "there is no such slab for a gradient");
  return checked_first(dealt_[static_cast<std::size_t>(slab)]->writable_floats(), layout_.size);
}

std::shared_ptr<Mapping> WorkerSlabs::map_vector(int vector, int buffer, std::chrono::milliseconds timeout) {
  // If the store contains only a part of the vector, the node has gathered a copy of the whole vector. The name of this
  // copy is the name of buffer 1.
  const bool gathered = layout_.range_of(vector).size() < layout_.size;
  if (layout_.is_single(vector)) buffer = gathered ? 1 : 0;
  const ObjectId id = layout_.vector_id(vector, buffer);
  if (last_mapped_ == id && !gathered) return last_mapping_;
  last_mapping_ = store_.get(id, timeout);
  last_mapped_ = id;
  store_.release(id);
  return last_mapping_;
}

std::span<float> WorkerSlabs::slice_of(int vector, int buffer, const Range& range) const {
  if (layout_.is_single(vector)) buffer = 0;
  const auto& mapping = slices_.at(static_cast<std::size_t>(vector)).at(static_cast<std::size_t>(buffer));
  if (range.begin < slice_.begin) throw Error(ErrorCode::protocol, "the range belongs to another worker's slice");
  return checked_part(mapping->writable_floats(), range.begin - slice_.begin, range.size());
}

std::shared_ptr<Mapping> WorkerSlabs::open_slice(int vector, int buffer) {
  const std::size_t pages = (slice_.size() + kPageFloats - 1) / kPageFloats;
  const std::size_t begin = slice_.begin - layout_.range_of(vector).begin;
  return held_.open(layout_.vector_id(vector, buffer), begin * sizeof(float), pages * kPageBytes);
}

}  // namespace troupe
