#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/messages/failure.hpp"
#include "actors/messages/model_description.hpp"
#include "collectives/plan/plan.hpp"

namespace troupe {

template <class F>
auto fields(Topology& x, F visit) {
  return visit(at_most<Bound::replicas>(x.node_of_lane), x.num_shards);
}
template <class F>
auto fields(PlanRequest& x, F visit) {
  return visit(x.strategy, x.deterministic, x.slice_owners, x.topology, x.in_pieces);
}
template <class F>
auto fields(ReplicaTraits& x, F visit) {
  return visit(x.size, x.learned_size, at_most<Bound::setting>(x.fingerprint), x.precision, x.tensors, x.num_samples,
               x.steps_per_epoch, x.converts_parts, x.f32_seconds_bits, x.bf16_seconds_bits, x.batch_dependent, x.unit);
}

struct Built {
  /// The largest size of the whole message in bytes. This limit is needed because each list may be long, but all lists
  /// together must not be.
  static constexpr std::size_t kMostBytes = kLongestDescription;

  std::uint64_t round = 0;
  Failure failure;
  std::vector<ReplicaTraits> replicas;  ///< in order of device
  std::vector<std::string> tensor_names;
  std::vector<std::vector<std::int64_t>> tensor_shapes;
  std::string network = {};  ///< ModelInfo::network
};
template <class F>
auto fields(Built& x, F visit) {
  return visit(x.round, x.failure, at_most<Bound::replicas>(x.replicas), at_most<Bound::tensors>(x.tensor_names),
               at_most<Bound::tensors>(x.tensor_shapes), at_most<Bound::setting>(x.network));
}

/// A request to a worker: build its replicas, and return their description.
struct Build {
  using Reply = Built;
  std::uint64_t round = 0;
  std::int32_t devices = 1;
  std::int32_t first_lane = 0;  ///< the number of the worker's first replica in the run
  bool use_cpus = true;
  std::int32_t device_number = -1;  ///< ComputeOptions::device_number
  bool tf32 = false;                ///< ComputeOptions::tf32
  /// Whether this worker is a backup: if the worker with the previous rank is late in a step, this worker also computes
  /// that worker's shards, and applies its slice.
  bool backs_up = false;
  PlanRequest plan;
  std::uint64_t seed = 0;
  /// The name under which the model is registered. Empty: use the creator with which the worker was constructed.
  std::string model;
  std::int32_t precision = 0;
  std::string config;
  bool precision_check = false;
  std::uint64_t data_memory = 0;  ///< MemoryOptions::data_bytes
  bool frozen = false;            ///< ReplicaContext::frozen
  bool all_shards = false;        ///< each replica must be able to compute any shard of its node
  bool hears = false;             ///< each replica must be able to receive a request to abandon its work
  std::string optimizer = {};     ///< the OptimizerSettings as JSON; they determine which tensors are frozen
};
template <class F>
auto fields(Build& x, F visit) {
  return visit(x.round, x.devices, x.first_lane, x.use_cpus, x.device_number, x.tf32, x.backs_up, x.plan, x.seed,
               at_most<Bound::setting>(x.model), x.precision, at_most<Bound::setting>(x.config), x.precision_check,
               x.data_memory, x.frozen, x.all_shards, x.hears, at_most<Bound::setting>(x.optimizer));
}

}  // namespace troupe
