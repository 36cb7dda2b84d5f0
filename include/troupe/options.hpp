#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "troupe/algorithms.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"
#include "troupe/strategy.hpp"
#include "troupe/workers.hpp"

namespace troupe {

class Callback;  // callback.hpp

/// How the gradients of all shards become one.
struct GradientOptions {
  Strategy strategy = Strategy::automatic;
  bool deterministic = true;  ///< keep the order of additions that makes all strategies and placements give the
                              ///< same bits; false lets nodes add in the order of the ring
  int slice_owners = 0;       ///< nodes that own slices under Strategy::parameter_server; 0: all
  double clip_norm = 0;  ///< the mean gradient of all that is learned is scaled by min(1, clip_norm / (its length +
                         ///< 1e-6)), as PyTorch does; 0: never
};

/// What replicas compute on, and in.
struct ComputeOptions {
  int devices_per_worker = 1;  ///< replicas. On CPUs, those beyond the cores that a worker can count on (usable cores
                               ///< / workers, at least 1) compute one after the other
  Device device = Device::cpu;
  int device_number = -1;  ///< with cuda: the one of a machine's that all its replicas share, from 0 on by PCI id; -1:
                           ///< they are dealt to all of them in turn
  Precision precision = Precision::f32;  ///< bf16: where model and device have it; see DistributedSGD::precision
  bool precision_check = true;           ///< with bf16: layers of the model are measured at the start, and the run
                                         ///< computes in f32 where that is clearly faster. false: in bf16 all the same
  bool tf32 = false;  ///< on CUDA devices, in f32: products may round their factors to TensorFloat-32,
                      ///< whose mantissa has 10 bits, and so be faster
};

/// How long calls wait for workers; late ones are then replaced. A call that finds workers lost first replaces them,
/// within `start`.
struct TimeoutOptions {
  std::chrono::milliseconds step = std::chrono::seconds(60);   ///< of `step` and `warmup`; of L-BFGS of each round and
                                                               ///< evaluation in them
  std::chrono::milliseconds start = std::chrono::seconds(60);  ///< for workers to start and build models
  std::chrono::milliseconds evaluate = std::chrono::minutes(10);  ///< of `evaluate`
  std::chrono::milliseconds save = std::chrono::seconds(60);      ///< for each vector of the state that is fetched or
                                                                  ///< placed, as by save, load and checkpoints
  std::chrono::milliseconds call = std::chrono::minutes(10);  ///< of functions beside replicas and workers, with what
                                                              ///< they take and return
};

/// Which checkpoint stays beside the last ones, by the metric that DistributedSGD::checkpoint was told; of equals the
/// first.
enum class KeepBest : std::uint8_t { none, highest, lowest };

/// Checkpoints of a run while it goes on: `step-00001234` and so on in one folder, as DistributedSGD::save_state writes
/// them, but in the background. Steps do not wait for the disk. One run at a time writes to a folder.
struct CheckpointOptions {
  std::string folder = {};             ///< made where there is none; empty: no checkpoints
  std::int64_t every_steps = 0;        ///< after each so many steps; 0: not by steps
  std::chrono::milliseconds every{0};  ///< after the step that ends so long after the last was due; 0: not by time
  int keep = 3;                        ///< the last so many stay
  KeepBest keep_best = KeepBest::none;
  bool resume = false;   ///< the run begins with the newest in `folder` that verifies, or from the beginning where
                         ///< there is none. num_shards 0 is then the checkpoint's. What does not verify is told in
                         ///< the log and renamed
  bool reshard = false;  ///< checkpoints of another number of shards are taken, too. They go on with batches, and so
                         ///< with bits, that neither number alone would have given
};

/// What a run of DistributedSGD is to be. A member whose values are few is an enum; what users can add to, by
/// registering it, goes by its name.
struct Options {
  WorkerCount num_workers = 1;
  int num_shards = 0;  ///< data shards of the run; 0: num_workers.max x devices_per_worker
  Placement placement = Placement::in_process;
  ClusterOptions cluster = ClusterOptions();  ///< for placement `cluster`
  Optimizer optimizer = Sgd();
  Algorithm algorithm = Synchronous();  ///< what a step is
  GradientOptions gradients = GradientOptions();
  std::uint64_t seed = 1;
  std::string config = {};  ///< handed to the creator as it is
  ComputeOptions compute = ComputeOptions();
  MemoryOptions memory = MemoryOptions();
  TimeoutOptions timeouts = TimeoutOptions();
  FaultToleranceOptions fault_tolerance = FaultToleranceOptions();
  CheckpointOptions checkpoint = CheckpointOptions();
  /// Are told of the run in the thread that calls it, when what it has called is done: of the start at its end; of each
  /// step ("loss", "learning_rate", "samples", "samples_per_second"; "step_seconds", "compute_seconds",
  /// "reduce_seconds", "apply_seconds" and "data_seconds", as StepReport::seconds; "accuracy" and "gradient_norm" where
  /// there are such, and "epoch", from 1, where the model has such) and of the epoch that it ends; of each evaluation,
  /// as a report of its own after the same step, of "test_loss", "test_accuracy" and what else was measured, or the
  /// same of "validation", alone; of checkpoints that are on disk; of losses that a step went on after, and of steps
  /// that failed; and, before the workers end, of the end. What one throws comes out of the call, which has done its
  /// work all the same: a step is made, and stays; the callbacks behind it have not heard of it. They may call this
  /// object, to evaluate for instance.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  bool verbose = true;  ///< `step()` prints the time of each phase to standard output, and a line in the log (log.hpp)
                        ///< says where bf16 is asked for and f32 computed
};

}  // namespace troupe
