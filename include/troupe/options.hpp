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

/// How the gradients of all shards are combined into one gradient.
struct GradientOptions {
  /// How gradients are added and sent. Default: automatic.
  Strategy strategy = Strategy::automatic;
  /// If true (default), gradients are added in a fixed order. All strategies and placements then give bitwise identical
  /// results. If false, nodes may add gradients in the order in which they pass them around a ring, and the result
  /// depends on the nodes.
  bool deterministic = true;
  /// Number of nodes that own slices with Strategy::parameter_server. 0 (default): all nodes.
  int slice_owners = 0;
  /// Maximum L2 norm of the mean gradient over all learned parameters. The gradient is scaled by min(1, clip_norm /
  /// (norm + 1e-6)), as in PyTorch. 0 (default): no clipping.
  double clip_norm = 0;
};

/// The devices and the number format of replicas.
struct ComputeOptions {
  /// Number of replicas of each worker. On CPUs, a worker has C cores: usable cores / workers, but at least 1. If a
  /// worker has more than C replicas, at most C of them compute at the same time.
  int devices_per_worker = 1;
  /// The kind of device. Default: cpu.
  Device device = Device::cpu;
  /// For device cuda: number of the device that all replicas of a machine share. Devices are numbered from 0 in the
  /// order of their PCI ids. -1 (default): replicas are distributed over all devices of the machine.
  int device_number = -1;
  /// The number format to request. With bf16, replicas compute in bf16 only if the model and the device support it.
  /// DistributedSGD::precision returns the format that replicas use. Default: f32.
  Precision precision = Precision::f32;
  /// If true (default), and `precision` is bf16, the layers of the model are measured in both formats at the start of
  /// the run. If f32 is clearly faster, the run computes in f32. If false, the run computes in bf16 without this
  /// measurement.
  bool precision_check = true;
  /// If true, f32 matrix products on CUDA devices may round their factors to TensorFloat-32 (10 bits of mantissa),
  /// which is faster. Default: false.
  bool tf32 = false;
};

/// How long calls wait for workers. If a worker does not answer in time, the call throws Error timeout, and the next
/// call replaces the worker. If a call must first replace lost workers, it may take up to `start` longer. All timeouts
/// must be positive.
struct TimeoutOptions {
  /// Timeout of `step` and `warmup`. With L-BFGS, this timeout applies to each round and each evaluation of a step, not
  /// to the whole step.
  std::chrono::milliseconds step = std::chrono::seconds(60);
  /// Timeout for workers to start and to build their models.
  std::chrono::milliseconds start = std::chrono::seconds(60);
  /// Timeout of `evaluate`.
  std::chrono::milliseconds evaluate = std::chrono::minutes(10);
  /// Timeout for saving, loading and checkpoints. It applies separately to each vector of the state that is read or
  /// written.
  std::chrono::milliseconds save = std::chrono::seconds(60);
  /// Timeout of `call_model`, `foreach_model` and `foreach_worker`, including the transfer of arguments and results.
  std::chrono::milliseconds call = std::chrono::minutes(10);
};

/// Which checkpoint is kept in addition to the newest ones: none, or the one with the highest or lowest metric. The
/// metric of a checkpoint is the argument of DistributedSGD::checkpoint. If several metrics are equal, the first of
/// these checkpoints is kept.
enum class KeepBest : std::uint8_t { none, highest, lowest };

