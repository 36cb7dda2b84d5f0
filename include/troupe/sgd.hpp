#pragma once

// Distributed data-parallel SGD: one object that trains a model on a group of workers.
//
//    troupe::DistributedSGD sgd{"cnn", {.num_workers = 4, .config = R"({"data": "fashion-mnist"})"}};
//    for (int i = 0; i < 1000; ++i) std::cout << sgd.step().loss << '\n';
//    std::cout << sgd.evaluate().accuracy << '\n';
//    sgd.save("cnn.safetensors");

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/init.hpp"
#include "troupe/json_fwd.hpp"
#include "troupe/options.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// Options of DistributedSGD::load.
struct LoadOptions {
  /// If true, loads weights of a network that was trained on data with other classes. The tensors of the last layer,
  /// and tensors that are missing from the file or have another shape there, keep the values of the run. Tensors that
  /// only the file has are ignored. If false (default), the file must contain exactly the tensors of the model.
  bool new_head = false;
};

/// Returns "f32" or "bf16".
const char* to_string(Precision precision);

class ModelFunction;   // call.hpp
class WorkerFunction;  // call.hpp

/// Returns a JSON null, which means "no arguments" for `call_model`, `foreach_model` and `foreach_worker`.
const Json& no_arguments();

/// Receives the weights in canonical order. The span is valid until the function returns.
using ReadWeights = std::function<void(std::span<const float> canonical)>;

/// Distributed data-parallel SGD: trains one model on a group of workers.
///
/// **Thread safety.** Not thread-safe: only one thread at a time may use an object, but different threads may take
/// turns. A call while another call has not returned throws Error invalid_argument. Different objects are independent.
/// A moved-from object may only be assigned to or destroyed; other calls throw Error invalid_argument. In a child
/// process made by fork every call throws Error unsupported, and the destructor does nothing.
///
/// **User code** (models, creators, functions) runs where the replicas are. With placement `in_process`, user code runs
/// on several threads of this process at the same time. Each replica is created and used by one thread: always the same
/// thread, unless the model is lightweight (ModelInfo::lightweight). Data that replicas share, such as captures of a
/// creator or a function, must be thread-safe. If user code throws an Error, the call throws it with the place added;
/// any other exception becomes an Error model_failed with its text. Exceptions of functions that run in the caller's
/// thread (`read_weights`, callbacks) propagate unchanged. Every other failure is an Error or std::bad_alloc.
///
/// **Transactions.** A step of synchronous SGD commits a new version of the weights, or throws and changes nothing;
/// `step()` may then be called again. For a fixed number of shards, the result is bitwise identical for any number of
/// workers, any placement and any strategy, and if workers die. See docs/algorithms.md for other algorithms. Weights,
/// statistics or optimizer state that are not finite are never committed: the step throws Error non_finite_weights, and
/// Where::object is the first such tensor in canonical order.
///
/// **Lost workers.** Workers that die are replaced, and the step continues (FaultToleranceOptions::max_failures). If a
/// worker throws or does not answer in time, the call throws an error. A run that loses a node resumes from its newest
/// checkpoint in CheckpointOptions::folder, or from its beginning. It continues on the nodes that join within
/// `timeouts.start`, at least ClusterOptions::min_nodes, and repeats the steps since the checkpoint. If there is no
/// checkpoint folder, or weights were set or loaded since the checkpoint, the loss of a node ends the run. The weights
/// can still be read.
class DistributedSGD {
 public:
  /// Starts the workers and builds their replicas. With CheckpointOptions::resume it also loads the newest checkpoint.
  /// @throws Error invalid_argument or unsupported if options are invalid or cannot be combined.
  /// @throws Error timeout if a worker or its model does not start within `timeouts.start`.
  /// @throws Error model_failed, model_mismatch or another error of the creator if replicas cannot be built.
  /// @throws Error bad_file or model_mismatch if there are checkpoints but none can be loaded.
  /// @throws Error in_use if another run writes to the checkpoint folder.
  DistributedSGD(ModelCreator creator, Options options);
  /// Finishes a checkpoint that is being written, then ends the workers. Waits at most `timeouts.step` for workers of
  /// this process that are still busy. A worker that hangs longer is abandoned: its thread continues to run and to use
  /// the data that its model refers to.
  ~DistributedSGD();
  DistributedSGD(DistributedSGD&&) noexcept;
  DistributedSGD& operator=(DistributedSGD&&) noexcept;

