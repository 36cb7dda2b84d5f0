#pragma once

// The options of DistributedSGD. All members have defaults, so a program sets only the members it needs:
//
//    troupe::Options options{.num_workers = 4, .optimizer = troupe::Sgd{.learning_rate = 0.1, .momentum = 0.9}};

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

/// How the gradients of all shards are reduced to one gradient.
struct GradientOptions {
  /// The way to reduce gradients. Default: automatic.
  Strategy strategy = Strategy::automatic;
  /// If true (default), gradients are added in a fixed order. All strategies and placements then give bitwise identical
  /// results. If false, nodes may add in ring order, and the result depends on the nodes.
  bool deterministic = true;
  /// Number of nodes that own slices with Strategy::parameter_server. 0 (default): all nodes.
  int slice_owners = 0;
  /// Maximum L2 norm of the mean gradient over all learned parameters. The gradient is scaled by min(1, clip_norm /
  /// (norm + 1e-6)), as in PyTorch. 0 (default): no clipping.
  double clip_norm = 0;
};

/// The devices and the number format of replicas.
struct ComputeOptions {
  /// Replicas of each worker. On CPUs, if a worker has more replicas than cores (usable cores / workers, at least 1),
  /// the additional replicas compute one after the other.
  int devices_per_worker = 1;
  /// The kind of device. Default: cpu.
  Device device = Device::cpu;
  /// With cuda: the device that all replicas of a machine share, numbered from 0 by PCI id. -1 (default): replicas are
  /// distributed over all devices of the machine.
  int device_number = -1;
  /// The number format to request. bf16 is used only if the model and the device support it. DistributedSGD::precision
  /// returns the format in use. Default: f32.
  Precision precision = Precision::f32;
  /// With bf16: if true (default), the layers of the model are measured at the start of the run. The run then computes
  /// in f32 if f32 is clearly faster. If false, the run computes in bf16 without this measurement.
  bool precision_check = true;
  /// If true, f32 matrix products on CUDA devices may round their factors to TensorFloat-32 (10 bits of mantissa),
  /// which is faster. Default: false.
  bool tf32 = false;
};

/// How long calls wait for workers. If a worker does not answer in time, the call throws Error timeout, and the next
/// call replaces the worker. A call that must replace lost workers first may take up to `start` longer. All timeouts
/// must be positive.
struct TimeoutOptions {
  /// For `step` and `warmup`. With L-BFGS, the timeout applies to each round and each evaluation of a step.
  std::chrono::milliseconds step = std::chrono::seconds(60);
  /// For workers to start and to build their models.
  std::chrono::milliseconds start = std::chrono::seconds(60);
  /// For `evaluate`.
  std::chrono::milliseconds evaluate = std::chrono::minutes(10);
  /// For saving, loading and checkpoints. The timeout applies to each vector of the state that is read or written.
  std::chrono::milliseconds save = std::chrono::seconds(60);
  /// For functions on models and workers, including the transfer of arguments and results.
  std::chrono::milliseconds call = std::chrono::minutes(10);
};

/// Which checkpoint is kept in addition to the newest ones, by the metric that was passed to
/// DistributedSGD::checkpoint. Of equal metrics the first is kept.
enum class KeepBest : std::uint8_t { none, highest, lowest };

/// Periodic checkpoints, in the format of DistributedSGD::save_state. Each checkpoint is a subfolder of one folder,
/// such as `step-00001234`. Checkpoints are written in the background. Steps do not wait for the disk. Only one run at
/// a time may write to a folder; a second run gets an Error in_use.
struct CheckpointOptions {
  /// The folder; it is created if necessary. Empty (default): no checkpoints.
  std::string folder = {};
  /// Writes a checkpoint after every `every_steps` steps. 0 (default): not by steps.
  std::int64_t every_steps = 0;
  /// Writes a checkpoint after the first step that ends at least this long after the last one was due. 0 (default): not
  /// by time.
  std::chrono::milliseconds every{0};
  /// Number of newest checkpoints to keep; at least 1.
  int keep = 3;
  /// Which additional checkpoint to keep. Default: none.
  KeepBest keep_best = KeepBest::none;
  /// If true, the run resumes from the newest checkpoint in `folder` that is intact. If the folder has no checkpoint,
  /// the run starts from the beginning. If num_shards is 0, the number of shards of the checkpoint is used. A damaged
  /// checkpoint is logged and renamed; if all are damaged, the constructor throws Error bad_file.
  bool resume = false;
  /// If true, checkpoints of a run with another number of shards are accepted. The number of shards determines the
  /// batches. So the results are then not bitwise identical to those of an uninterrupted run with either number.
  /// Default: false.
  bool reshard = false;
};

/// The options of a DistributedSGD. The constructor throws Error invalid_argument or unsupported for values that are
/// out of range or cannot be combined.
struct Options {
  /// Number of workers, or a range. Default: 1.
  WorkerCount num_workers = 1;
  /// Number of data shards of the run; at least one for each replica. 0 (default): num_workers.max x
  /// devices_per_worker. The result depends on the number of shards, not on the number of workers.
  int num_shards = 0;
  /// The place where workers run. Default: in_process.
  Placement placement = Placement::in_process;
  /// Used by placement `cluster` only.
  ClusterOptions cluster = ClusterOptions();
  /// The update rule. Default: Sgd().
  Optimizer optimizer = Sgd();
  /// Defines the work of a step. Default: Synchronous().
  Algorithm algorithm = Synchronous();
  /// How gradients are reduced.
  GradientOptions gradients = GradientOptions();
  /// Seed of the first weights, the order of the data and all random numbers.
  std::uint64_t seed = 1;
  /// Passed to the creator of the model without changes (ReplicaContext::config). Built-in models expect JSON.
  std::string config = {};
  /// Devices and number format.
  ComputeOptions compute = ComputeOptions();
  /// Memory limits.
  MemoryOptions memory = MemoryOptions();
  /// Timeouts of calls.
  TimeoutOptions timeouts = TimeoutOptions();
  /// The reaction to lost workers.
  FaultToleranceOptions fault_tolerance = FaultToleranceOptions();
  /// Periodic checkpoints.
  CheckpointOptions checkpoint = CheckpointOptions();
  /// Observers of the run. They are called in the thread that calls the DistributedSGD, at the end of that call:
  ///
  /// - on_start: at the end of the constructor.
  /// - on_report: after each step, with the metrics "loss", "learning_rate", "samples", "samples_per_second",
  ///   "step_seconds", "compute_seconds", "reduce_seconds", "apply_seconds" and "data_seconds" (see
  ///   StepReport::seconds). "accuracy", "gradient_norm" and "epoch" (from 1 on) are added if they exist.
  /// - on_report: after each evaluation, as a separate report with the same step. It has "test_loss", "test_accuracy"
  ///   and the other measured values, or the same names with "validation".
  /// - on_epoch: after the step that ends an epoch.
  /// - on_checkpoint: after a checkpoint is on disk.
  /// - on_failure: after a step that failed, and after losses that a step survived.
  /// - on_end: in the destructor, before the workers end.
  ///
  /// If a callback throws, the exception propagates to the caller. The work of the call is complete nevertheless; for
  /// example, a step stays committed. Later callbacks in the list are not called. Callbacks may call this object, for
  /// example `evaluate`.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  /// If true (default), `step()` prints the time of each phase to standard output, and the log has a line if bf16 was
  /// requested but f32 is used.
  bool verbose = true;
};

}  // namespace troupe
