#pragma once

// The types of algorithm, which define the work of one DistributedSGD::step. They are values for Options::algorithm and
// DistributedSGD::use. docs/algorithms.md describes the algorithms.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace troupe {

/// Synchronous SGD (default). In each step, the gradients of all shards are computed with the same weights, and their
/// mean updates these weights.
struct Synchronous {};

/// Asynchronous SGD (Downpour SGD, Dean et al. 2012). Each worker fetches weights from parameter servers, computes
/// gradients and pushes them to the servers, at its own speed. The replicas of one worker fetch and push together.
///
/// Let V be the number of shards of the run. `step()` returns once V shard gradients have been applied since its
/// previous return. Workers continue between calls of `step()`. Workers pause during all other calls, such as
/// `evaluate` and `weights`. The result is nondeterministic, because it depends on the timing of the workers. With
/// `record` and `replay`, a run can be repeated exactly.
struct Downpour {
  /// Number of gradients that a worker computes for each of its shards between two fetches of the weights. Between two
  /// fetches, the worker updates its copy of the weights by its own gradients only. At least 1.
  int fetch_every = 1;
  /// Number of gradients that a worker computes for each of its shards between two pushes. A push contains the sum of
  /// these gradients. At least 1.
  int push_every = 1;
  /// Maximum staleness of a push. The staleness of a worker's push is the number of pushes of other workers that were
  /// applied since the worker last fetched weights. A push with a higher staleness is dropped. -1 (default): no limit.
  int max_staleness = -1;
  /// Number of parameter servers. On one machine, servers are actors in the process of the driver, and 0 (default)
  /// means one server for each usable core. In a cluster, K servers run on the first K nodes, and 0 (default) means one
  /// server on each node.
  int servers = 0;
  /// Number of steps at the start of the run that use synchronous SGD instead. Default: 0.
  std::int64_t warm_start = 0;
  /// Path of a file to write. The run stores in it the order in which servers apply pushes and serve weights. Empty
  /// (default): no file.
  std::string record = {};
  /// Path of a file that an earlier run has written because of `record`. The servers repeat the order in this file, so
  /// the result is bitwise identical to the result of the earlier run. `step()` throws Error bad_file at the end of the
  /// file, or if the file does not match this run. Empty (default): no replay.
  std::string replay = {};
};

/// Stale synchronous parallel SGD (Ho et al. 2013). Works like Downpour, but no worker may be more than `staleness`
/// steps ahead of the slowest worker. Each worker fetches and pushes in every step.
struct Ssp {
  /// Maximum number of steps that a worker may be ahead of the slowest worker. With 0, the result is bitwise identical
  /// to synchronous SGD.
  int staleness = 8;
  int servers = 0;  ///< number of parameter servers; see Downpour::servers
  /// Number of steps at the start of the run that use synchronous SGD instead. Default: 0.
  std::int64_t warm_start = 0;
  /// Path of a file to write; see Downpour::record. Requires a staleness above 0.
  std::string record = {};
  /// Path of a file to repeat; see Downpour::replay. Requires a staleness above 0.
  std::string replay = {};
};

/// An outer optimizer for local SGD (DiLoCo, Douillard et al. 2023). It uses the difference (previous weights - mean of
/// all copies) as a gradient, and updates the previous weights by this gradient with Nesterov momentum.
struct OuterNesterov {
  double learning_rate = 0.7;
  double momentum = 0.9;  ///< in [0, 1)
};

/// Local SGD. Each shard makes `steps` steps with Options::optimizer on its own copy of the weights. Then the new
/// weights are computed from the mean of all copies. One call of DistributedSGD::step makes all of these steps.
struct LocalSgd {
  /// Number of steps that each shard makes in one call of DistributedSGD::step, before the mean is computed; 1 to
  /// 10,000.
  int steps = 8;
  /// The outer optimizer, which computes the new weights from the mean of the copies. Empty (default): the mean becomes
  /// the new weights.
  std::optional<OuterNesterov> outer = {};
  /// Number of steps at the start of the run that use synchronous SGD instead. Default: 0.
  std::int64_t warm_start = 0;
};

/// Sandblaster L-BFGS (Dean et al. 2012). Each call of `step()` moves the weights once. The direction of the move is
/// computed from the last `history` pairs. A pair consists of the change of the weights and the change of the gradient
/// in one earlier step. A line search for the strong Wolfe conditions chooses the length of the move (Nocedal and
/// Wright, algorithms 3.5 and 3.6).
///
/// The objective to minimize is the mean loss of all samples plus a penalty. The penalty is weight_decay / 2 times the
/// sum of the squared weights. Here weight_decay is the option of the optimizer or, for tensors of a parameter group,
/// the option of the group. Learning rates and momentum have no effect. StepReport::lbfgs reports the progress and the
/// end of the minimization.
struct Lbfgs {
  /// Maximum number of pairs that are stored; 1 to 100. A pair is the change of the weights and of the gradient in one
  /// step. The state needs the memory of 2 x history + 4 flat vectors, including the weights. This memory is divided
  /// among the workers that own slices.
  int history = 10;
  /// L-BFGS has converged once no element of the gradient has an absolute value above `tolerance`.
  double tolerance = 1e-5;
  /// Maximum number of evaluations of the loss and its gradient in one line search.
  int max_evaluations = 25;
  /// If true (default), each evaluation uses all samples. If false, each evaluation uses one batch of each shard, which
  /// is the same for the whole line search.
  bool full_batch = true;
  /// Number of portions into which the samples are divided if `full_batch` is true. Workers take portions as they
  /// become free. The number is rounded up to a multiple of num_shards. Each portion needs memory for one gradient. 0
  /// (default): 16.
  int portions = 0;
  /// Maximum number of portions that two workers of the same machine compute at the same time. If no portion is
  /// unassigned, a free worker also computes the oldest unfinished portion of another worker. The result that arrives
  /// first is used. Default: 0.
  int backup_portions = 0;
  /// If true, batch-norm and dropout layers compute as in an evaluation. If false (default), a model with such layers
  /// causes an Error unsupported.
  bool freeze = false;
  /// Number of steps at the start of the run that use synchronous SGD instead. Default: 0.
  std::int64_t warm_start = 0;
};

/// The algorithm of a run: one of the types above, with its options.
using Algorithm = std::variant<Synchronous, Downpour, Ssp, LocalSgd, Lbfgs>;

/// Returns the name of the algorithm in reports, records and commands: "synchronous", "downpour", "ssp", "local" or
/// "lbfgs".
const char* to_string(const Algorithm& algorithm);

}  // namespace troupe
