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
  /// If true, loads weights of a network that was trained on data with other classes. The file's tensors of the last
  /// layer are not loaded. A tensor of the model that is missing from the file, or has another shape there, keeps its
  /// value. Tensors that only the file has are ignored. If false (default), the file must contain exactly the tensors
  /// of the model.
  bool new_head = false;
};

/// Returns the name of the number format: "f32" or "bf16".
const char* to_string(Precision precision);

class ModelFunction;   // call.hpp
class WorkerFunction;  // call.hpp

/// Returns a JSON null, which means "no arguments" for `call_model`, `foreach_model` and `foreach_worker`.
const Json& no_arguments();

/// A function that receives the weights in canonical order. The span is valid until the function returns.
using ReadWeights = std::function<void(std::span<const float> canonical)>;

/// Distributed data-parallel SGD: an object of this class trains one model on a group of workers.
///
/// **Thread safety.** A DistributedSGD is not thread-safe: only one thread at a time may use it, but different threads
/// may take turns. A call while another call has not returned throws Error invalid_argument. Different objects are
/// independent. A moved-from object may only be assigned to or destroyed; other calls throw Error invalid_argument. In
/// a child process made by fork, every call throws Error unsupported, and the destructor does nothing.
///
/// **User code** (models, creators, functions) runs in the processes of the replicas. With placement `in_process`, user
/// code runs on several threads of this process at the same time. One thread creates and uses a replica: always the
/// same thread, unless the model is lightweight (ModelInfo::lightweight). Data that replicas share, such as captures of
/// a creator or a function, must be thread-safe. If user code throws an Error, the call throws this Error with the
/// place added. Any other exception becomes an Error model_failed with the text of the exception. But exceptions of
/// functions that run in the caller's thread (`read_weights`, callbacks) propagate unchanged. Every other failure of a
/// call is an Error or std::bad_alloc.
///
/// **Transactions.** A step of synchronous SGD commits a new version of the weights, or throws and changes nothing.
/// After an error, `step()` may be called again. For a fixed number of shards, the result is bitwise identical for any
/// number of workers, any placement and any strategy, and also if workers die. See docs/algorithms.md for other
/// algorithms. Weights, statistics or optimizer state that are not finite are never committed. In this case the step
/// throws Error non_finite_weights, and Where::object is the first tensor in canonical order that is not finite.
///
/// **Lost workers.** Workers that die are replaced, and the step continues (FaultToleranceOptions::max_failures). If a
/// worker throws or does not answer in time, the call throws an error. A run that loses a node resumes from the newest
/// copy of its state in the memory of nodes (FaultToleranceOptions::copy_every) or from its newest checkpoint. It
/// continues on the nodes that join within `timeouts.start`, at least ClusterOptions::min_nodes, and repeats the steps
/// since then. If there is neither, or weights were set or loaded since then, the loss of a node ends the run. The
/// weights can still be read.
class DistributedSGD {
 public:
  /// Starts the workers and builds their replicas. With CheckpointOptions::resume, also loads the newest checkpoint.
  /// @throws Error invalid_argument or unsupported if options are invalid or cannot be combined.
  /// @throws Error timeout if a worker or its model does not start within `timeouts.start`.
  /// @throws Error model_failed, model_mismatch or another error of the creator if replicas cannot be built.
  /// @throws Error bad_file or model_mismatch if there are checkpoints but none can be loaded.
  /// @throws Error in_use if another run writes to the checkpoint folder.
  DistributedSGD(ModelCreator creator, Options options);
  /// Finishes a checkpoint that is being written, and then ends the workers. With placement `in_process`, waits at most
  /// `timeouts.step` for busy workers. A worker that hangs longer is abandoned: its thread continues to run, and to use
  /// the data that its model refers to.
  ~DistributedSGD();
  DistributedSGD(DistributedSGD&&) noexcept;
  DistributedSGD& operator=(DistributedSGD&&) noexcept;

  /// Performs one step over all shards and returns its report. If a step of synchronous SGD, local SGD or L-BFGS
  /// throws, it has changed nothing.
  /// @throws Error timeout if workers do not answer within TimeoutOptions::step. If workers must be replaced first, the
  /// limit is TimeoutOptions::start longer. A step makes at most max_failures + 1 attempts, each with its own limit.
  /// @throws Error worker_lost if more workers were lost than FaultToleranceOptions::max_failures allows.
  /// @throws Error non_finite_loss or non_finite_weights if the loss or the new state is NaN or infinite.
  /// @throws Error bad_data if no shard has a sample in this step.
  /// @throws Error model_failed, or the Error that a model threw. All errors name worker, node and phase if they are
  /// known.
  StepReport step();

