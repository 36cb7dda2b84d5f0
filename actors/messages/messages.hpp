#pragma once

#include <bit>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "actors/caf.hpp"
#include "actors/transport/admission/message_shapes.hpp"
#include "actors/worker/model_description.hpp"
#include "collectives/plan/plan.hpp"
#include "troupe/error.hpp"
#include "troupe/model.hpp"

// Every message between driver and workers. No floating-point member: CAF 0.17 does not carry NaN, infinities, -0 and
// subnormals between processes, so numbers travel as their bits.
namespace troupe {

inline constexpr std::uint32_t kProtocolVersion = 6;

inline std::uint64_t to_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// An error on its way to the driver; code -1 where all went well.
struct Failure {
  std::int32_t code = -1;
  std::string message;
  std::string phase;
  std::string object;
  std::string node;  ///< who is to blame, where that is not who tells it

  explicit operator bool() const { return code >= 0; }
  static Failure from(const std::exception_ptr& error, ErrorCode otherwise);
  /// The error again, with what the driver knows of its place. Its texts are printable, whoever wrote them.
  Error to_error(Where where) const;
};

/// From a worker process to the driver, once: here I am. The sender is the worker.
struct Join {
  std::uint32_t protocol = kProtocolVersion;
  std::int32_t worker = 0;
  std::int32_t pid = 0;
};

/// The first tensor, in canonical order, of which something is not finite, and what: its weights come first, then the
/// vectors of the optimizer's state.
struct NonFinite {
  static constexpr std::int32_t kWeights = 0;
  static constexpr std::int32_t kStatistics = 1;
  static constexpr std::int32_t kState = 2;  ///< the first vector

  std::int32_t tensor = -1;  ///< its index, or the number of tensors where it is padding; -1: all is finite
  std::int32_t part = kWeights;

  auto operator<=>(const NonFinite&) const = default;
};

/// Make the replicas and say what they are like.
struct Build {
  std::uint64_t round = 0;
  std::int32_t num_workers = 1;
  std::int32_t devices = 1;
  bool use_cpus = true;
  PlanRequest plan;
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
  std::string optimizer;  ///< OptimizerOptions as JSON
};

/// Compute the gradients of weights `buffer`, and begin to send other nodes what they need of them.
struct Compute {
  std::uint64_t round = 0;
  std::int64_t step = 0;  ///< steps committed so far
  std::int32_t buffer = 0;
  std::int64_t timeout_ms = 0;  ///< how long the driver waits for the step
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
  std::int64_t updates = 0;     ///< that made the optimizer's state so far
  std::uint64_t computed = 0;   ///< the round in which the gradients were computed
  std::int64_t timeout_ms = 0;  ///< how long the driver waits
};

struct Applied {
  std::uint64_t round = 0;
  std::int32_t worker = 0;
  Failure failure;
  std::uint64_t reduce_bits = 0;
  std::uint64_t apply_bits = 0;
  std::int64_t bytes_sent = 0;
  bool finite = true;  ///< all that was written
};

enum class TaskKind : std::uint8_t {
  fence,            ///< answer when all that was asked before is done
  find_non_finite,  ///< say what is not finite of what the last `Apply` wrote beside `buffer`
  initialize,       ///< write the first weights into a transfer object
  export_weights,   ///< write weights `buffer` into a transfer object, canonical
  import_weights,   ///< turn canonical weights in one transfer object into flat ones in another
  evaluate,         ///< of the weights in `buffer`
  model_function,   ///< run the function `name` on each replica, and keep what it returns
  worker_function,  ///< run the function `name` on the worker, likewise
  export_texts,     ///< write what functions returned into a transfer object, replica by replica
  stop,             ///< end the replicas
};
static_assert(static_cast<std::uint8_t>(TaskKind::stop) + 1 == kTaskKinds);

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
  std::vector<std::uint64_t> text_bytes;  ///< functions: what each replica keeps
  std::vector<std::int32_t> shards;       ///< evaluate, as the next three
  std::vector<std::uint64_t> loss_bits;
  std::vector<std::int64_t> correct;
  std::vector<std::int64_t> samples;
  NonFinite found = {};  ///< find_non_finite
};

/// From a node to the driver, once: here I am. The sender is the node.
struct NodeJoin {
  std::uint32_t protocol = kProtocolVersion;
  std::string token;  ///< of the hello on the connection that this comes over
  std::int32_t pid = 0;
  std::int32_t cores = 0;
  std::int32_t devices = 0;  ///< accelerators
  std::string host;          ///< where its gate listens
  std::uint16_t port = 0;
};

/// To a node: start a worker, in place of what has this index.
struct StartWorker {
  std::int32_t worker = 0;
};

struct NodePeer {
  std::string name;   ///< of its certificate
  std::string label;  ///< what errors call it
  std::string host;
  std::uint16_t port = 0;
};

