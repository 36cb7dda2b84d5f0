#pragma once

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

/// How DistributedSGD::load takes a file.
struct LoadOptions {
  /// For other classes: tensors of the last layer, and those that the file does not have in the network's shape, keep
  /// the run's values, at its start those drawn from the seed. What only the file has is left.
  bool new_head = false;
};

/// The precision's name: "f32" or "bf16".
const char* to_string(Precision precision);

class ModelFunction;   // call.hpp
class WorkerFunction;  // call.hpp

/// Null.
const Json& no_arguments();

/// Is shown weights in canonical order, until it returns.
using ReadWeights = std::function<void(std::span<const float> canonical)>;

/// Data-parallel SGD. One thread at a time may use it, not always the same; several objects work beside
/// each other, in a thread each or in one. One that was moved from can be given a new value or end. Whatever else is
/// asked of it is an Error invalid_argument, and so is a call, such as `step()`, while another one has not returned.
///
/// Users' code runs where the replicas are: of placement `in_process` on threads of this process, several at once. A
/// replica is made, asked and given to functions by one thread at a time, the same one unless it is lightweight; what
/// replicas share, such as what a creator or a function captures, takes several threads. What such code throws ends the
/// call: an Error as it is, with the place added, anything else as an Error model_failed with its text. What a function
/// throws that runs in the caller's thread (`read_weights`) comes out as it is. All else that is thrown is an Error, or
/// std::bad_alloc. In a child made by fork every call throws Error unsupported, and the destructor does nothing.
///
/// `step()` of synchronous SGD is a transaction: it commits a new version of the weights or throws and changes nothing,
/// and may then be called again; for the same number of shards the bits of the result do not depend on workers,
/// placement, strategy or deaths. Other algorithms: docs/algorithms.md. Workers that die are replaced, and the step
/// goes on (FaultToleranceOptions::max_failures). A run that loses a node goes back to its newest checkpoint in
/// Options::checkpoint's folder, or to its beginning, with the nodes that come within `timeouts.start`,
/// ClusterOptions::min_nodes at least, and does the steps since again; without such a folder, or where weights were set
/// or loaded since, the loss ends the run, but weights can still be read. A worker that throws, or does not answer in
/// time, is an error. Nothing is committed that is not finite, be it weights, statistics or the optimizer's state: that
/// is an Error non_finite_weights, whose Where::object is the first tensor in canonical order.
class DistributedSGD {
 public:
  /// Starts the workers and builds their replicas.
  /// @throws Error when options make no sense, or a worker or its model cannot be started in time.
  DistributedSGD(ModelCreator creator, Options options);
  /// Waits for workers of this process that are still busy, at most `timeouts.step`; one that hangs longer is given up
  /// and goes on running, with whatever its model refers to. A checkpoint that is being written is finished before.
  ~DistributedSGD();
  DistributedSGD(DistributedSGD&&) noexcept;
  DistributedSGD& operator=(DistributedSGD&&) noexcept;

  /// One step of SGD over all shards.
  /// @throws Error naming worker, node and phase; at the latest after TimeoutOptions::step, or, where workers have to
  /// be replaced first, TimeoutOptions::start more: for each try, of which FaultToleranceOptions::max_failures allows
  /// one more than there may be losses.
  StepReport step();

  /// Computes and throws the gradients away, so that the first step is as fast as the others.
  void warmup();

  /// The last committed step's report.
  const StepReport& report() const;
  /// Whether one of Options::callbacks has seen enough. Steps can be made all the same.
  bool should_stop() const;

  /// Steps have this rate from the next one on, in place of the optimizer's LearningRate; groups keep their
  /// factors of it. Steps that a run does again after losing a node have the rates
  /// that they had. Checkpoints tell the rate of the step after them: `load_state` and CheckpointOptions::resume
  /// go on with it, or, where it was not set by hand, with the options. `set_weights` and `load` leave it.
  /// @throws Error invalid_argument for what is no float from 0 on
  void set_learning_rate(double rate);
  /// From the next step on another algorithm: weights and the optimizer's state go on as they are, but that the state
  /// begins with zeros on the way to LocalSgd, where it is each shard's own, and back. L-BFGS begins with an empty
  /// history: a warm start by SGD. What workers have computed until then is applied first. It has no warm_start.
  /// @throws Error as the constructor where that algorithm cannot be, or as `step()`; then nothing has changed, but
  /// that the optimizer's state begins anew where its memory was another algorithm's already
  void use(const Algorithm& algorithm);