  /// Performs one step over all shards and returns its report. If it throws, nothing was committed (with synchronous,
  /// local and L-BFGS steps).
  /// @throws Error timeout if workers do not answer within TimeoutOptions::step. If workers must be replaced first,
  /// TimeoutOptions::start is added. Each of the at most max_failures + 1 attempts has this time.
  /// @throws Error worker_lost if more workers were lost than FaultToleranceOptions::max_failures allows.
  /// @throws Error non_finite_loss or non_finite_weights if the loss or the new state is NaN or infinite.
  /// @throws Error bad_data if no shard has a sample in this step.
  /// @throws Error model_failed, or the Error that a model threw. All errors name worker, node and phase if they are
  /// known.
  StepReport step();

  /// Computes a step and discards its gradients, so that the first step is as fast as later steps.
  /// @throws Error as `step`.
  void warmup();

  /// Returns the report of the last committed step.
  const StepReport& report() const;
  /// Returns true if a callback of Options::callbacks wants to stop the run. Further steps are possible nevertheless.
  bool should_stop() const;

  /// Sets the learning rate from the next step on. The new rate replaces the optimizer's LearningRate; parameter groups
  /// still multiply the rate by their factors. Steps that are repeated after the loss of a node use the same rates as
  /// before. Checkpoints contain a rate that was set by this function; `load_state` and CheckpointOptions::resume
  /// restore this rate. If a checkpoint contains no such rate, the optimizer's LearningRate applies. `set_weights` and
  /// `load` do not change the rate.
  /// @throws Error invalid_argument if `rate` is not a finite float of at least 0.
  void set_learning_rate(double rate);
  /// Changes the algorithm from the next step on. Results that asynchronous workers have computed so far are applied
  /// first. Weights and optimizer state are kept, with two exceptions. The optimizer state restarts with zeros on a
  /// change to or from LocalSgd, where each shard has its own state. L-BFGS starts with an empty history.
  /// `algorithm.warm_start` must be 0, because the steps before the change serve as the warm start.
  /// @throws Error invalid_argument or unsupported if the algorithm cannot be used with the options or the model.
  /// @throws Error as `step`. After an error the previous algorithm continues and nothing has changed, with one
  /// exception. If the memory of the optimizer state was already used for the new algorithm, the optimizer state
  /// restarts with zeros.
  void use(const Algorithm& algorithm);

  /// Returns a copy of the current weights in canonical order (see ModelInfo::tensors), including statistics.
  /// @throws Error timeout after TimeoutOptions::save.
  std::vector<float> weights();
  /// Calls `use` with the current weights in canonical order, without the copy that `weights` makes. `use` must not
  /// call this object.
  /// @throws Error timeout after TimeoutOptions::save.
  void read_weights(const ReadWeights& use);
  /// Replaces the weights, including statistics. The values are not checked and may be NaN. The optimizer state
  /// restarts with zeros.
  /// @param canonical all weights in canonical order.
  /// @throws Error model_mismatch if the length is wrong.
  void set_weights(std::span<const float> canonical);
  /// Returns names and shapes of the weights, in canonical order.
  const std::vector<TensorInfo>& tensors() const;

  /// Changes the number of workers. The shards are distributed again among all workers, and replicas are built again;
  /// results stay bitwise identical. Returns when new workers have started. After an error the previous workers remain.
  /// @throws Error invalid_argument if `num_workers` is below 1 or there are not enough shards.
  /// @throws Error unsupported with placement `cluster`.
  void resize(int num_workers);
  /// Returns the current number of workers.
  int num_workers() const;

  /// Writes the weights, including statistics, to a safetensors file. The file also describes the network, but contains
  /// neither optimizer state nor step.
  /// @throws Error bad_file if the file cannot be written.
  void save(const std::string& path);
  /// Loads weights. `path` names a safetensors file, a checkpoint, or a folder of checkpoints, of which the newest is
  /// loaded. Neither the optimizer state nor the step is loaded; the optimizer state restarts with zeros.
  /// @returns the names of the tensors that were not loaded, with LoadOptions::new_head; otherwise an empty list.
  /// @throws Error bad_file if the file is missing or damaged.
  /// @throws Error model_mismatch if a tensor is missing, unexpected or has another shape; the error names the tensor.
  /// @throws Error non_finite_weights if a tensor contains NaN or infinity; the error names the first one.
  std::vector<std::string> load(const std::string& path, const LoadOptions& options = {});