/// To all nodes: a new generation. Make the slabs that its workers share, and take connections of the others.
struct BeginGeneration {
  std::uint64_t round = 0;
  std::int32_t member = 0;  ///< by which number the node answers
  std::uint64_t run = 0;
  std::uint64_t generation = 0;
  std::string token;
  std::int32_t self = 0;
  std::vector<NodePeer> peers;  ///< the driver comes last
  std::int32_t streams = 1;
  std::uint64_t size = 0;  ///< floats of the flat vectors
  std::int32_t state_vectors = 0;
  std::int32_t carry = -1;               ///< buffer whose content goes on, in buffer 0; -1: none
  std::uint64_t carried_generation = 0;  ///< which the buffer belongs to: the last that began everywhere
  PlanRequest plan;
};

enum class NodeTaskKind : std::uint8_t {
  connect,          ///< dial the others
  publish,          ///< workers may map the shared slabs
  create_transfer,  ///< make a transfer object for a worker to write
  expect_transfer,  ///< make one that the driver is going to send
  end_transfer,     ///< wait until that has come, and publish it
  send_transfer,    ///< send one to the driver
  drop_transfer,
  expect_placed,  ///< to all but the first node: let it write the weights in `buffer`, once
  place,  ///< to all nodes: the first makes a transfer object its weights in `buffer` and sends them to the rest
};
static_assert(static_cast<std::uint8_t>(NodeTaskKind::place) + 1 == kNodeTaskKinds);

struct NodeTask {
  std::uint64_t round = 0;
  std::int32_t member = 0;
  NodeTaskKind kind = NodeTaskKind::connect;
  std::uint64_t transfer = 0;
  std::uint64_t floats = 0;
  std::int32_t buffer = 0;
  std::uint64_t ticket = 0;  ///< of what is sent; greater than any before
  std::int64_t timeout_ms = 0;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, PlanRequest& x) {
  return f(caf::meta::type_name("plan_request"), x.strategy, x.deterministic, x.parameter_servers,
           x.topology.node_of_lane, x.topology.num_shards);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, NodeJoin& x) {
  return f(caf::meta::type_name("node_join"), x.protocol, x.token, x.pid, x.cores, x.devices, x.host, x.port);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, StartWorker& x) {
  return f(caf::meta::type_name("start_worker"), x.worker);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, NodePeer& x) {
  return f(caf::meta::type_name("node_peer"), x.name, x.label, x.host, x.port);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, BeginGeneration& x) {
  return f(caf::meta::type_name("begin_generation"), x.round, x.member, x.run, x.generation, x.token, x.self, x.peers,
           x.streams, x.size, x.state_vectors, x.carry, x.carried_generation, x.plan);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, NodeTask& x) {
  return f(caf::meta::type_name("node_task"), x.round, x.member, x.kind, x.transfer, x.floats, x.buffer, x.ticket,
           x.timeout_ms);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Failure& x) {
  return f(caf::meta::type_name("failure"), x.code, x.message, x.phase, x.object, x.node);
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
  return f(caf::meta::type_name("build"), x.round, x.num_workers, x.devices, x.use_cpus, x.plan, x.seed, x.model,
           x.precision, x.config);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Built& x) {
  return f(caf::meta::type_name("built"), x.round, x.worker, x.failure, x.replicas, x.num_samples, x.steps_per_epoch,
           x.tensor_names, x.tensor_shapes);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Attach& x) {
  return f(caf::meta::type_name("attach"), x.round, x.run, x.generation, x.share, x.optimizer);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Compute& x) {
  return f(caf::meta::type_name("compute"), x.round, x.step, x.buffer, x.timeout_ms);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Computed& x) {
  return f(caf::meta::type_name("computed"), x.round, x.worker, x.failure, x.shards, x.loss_bits, x.samples,
           x.seconds_bits);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Apply& x) {
  return f(caf::meta::type_name("apply"), x.round, x.step, x.buffer, x.samples, x.updates, x.computed, x.timeout_ms);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Applied& x) {
  return f(caf::meta::type_name("applied"), x.round, x.worker, x.failure, x.reduce_bits, x.apply_bits, x.bytes_sent,
           x.finite);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, Task& x) {
  return f(caf::meta::type_name("task"), x.round, x.kind, x.buffer, x.transfer, x.step, x.first_replica_only, x.name);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, NonFinite& x) {
  return f(caf::meta::type_name("non_finite"), x.tensor, x.part);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, TaskDone& x) {
  return f(caf::meta::type_name("task_done"), x.round, x.worker, x.failure, x.text_bytes, x.shards, x.loss_bits,
           x.correct, x.samples, x.found);
}

}  // namespace troupe

CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(troupe, (troupe::Failure))
CAF_ADD_TYPE_ID(troupe, (troupe::Strategy))
CAF_ADD_TYPE_ID(troupe, (troupe::PlanRequest))
CAF_ADD_TYPE_ID(troupe, (troupe::ReplicaTraits))
CAF_ADD_TYPE_ID(troupe, (troupe::NonFinite))
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
CAF_ADD_TYPE_ID(troupe, (troupe::NodeJoin))
CAF_ADD_TYPE_ID(troupe, (troupe::StartWorker))
CAF_ADD_TYPE_ID(troupe, (troupe::NodePeer))
CAF_ADD_TYPE_ID(troupe, (troupe::BeginGeneration))
CAF_ADD_TYPE_ID(troupe, (troupe::NodeTaskKind))
CAF_ADD_TYPE_ID(troupe, (troupe::NodeTask))
CAF_END_TYPE_ID_BLOCK(troupe)