  /// Computes the gradients of one step and discards them. Afterwards the first step is as fast as later steps.
  /// @throws Error as `step`.
  void warmup();

  /// Returns the report of the last committed step.
  const StepReport& report() const;
  /// Returns true if a callback of Options::callbacks wants to stop the run. The caller may make further steps
  /// nevertheless.
  bool should_stop() const;

  /// Sets the learning rate of all later steps. The new rate replaces the optimizer's LearningRate; parameter groups
  /// still multiply the rate by their factors. If steps are repeated after the loss of a node, they use the same rates
  /// as before. Checkpoints contain a rate that was set by this function, and `load_state` and
  /// CheckpointOptions::resume restore this rate. If a checkpoint contains no such rate, the optimizer's LearningRate
  /// applies. `set_weights` and `load` do not change the rate.
  /// @throws Error invalid_argument if `rate` is not a finite float of at least 0.
  void set_learning_rate(double rate);
  /// Changes the algorithm of all later steps. First, gradients that asynchronous workers have computed so far are
  /// applied. Weights and optimizer state are kept, with two exceptions. The optimizer state restarts with zeros on a
  /// change to or from LocalSgd, because with LocalSgd each shard has its own state. L-BFGS starts with an empty
  /// history. `algorithm.warm_start` must be 0, because the steps before the change serve as the warm start.
  /// @throws Error invalid_argument or unsupported if the algorithm cannot be used with the options or the model.
  /// @throws Error as `step`. After an error the previous algorithm continues and nothing has changed, with one
  /// exception. If the memory of the optimizer state was already used for the new algorithm, the optimizer state
  /// restarts with zeros.
  void use(const Algorithm& algorithm);

  /// Returns a copy of the current weights in canonical order (see ModelInfo::tensors), including statistics.
  /// @throws Error timeout after TimeoutOptions::save.
  std::vector<float> weights();
  /// Calls `use` with the current weights in canonical order, without the copy that `weights` makes. `use` must not
  /// call functions of this DistributedSGD.
  /// @throws Error timeout after TimeoutOptions::save.
  void read_weights(const ReadWeights& use);
  /// Replaces the weights, including statistics. The values are not checked and may be NaN. The optimizer state
  /// restarts with zeros.
  /// @param canonical all weights in canonical order.
  /// @throws Error model_mismatch if the length is wrong.
  void set_weights(std::span<const float> canonical);
  /// Returns names and shapes of the tensors of the weights, in canonical order.
  const std::vector<TensorInfo>& tensors() const;

  /// Changes the number of workers. All shards are distributed again among the workers, and all replicas are built
  /// again; results stay bitwise identical. Returns when the new workers have started. After an error, the previous
  /// workers continue.
  /// @throws Error invalid_argument if `num_workers` is below 1 or there are not enough shards.
  /// @throws Error unsupported with placement `cluster`.
  void resize(int num_workers);
  /// Returns the current number of workers.
  int num_workers() const;

  /// Writes the weights, including statistics, to a safetensors file. The file also contains a description of the
  /// network. It contains neither optimizer state nor the number of the step.
  /// @throws Error bad_file if the file cannot be written.
  void save(const std::string& path);
  /// Loads weights. `path` is a safetensors file, a checkpoint, or a folder of checkpoints, of which the newest is
  /// loaded. Neither the optimizer state nor the number of the step is loaded. The optimizer state restarts with zeros.
  /// @returns with LoadOptions::new_head, the names of the tensors that were not loaded; otherwise an empty list.
  /// @throws Error bad_file if the file is missing or damaged.
  /// @throws Error model_mismatch if a tensor is missing, unexpected or has another shape; the error names the tensor.
  /// @throws Error non_finite_weights if a tensor contains NaN or infinity; the error names the first such tensor.
  /// @throws Error unsupported with LoadOptions::new_head if the last layer is tied to an embedding, as in models::gpt.
  std::vector<std::string> load(const std::string& path, const LoadOptions& options = {});