/// Options of periodic checkpoints, in the format of DistributedSGD::save_state. Each checkpoint is a subfolder of
/// `folder`, such as `step-00001234`. Checkpoints are written in the background, so steps do not wait for the disk.
/// Only one run at a time may write to a folder; a second run gets an Error in_use.
struct CheckpointOptions {
  /// The folder of the checkpoints, which is created if necessary. Empty (default): no checkpoints.
  std::string folder = {};
  /// Writes a checkpoint after every `every_steps` steps. 0 (default): not by steps.
  std::int64_t every_steps = 0;
  /// Writes a checkpoint after the first step that ends at least this long after the previous checkpoint was due. 0
  /// (default): not by time.
  std::chrono::milliseconds every{0};
  /// Number of checkpoints to keep: the newest ones. At least 1.
  int keep = 3;
  /// Which checkpoint to keep in addition to the newest ones. Default: none.
  KeepBest keep_best = KeepBest::none;
  /// If true, the run resumes from the newest intact checkpoint in `folder`. If `folder` has no checkpoint, the run
  /// starts from the beginning. If num_shards is 0, the run uses the number of shards of the checkpoint. A damaged
  /// checkpoint is reported in the log and renamed. If all checkpoints are damaged, the constructor of DistributedSGD
  /// throws Error bad_file.
  bool resume = false;
  /// If true, the run may resume from a checkpoint of a run with another number of shards. The number of shards
  /// determines the batches. Therefore the results are not bitwise identical to those of an uninterrupted run, neither
  /// with the old number of shards nor with the new one. Default: false.
  bool reshard = false;
};

/// The options of a DistributedSGD. Its constructor throws Error invalid_argument or unsupported if values are out of
/// range or cannot be combined.
struct Options {
  /// Number of workers, or a range. Default: 1.
  WorkerCount num_workers = 1;
  /// Number of shards into which the data is divided; at least one for each replica. 0 (default): num_workers.max x
  /// devices_per_worker. The results depend on the number of shards, but not on the number of workers.
  int num_shards = 0;
  /// The place where workers run. Default: in_process.
  Placement placement = Placement::in_process;
  /// Address and certificates of a cluster; used by placement `cluster` only.
  ClusterOptions cluster = ClusterOptions();
  /// The update rule. Default: Sgd().
  Optimizer optimizer = Sgd();
  /// The algorithm, which defines the work of a step. Default: Synchronous().
  Algorithm algorithm = Synchronous();
  /// How gradients are combined and clipped.
  GradientOptions gradients = GradientOptions();
  /// Seed of the first weights, of the order of the data and of all random numbers.
  std::uint64_t seed = 1;
  /// A text that is passed unchanged to the creator of the model (ReplicaContext::config). Built-in models expect JSON.
  std::string config = {};
  /// Devices and number format.
  ComputeOptions compute = ComputeOptions();
  /// Memory limits.
  MemoryOptions memory = MemoryOptions();
  /// Timeouts of calls.
  TimeoutOptions timeouts = TimeoutOptions();
  /// When a worker or node counts as lost, and the reaction to the loss.
  FaultToleranceOptions fault_tolerance = FaultToleranceOptions();
  /// Periodic checkpoints.
  CheckpointOptions checkpoint = CheckpointOptions();
  /// Callbacks, which observe the run. They are called in the thread that uses the DistributedSGD, at the end of the
  /// call that causes them:
  ///
  /// - on_start: at the end of the constructor of DistributedSGD.
  /// - on_report: after each step, with the metrics "loss", "learning_rate", "samples", "samples_per_second"
  ///   ("tokens_per_second" if StepReport::unit is "tokens"), "step_seconds", "compute_seconds", "reduce_seconds",
  ///   "apply_seconds" and "data_seconds" (see StepReport::seconds). "accuracy", "gradient_norm" and "epoch" (from 1
  ///   on) are added if they exist.
  /// - on_report: after each evaluation, as a separate report with the same step. It has "test_loss", "test_accuracy"
  ///   and the other measured values, or the same names with "validation".
  /// - on_epoch: after the step that ends an epoch.
  /// - on_checkpoint: after a checkpoint is on disk.
  /// - on_failure: after a step that failed, and after losses that a step survived.
  /// - on_end: in the destructor, before the workers end.
  ///
  /// If a callback throws, the exception propagates to the caller of the DistributedSGD. The work of the call is
  /// complete nevertheless; for example, a step stays committed. Later callbacks in the list are not called. Callbacks
  /// may call functions of the DistributedSGD, for example `evaluate`.
  std::vector<std::shared_ptr<Callback>> callbacks = {};
  /// If true (default), `step()` prints the time of each phase to standard output. The log also has messages about the
  /// setup, for example if bf16 was requested but f32 is used.
  bool verbose = true;
};

}  // namespace troupe
