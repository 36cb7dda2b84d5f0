#pragma once

// The algorithm of a run, which defines the work of one `step()`: values for Options::algorithm and
// DistributedSGD::use. docs/algorithms.md describes the algorithms.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace troupe {

/// Synchronous SGD: the gradients of all shards, computed with the same weights, make the next weights (default).
struct Synchronous {};

/// Asynchronous SGD (Downpour SGD, Dean et al. 2012). Each worker fetches weights from parameter servers, computes
/// gradients and pushes them to the servers, at its own speed. The replicas of one worker fetch and push together.
///
/// Let V be the number of shards of the run. `step()` returns once V shard gradients have been applied since its
/// previous return. Workers continue between calls of `step()`. Workers pause during all other calls, such as
/// `evaluate` and `weights`. The result is nondeterministic; see `record` and `replay`.
struct Downpour {
  /// A worker fetches weights after it has computed this many gradients of each of its shards. Between two fetches, the
  /// worker applies its own gradients, and no others, to its copy of the weights. At least 1.
  int fetch_every = 1;
  /// A worker adds up this many gradients of each of its shards before it pushes them. At least 1.
  int push_every = 1;
  /// A push is dropped if more than this many pushes of other workers were applied since the worker fetched its
  /// weights. -1 (default): no limit.
  int max_staleness = -1;
  /// Number of parameter servers. On one machine, servers are actors in the process of the driver; 0 (default) means
  /// one server for each usable core. In a cluster, K servers run on the first K nodes; 0 (default) means one server on
  /// each node.
  int servers = 0;
  /// Number of steps at the start of the run that are synchronous.
  std::int64_t warm_start = 0;
  /// File to write. It records the order in which servers apply pushes and serve weights. Empty (default): no record.
  std::string record = {};
  /// File that `record` has written. Servers repeat the recorded order, so that the result is bitwise identical to the
  /// recorded run. `step()` throws Error bad_file at the end of the record, or if the record belongs to another run.
  /// Empty (default): no replay.
  std::string replay = {};
};

/// Stale synchronous parallel SGD (Ho et al. 2013). Ssp works like Downpour, but no worker may be more than `staleness`
/// steps ahead of the slowest worker. Workers fetch and push in every step.
struct Ssp {
  /// Maximum number of steps that a worker may be ahead of the slowest worker. With 0 the result is bitwise identical
  /// to synchronous SGD.
  int staleness = 8;
  int servers = 0;  ///< as Downpour::servers
  /// Number of steps at the start of the run that are synchronous.
  std::int64_t warm_start = 0;
  /// As Downpour::record; requires a staleness above 0.
  std::string record = {};
  /// As Downpour::replay; requires a staleness above 0.
  std::string replay = {};
};

/// An outer optimizer for local SGD (DiLoCo, Douillard et al. 2023). It treats the difference between the previous
/// weights and the mean of all copies as a gradient. It applies this gradient with Nesterov momentum.
struct OuterNesterov {
  double learning_rate = 0.7;
  double momentum = 0.9;  ///< in [0, 1)
};

/// Local SGD. Each shard takes `steps` steps with Options::optimizer on its own copy of the weights. Then the new
/// weights are computed from the mean of all copies. One call of `step()` makes all these steps.
struct LocalSgd {
  /// Steps of each shard in one call of `step()`, after which the mean is computed; 1 to 10,000.
  int steps = 8;
  /// The outer optimizer. Empty (default): the mean becomes the new weights.
  std::optional<OuterNesterov> outer = {};
  /// Number of steps at the start of the run that are synchronous.
  std::int64_t warm_start = 0;
};

/// Sandblaster L-BFGS (Dean et al. 2012). Each call of `step()` moves the weights once. The direction of the move is
/// computed from the last `history` pairs. A pair is the change of the weights and the change of the gradient in one
/// earlier step. A line search for the strong Wolfe conditions chooses the length of the move (Nocedal and Wright,
/// algorithms 3.5 and 3.6).
///
/// The objective is the mean loss of all samples plus a penalty. The penalty is half the weight decay of the optimizer
/// or parameter group, times the squared weights. Learning rates and momentum have no effect. StepReport::lbfgs reports
/// the progress and the end.
struct Lbfgs {
  /// Number of pairs; 1 to 100. The state needs the memory of 2 x history + 4 flat vectors, including the weights. This
  /// memory is divided among the workers that own slices.
  int history = 10;
  /// The run has converged if no element of the gradient has a larger absolute value.
  double tolerance = 1e-5;
  /// Maximum number of evaluations of the loss and its gradient in one line search.
  int max_evaluations = 25;
  /// If true (default), each evaluation uses all samples. If false, each evaluation uses one batch of each shard, which
  /// is the same for the whole line search.
  bool full_batch = true;
  /// Number of portions into which a full batch is divided; workers take portions as they become free. The number is
  /// rounded up to a multiple of num_shards. Each portion needs the memory of one gradient. 0 (default): 16.
  int portions = 0;
  /// Maximum number of backups at the same time on one machine. When all portions are assigned, a free worker also
  /// computes the oldest unfinished portion of another worker. The result that arrives first is used. Default: 0.
  int backup_portions = 0;
  /// If true, batch-norm and dropout compute as in an evaluation. If false (default), a model with such layers causes
  /// an Error unsupported.
  bool freeze = false;
  /// Number of steps at the start of the run that are synchronous.
  std::int64_t warm_start = 0;
};

/// The algorithm of a run.
using Algorithm = std::variant<Synchronous, Downpour, Ssp, LocalSgd, Lbfgs>;

/// Returns the name in reports, records and commands: "synchronous", "downpour", "ssp", "local" or "lbfgs".
const char* to_string(const Algorithm& algorithm);

}  // namespace troupe