  /// Writes a checkpoint: everything that later steps depend on. A checkpoint contains weights, statistics, optimizer
  /// state, the number of the step, and a learning rate that was set by hand. The number of the step defines the
  /// schedule and the order of the data. `path` becomes a folder with weights.safetensors, state.safetensors and
  /// manifest.json. The folder appears atomically, even if it replaces another checkpoint. It is on disk when this call
  /// returns.
  /// @throws Error bad_file if it cannot be written.
  void save_state(const std::string& path);
  /// Loads a checkpoint of `save_state` or of CheckpointOptions. The results of the run are then bitwise identical to
  /// those of an uninterrupted run, with any placement and any number of workers and nodes. This requires the same
  /// number of shards, seed, model, data, loss and optimizer options, and GradientOptions::deterministic. The kind of
  /// the optimizer must match. Rates, weight decays, groups and clipping may differ on purpose.
  ///
  /// After an error nothing has changed, with two exceptions. The history of L-BFGS is empty. An optimizer state that
  /// does not fit the algorithm of the checkpoint restarts with zeros.
  /// @throws Error bad_file if the checkpoint is missing or damaged.
  /// @throws Error model_mismatch if the checkpoint belongs to a run with another value of a required option.
  void load_state(const std::string& path);

  /// Writes a checkpoint of the current state into CheckpointOptions::folder and returns the path of the checkpoint,
  /// which is on disk when this call returns. If a periodic checkpoint is being written, this call finishes it first.
  /// After an error the run may continue.
  /// @param metric the quality of the current weights, such as the accuracy of an evaluation, for
  /// CheckpointOptions::keep_best.
  /// @throws Error invalid_argument if there is no folder, if `metric` is not finite, or if `metric` is given but
  /// keep_best is `none`.
  /// @throws Error bad_file if it cannot be written.
  std::string checkpoint(std::optional<double> metric = {});
  /// Returns the number of committed steps, including the steps before a loaded checkpoint.
  std::int64_t steps_done() const;

  /// Evaluates the model's test or validation set on all replicas and returns loss, accuracy and the requested values:
  /// `evaluate(EvaluationSet::test, {.confusion = true, .top_k = 5})`. For a fixed number of shards the result is
  /// bitwise identical for any number of workers and any placement. The loss may be NaN.
  /// @throws Error bad_data if the model has no such set, or none of its samples can be read.
  /// @throws Error unsupported for a confusion matrix of more than kMostConfusionClasses classes, or errors of more
  /// than kMostErrorTargets targets.
  /// @throws Error timeout after TimeoutOptions::evaluate.
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});

  /// Calls a function on the first replica and returns its result. Arguments and results are JSON; the JSON of one
  /// worker may have at most 64 MiB.
  /// @param function a function by value; requires placement in_process.
  /// @param arguments passed to the function. Default: none.
  /// @throws Error invalid_argument if the function takes no arguments but `arguments` is not null.
  /// @throws Error unsupported if the placement does not allow functions by value.
  /// @throws Error timeout after TimeoutOptions::call.
  Json call_model(const ModelFunction& function, const Json& arguments = no_arguments());
  /// Does the same with a function that `register_model_function` registered; works with all placements.
  /// @throws Error invalid_argument if the name is not registered.
  Json call_model(const std::string& name, const Json& arguments = no_arguments());
  /// Calls a function on every replica and returns the results in order of worker and device. See `call_model` for
  /// errors.
  std::vector<Json> foreach_model(const ModelFunction& function, const Json& arguments = no_arguments());
  /// Does the same with a registered function.
  std::vector<Json> foreach_model(const std::string& name, const Json& arguments = no_arguments());
  /// Calls a function on every worker and returns the results in order of workers. See `call_model` for errors.
  std::vector<Json> foreach_worker(const WorkerFunction& function, const Json& arguments = no_arguments());
  /// Does the same with a function that `register_worker_function` registered.
  std::vector<Json> foreach_worker(const std::string& name, const Json& arguments = no_arguments());

  /// Returns the number of steps until every shard has used each of its samples once. 0 if the model does not define
  /// it.
  std::int64_t steps_per_epoch() const;
  /// Returns the number format that the replicas use.
  Precision precision() const;
  /// Returns the number format that the replicas use, and the measurements that led to it.
  PrecisionChoice precision_choice() const;
  /// Returns the bytes that weights and optimizer state need in one object store, or in the largest one. After a step
  /// this is StepReport::state_bytes.
  std::int64_t state_bytes() const;
  /// Returns the process id of each worker. With placement in_process, this is the id of this process for each worker.
  std::vector<int> worker_pids() const;

 private:
  class Impl;
  /// Contains the implementation. `operator->` throws Error invalid_argument if the object was moved from.
  struct Held {
    std::unique_ptr<Impl> impl;
    Impl* operator->() const;
  };
  Held impl_;
};

}  // namespace troupe