  /// The current weights in canonical order (see ModelInfo::tensors).
  std::vector<float> weights();
  /// Lets `use` look at them where they lie, which spares large models a copy. It must not call this object.
  void read_weights(const ReadWeights& use);
  /// Replaces the weights by these as they are, NaN and all; momentum and the like start from zero.
  /// @throws Error model_mismatch on another length.
  void set_weights(std::span<const float> canonical);
  /// Names and shapes of the canonical weights.
  const std::vector<TensorInfo>& tensors() const;

  /// From now on the run has so many workers, to whom the shards are dealt out anew; replicas are made anew, too. The
  /// bits stay. Workers that a call starts are there when it returns. @throws Error invalid_argument for less than one
  /// or more than there are shards for, unsupported with placement `cluster`, or why one cannot start; then those stay
  /// that there were.
  void resize(int num_workers);
  int num_workers() const;

  /// Writes or reads the weights, running statistics included, as a safetensors file. The file holds no more: after
  /// `load` the optimizer's state, the schedule and the order of the data begin anew. @throws Error bad_file,
  /// model_mismatch naming the tensor, or non_finite_weights naming the first tensor with NaN or infinity.
  void save(const std::string& path);
  /// @returns with LoadOptions::new_head the names of the tensors that were not loaded
  std::vector<std::string> load(const std::string& path, const LoadOptions& options = {});

  /// Writes all that steps depend on, or goes back to it: weights, statistics, the optimizer's state, and the number of
  /// the step, which the schedule and the order of the data follow, and a rate set by hand. A run of any placement,
  /// with any number of workers and nodes, then goes on to the same bits as if it had never stopped, provided that
  /// number of shards, seed, model, data, loss and the optimizer's options are the same, and `deterministic` is left
  /// on. The optimizer's kind is compared; its rates, decays, groups and clipping may be others on purpose. `path`
  /// becomes a folder of weights.safetensors, state.safetensors and manifest.json; in the place of another checkpoint
  /// it appears whole or not at all, whatever dies. It is on disk when this returns. @throws Error bad_file, or
  /// model_mismatch for a checkpoint of another run; then nothing has changed, but that a history of L-BFGS, or what
  /// the optimizer remembers where the checkpoint is of another algorithm's steps, begins anew.
  void save_state(const std::string& path);
  void load_state(const std::string& path);

  /// Writes a checkpoint of the current state into Options::checkpoint's folder and returns its path; it is on disk
  /// then. One that is being written is finished first. `metric` says how good these weights are, such as the accuracy
  /// of an evaluation, for CheckpointOptions::keep_best. @throws Error invalid_argument without such a folder, or for a
  /// metric that is not finite or of a run that keeps no best; or why it cannot be written; the run may go on.
  std::string checkpoint(std::optional<double> metric = {});
  /// Steps committed, with those before the checkpoint that was loaded.
  std::int64_t steps_done() const;

  /// Runs the model's test or validation set over all replicas, and measures loss, accuracy, and what else is asked
  /// for, as `evaluate(set, {.confusion = true, .top_k = 5})` does. For the same number of shards the result does not
  /// depend on workers and placement; its loss may be NaN. @throws Error bad_data, without a worker, where there is no
  /// such set; unsupported for confusion of more than kMostConfusionClasses or errors of more than kMostErrorTargets.
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});

  /// Calls a function on the first replica, on every replica, or on every worker, with these arguments, and returns
  /// what they return, in order of worker and device: JSON of at most 64 MiB a worker, as of arguments. Functions given
  /// by value need placement in_process; names serve all placements (call.hpp registers them). @throws Error
  /// invalid_argument for a name that is not registered, or arguments for a function that takes none
  Json call_model(const ModelFunction& function, const Json& arguments = no_arguments());
  Json call_model(const std::string& name, const Json& arguments = no_arguments());
  std::vector<Json> foreach_model(const ModelFunction& function, const Json& arguments = no_arguments());
  std::vector<Json> foreach_model(const std::string& name, const Json& arguments = no_arguments());
  std::vector<Json> foreach_worker(const WorkerFunction& function, const Json& arguments = no_arguments());
  std::vector<Json> foreach_worker(const std::string& name, const Json& arguments = no_arguments());

  /// Steps until every shard has seen its samples once; 0 where the model does not say.
  std::int64_t steps_per_epoch() const;
  /// What the replicas really compute in, and why.
  Precision precision() const;
  PrecisionChoice precision_choice() const;
  /// What weights and state take of one store, or of the largest, as StepReport::state_bytes says behind each step.
  std::int64_t state_bytes() const;
  /// Process ids of the workers (this process's own, in-process).
  std::vector<int> worker_pids() const;

 private:
  class Impl;
  /// Refuses to be used once it was moved from.
  struct Held {
    std::unique_ptr<Impl> impl;
    Impl* operator->() const;
  };
  Held impl_;
};

}  // namespace troupe
