#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

// What a step of a run is: values for `Options::algorithm` and `DistributedSGD::use`. docs/algorithms.md describes
// them.
namespace troupe {

/// The gradients of all shards, on the same weights, make the next weights.
struct Synchronous {};

/// Asynchronous SGD (Dean et al. 2012): each worker has its own clock. It fetches weights from parameter servers,
/// computes, and pushes its gradients to them. The replicas of one worker have one clock. `step()` returns when as many
/// gradients have been applied since it last returned as there are shards; workers go on in between, and come to rest
/// for all other calls, such as `evaluate` and `weights`.
struct Downpour {
  int fetch_every = 1;          ///< gradients of each of its shards that a worker computes on weights that it has
                                ///< fetched; from the second on, on weights that its own gradients have moved
  int push_every = 1;           ///< gradients of each of its shards that a worker adds up before it pushes them
  int max_staleness = -1;       ///< what a worker has computed is dropped where others have pushed more often than
                                ///< that since it fetched; -1: never
  int servers = 0;              ///< parameter servers: on one machine actors beside its object store, 0: as many as
                                ///< usable cores; of a cluster nodes, 0: all
  std::int64_t warm_start = 0;  ///< the first so many steps of the run are synchronous
  std::string record = {};      ///< file to which is written in which order servers apply pushes and serve weights
  std::string replay = {};      ///< such a file: they do so again, in its order, so that the same run has the same
                                ///< bits. Where it ends, the step is an Error bad_file
};

/// Stale synchronous parallel (Ho et al. 2013): as Downpour, but no worker is more than so many steps ahead of the
/// slowest. Workers fetch and push at each step.
struct Ssp {
  int staleness = 8;            ///< steps that a worker may be ahead of the slowest; 0 is synchronous, to the bit
  int servers = 0;              ///< as Downpour::servers
  std::int64_t warm_start = 0;  ///< the first so many steps of the run are synchronous
  std::string record = {};      ///< as Downpour::record, with a staleness above 0
  std::string replay = {};      ///< as Downpour::replay, with a staleness above 0
};

/// How far the mean of the copies has moved is taken for a gradient, with Nesterov's momentum (Douillard et al. 2023,
/// DiLoCo).
struct OuterNesterov {
  double learning_rate = 0.7;
  double momentum = 0.9;  ///< below 1
};

/// Local SGD: each shard takes steps on a copy of the weights of its own, by `Options::optimizer`, and then the mean of
/// all copies makes the new weights. Such a call of `step()` makes `steps` steps.
struct LocalSgd {
  int steps = 8;                            ///< from one mean to the next; 1 to 10,000
  std::optional<OuterNesterov> outer = {};  ///< without it the mean is the new weights
  std::int64_t warm_start = 0;              ///< the first so many steps of the run are synchronous
};

/// Sandblaster L-BFGS (Dean et al. 2012). Each call of `step()` moves the weights once, along a direction by the last
/// pairs, as far as a line search for the strong Wolfe conditions says (Nocedal and Wright, algorithms 3.5 and 3.6).
/// What is made small is the mean loss of all samples, and the penalty that the optimizer's weight decay and
/// groups' decays say: half of it times the squared weights. Rates, momentum and the like do not count.
struct Lbfgs {
  int history = 10;          ///< pairs; 1 to 100. All owners together keep 2 x history + 4 vectors, weights included
  double tolerance = 1e-5;   ///< converged where no float of the gradient is larger
  int max_evaluations = 25;  ///< of the loss and its gradient, in one line search
  bool full_batch = true;    ///< whether each evaluation is of all samples. Else of one batch of each shard, the same
                             ///< for a whole line search
  int portions = 0;          ///< of full batches, that workers take as they become free; a multiple of num_shards is
                             ///< made of it. Each needs a gradient's memory. 0: 16
  int backup_portions = 0;   ///< so many of the last ones are given to a second worker that is free; the first counts
  bool freeze = false;       ///< batch-norm and dropout compute as in evaluations; else a model with such is refused
  std::int64_t warm_start = 0;  ///< the first so many steps of the run are synchronous
};

using Algorithm = std::variant<Synchronous, Downpour, Ssp, LocalSgd, Lbfgs>;

/// The name in reports, records and commands: "synchronous", "downpour", "ssp", "local" or "lbfgs".
const char* to_string(const Algorithm& algorithm);

}  // namespace troupe
