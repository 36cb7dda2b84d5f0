#pragma once

#include <bit>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "actors/caf.hpp"
#include "actors/model_description.hpp"
#include "troupe/error.hpp"
#include "troupe/model.hpp"

// Every message between driver and workers. No floating-point member: CAF 0.17 does not carry NaN, infinities, -0 and
// subnormals between processes, so numbers travel as their bits.
namespace troupe {

inline constexpr std::uint32_t kProtocolVersion = 2;

inline std::uint64_t to_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// An error on its way to the driver; code -1 where all went well.
struct Failure {
  std::int32_t code = -1;
  std::string message;
  std::string phase;
  std::string object;

  explicit operator bool() const { return code >= 0; }
  static Failure from(const std::exception_ptr& error, ErrorCode otherwise);
  /// The error again, with what the driver knows of its place.
  Error to_error(Where where) const;
};

/// From a worker process to the driver, once: here I am. The sender is the worker.
struct Join {
  std::uint32_t protocol = kProtocolVersion;
  std::int32_t worker = 0;
  std::int32_t pid = 0;
};

/// Make the replicas and say what they are like.
struct Build {
  std::uint64_t round = 0;
  std::int32_t num_workers = 1;
  std::int32_t devices = 1;
  bool use_cpus = true;
  std::int32_t num_shards = 1;
  std::uint64_t seed = 0;
  std::string model;  ///< registered name; empty: the creator that the worker was made with
  std::int32_t precision = 0;
  std::string config;
};

struct Built {
  std::uint64_t round = 0;
  std::int32_t worker = 0;
  Failure failure;
  std::vector<ReplicaTraits> replicas;  ///< in order of device
  std::int64_t num_samples = 0;
  std::int64_t steps_per_epoch = 0;
  std::vector<std::string> tensor_names;
  std::vector<std::vector<std::int64_t>> tensor_shapes;
};

/// Where a worker's slices lie. First `share` is false: create own slabs and map what is still open for writing; then
/// true: map what the others made.
struct Attach {
  std::uint64_t round = 0;
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  bool share = false;
  std::string strategy;
  std::string optimizer;  ///< OptimizerOptions as JSON
};

/// Compute the gradients of weights `buffer`.
struct Compute {
  std::uint64_t round = 0;
  std::int64_t step = 0;  ///< steps committed so far
  std::int32_t buffer = 0;
};

struct Computed {
  std::uint64_t round = 0;
  std::int32_t worker = 0;
  Failure failure;
  std::vector<std::int32_t> shards;
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> samples;
  std::uint64_t seconds_bits = 0;
};

/// Write the other buffer of weights and optimizer state from `buffer` and the gradients.
struct Apply {
  std::uint64_t round = 0;
  std::int64_t step = 0;
  std::int32_t buffer = 0;
  std::int64_t samples = 0;
  std::int64_t updates = 0;  ///< that made the optimizer's state so far
};

struct Applied {
  std::uint64_t round = 0;
  std::int32_t worker = 0;
  Failure failure;
  std::uint64_t reduce_bits = 0;
  std::uint64_t apply_bits = 0;
};

enum class TaskKind : std::uint8_t {
  fence,            ///< answer when all that was asked before is done
  initialize,       ///< write the first weights into a transfer object
  export_weights,   ///< write weights `buffer` into a transfer object, canonical
  import_weights,   ///< turn canonical weights in one transfer object into flat ones in another
  evaluate,         ///< of the weights in `buffer`
  model_function,   ///< run the function `name` on each replica
  worker_function,  ///< run the function `name` on the worker
  stop,             ///< end the replicas
};

/// Everything that is no part of a step.
struct Task {
  std::uint64_t round = 0;
  TaskKind kind = TaskKind::fence;
  std::int32_t buffer = 0;
  std::uint64_t transfer = 0;  ///< number of the transfer object
  std::int64_t step = 0;
  bool first_replica_only = false;
  std::string name;
};

struct TaskDone {
  std::uint64_t round = 0;
  std::int32_t worker = 0;
  Failure failure;
  std::vector<std::string> texts;    ///< functions
  std::vector<std::int32_t> shards;  ///< evaluate, as the next three
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> correct;
  std::vector<std::int64_t> samples;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Failure& x) {
  return f(caf::meta::type_name("failure"), x.code, x.message, x.phase, x.object);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ReplicaTraits& x) {
  return f(caf::meta::type_name("replica_traits"), x.size, x.learned_size, x.fingerprint, x.precision);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Join& x) {
  return f(caf::meta::type_name("join"), x.protocol, x.worker, x.pid);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Build& x) {
  return f(caf::meta::type_name("build"), x.round, x.num_workers, x.devices, x.use_cpus, x.num_shards, x.seed, x.model,
           x.precision, x.config);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Built& x) {
  return f(caf::meta::type_name("built"), x.round, x.worker, x.failure, x.replicas, x.num_samples, x.steps_per_epoch,
           x.tensor_names, x.tensor_shapes);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Attach& x) {
  return f(caf::meta::type_name("attach"), x.round, x.run, x.generation, x.share, x.strategy, x.optimizer);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Compute& x) {
  return f(caf::meta::type_name("compute"), x.round, x.step, x.buffer);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Computed& x) {
  return f(caf::meta::type_name("computed"), x.round, x.worker, x.failure, x.shards, x.loss_bits, x.samples,
           x.seconds_bits);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Apply& x) {
  return f(caf::meta::type_name("apply"), x.round, x.step, x.buffer, x.samples, x.updates);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Applied& x) {
  return f(caf::meta::type_name("applied"), x.round, x.worker, x.failure, x.reduce_bits, x.apply_bits);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Task& x) {
  return f(caf::meta::type_name("task"), x.round, x.kind, x.buffer, x.transfer, x.step, x.first_replica_only, x.name);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, TaskDone& x) {
  return f(caf::meta::type_name("task_done"), x.round, x.worker, x.failure, x.texts, x.shards, x.loss_bits, x.correct,
           x.samples);
}

}  // namespace troupe

CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(troupe, (troupe::Failure))
CAF_ADD_TYPE_ID(troupe, (troupe::ReplicaTraits))
CAF_ADD_TYPE_ID(troupe, (troupe::Join))
CAF_ADD_TYPE_ID(troupe, (troupe::Build))
CAF_ADD_TYPE_ID(troupe, (troupe::Built))
CAF_ADD_TYPE_ID(troupe, (troupe::Attach))
CAF_ADD_TYPE_ID(troupe, (troupe::Compute))
CAF_ADD_TYPE_ID(troupe, (troupe::Computed))
CAF_ADD_TYPE_ID(troupe, (troupe::Apply))
CAF_ADD_TYPE_ID(troupe, (troupe::Applied))
CAF_ADD_TYPE_ID(troupe, (troupe::TaskKind))
CAF_ADD_TYPE_ID(troupe, (troupe::Task))
CAF_ADD_TYPE_ID(troupe, (troupe::TaskDone))
CAF_END_TYPE_ID_BLOCK(troupe)