  /// Writes a checkpoint: everything on which later steps depend. A checkpoint contains weights, statistics, optimizer
  /// state, the number of the step, and a learning rate that `set_learning_rate` has set. The number of the step
  /// determines the position in the learning-rate schedule and in the order of the data. `path` becomes a folder with
  /// weights.safetensors, state.safetensors and manifest.json. The folder appears atomically, even if it replaces
  /// another checkpoint. The checkpoint is on disk when `save_state` returns.
  /// @throws Error bad_file if the checkpoint cannot be written.
  void save_state(const std::string& path);
  /// Loads a checkpoint of `save_state` or of CheckpointOptions. Afterwards, the results are bitwise identical to those
  /// of an uninterrupted run, with any placement and any number of workers and nodes. This requires
  /// GradientOptions::deterministic, and the same number of shards, seed, model, data, loss and optimizer options. The
  /// kind of the optimizer must be the same, but rates, weight decays, groups and clipping may differ on purpose.
  ///
  /// After an error nothing has changed, with two exceptions. The history of L-BFGS is empty. An optimizer state that
  /// does not fit the algorithm of the checkpoint restarts with zeros.
  /// @throws Error bad_file if the checkpoint is missing or damaged.
  /// @throws Error model_mismatch if the checkpoint belongs to a run with another value of a required option.
  void load_state(const std::string& path);

  /// Writes a checkpoint of the current state into CheckpointOptions::folder and returns the path of the checkpoint,
  /// which is on disk when `checkpoint` returns. If a periodic checkpoint is being written, this call finishes it
  /// first. After an error the run may continue.
  /// @param metric the quality of the current weights, such as the accuracy of an evaluation, for
  /// CheckpointOptions::keep_best.
  /// @throws Error invalid_argument if there is no folder, if `metric` is not finite, or if `metric` is given but
  /// keep_best is `none`.
  /// @throws Error bad_file if the checkpoint cannot be written.
  std::string checkpoint(std::optional<double> metric = {});
  /// Returns the number of committed steps, including the steps before a loaded checkpoint.
  std::int64_t steps_done() const;

  /// Evaluates the model's test or validation set on all replicas. Returns loss, accuracy and the values that `measure`
  /// requests. Example: `evaluate(EvaluationSet::test, {.confusion = true, .top_k = 5})`. For a fixed number of shards
  /// the result is bitwise identical for any number of workers and any placement. The loss may be NaN.
  /// @throws Error bad_data if the model has no such set, or none of its samples can be read.
  /// @throws Error unsupported for a confusion matrix of more than kMostConfusionClasses classes, or errors of more
  /// than kMostErrorTargets targets.
  /// @throws Error timeout after TimeoutOptions::evaluate.
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});

  /// Calls a function on the first replica and returns the result of the function. Arguments and results are JSON; the
  /// JSON of one worker may have at most 64 MiB.
  /// @param function a function by value; requires placement in_process.
  /// @param arguments passed to the function. Default: none.
  /// @throws Error invalid_argument if the function takes no arguments but `arguments` is not null.
  /// @throws Error unsupported if the placement does not allow functions by value.
  /// @throws Error timeout after TimeoutOptions::call.
  Json call_model(const ModelFunction& function, const Json& arguments = no_arguments());
  /// Calls the function that `register_model_function` has registered under this name on the first replica, and returns
  /// the result of the function. Works with all placements.
  /// @throws Error invalid_argument if the name is not registered.
  Json call_model(const std::string& name, const Json& arguments = no_arguments());
  /// Calls a function by value on every replica, and returns the results in order of worker and device. See
  /// `call_model` for errors.
  std::vector<Json> foreach_model(const ModelFunction& function, const Json& arguments = no_arguments());
  /// Calls the function that `register_model_function` has registered under this name on every replica, and returns the
  /// results in order of worker and device.
  std::vector<Json> foreach_model(const std::string& name, const Json& arguments = no_arguments());
  /// Calls a function by value on every worker, and returns the results in order of workers. See `call_model` for
  /// errors.
  std::vector<Json> foreach_worker(const WorkerFunction& function, const Json& arguments = no_arguments());
  /// Calls the function that `register_worker_function` has registered under this name on every worker, and returns the
  /// results in order of workers.
  std::vector<Json> foreach_worker(const std::string& name, const Json& arguments = no_arguments());

  /// Returns the number of steps until every shard has used each of its samples once. Returns 0 if the model does not
  /// define this number.
  std::int64_t steps_per_epoch() const;
  /// Returns the number format that the replicas use.
  Precision precision() const;
  /// Returns the number format that the replicas use, and the measurements that led to it.
  PrecisionChoice precision_choice() const;
  /// Returns the bytes that weights and optimizer state need in one object store. If stores differ, returns the bytes
  /// of the largest one. After a step, the result equals StepReport::state_bytes.
  std::int64_t state_bytes() const;
  /// Returns the process id of each worker. With placement in_process, each element is the id of this process.
  std::vector<int> worker_pids() const;

 private:
  class Impl;
  /// Owns the implementation. `operator->` throws Error invalid_argument if the DistributedSGD was moved from.
  struct Held {
    std::unique_ptr<Impl> impl;
    Impl* operator->() const;
  };
  Held impl_;
};

}  // namespace troupe
