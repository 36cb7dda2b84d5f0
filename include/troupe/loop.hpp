#pragma once

// Models of Troupe in a training loop of your own, inside a function of a Trainer:
//
//    auto& at = troupe::here();
//    troupe::GroupSGD sgd(troupe::accelerate("cnn"), at.group(), troupe::Sgd{.learning_rate = 0.1});
//    for (int i = 0; i < 1000; ++i) at.report({{"loss", sgd.step().loss}});

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"
#include "troupe/report.hpp"
#include "troupe/task_context.hpp"

namespace troupe {

/// Options of `accelerate`.
struct AccelerateOptions {
  /// The number format to request. With `bf16`, the model computes in bf16 only if the model and the device of every
  /// rank support it. Default: f32.
  Precision precision = Precision::f32;
  /// If true (default), and `precision` is bf16, the model is measured in both formats, as with
  /// ComputeOptions::precision_check. All ranks use the same format: the faster one by the times of the slowest rank
  /// for each format.
  bool precision_check = true;
  /// A text that is passed to the creator of the model unchanged (ReplicaContext::config).
  std::string config = {};
  /// If true, layers such as batch-norm and dropout compute as in an evaluation; see ReplicaContext::frozen.
  bool frozen = false;
  /// The optimizer's parameter groups. Needed only if some groups are frozen (ParameterGroup::frozen). If all tensors
  /// of a layer are frozen, the layer computes no gradient for them. If such a layer is a batch-norm, it computes as in
  /// an evaluation.
  std::vector<ParameterGroup> groups = {};
};

/// Creates a model and starts it for the calling rank. The model works on the shard of this rank; there are as many
/// shards as ranks. All ranks must call `accelerate`.
/// @param model a creator, or the name of a registered model.
/// @param options see AccelerateOptions.
/// @param place the context of the rank. Default: the context of this thread.
/// @throws Error model_failed if the creator returns null, or the Error that the creator throws.
/// @throws Error invalid_argument if the name is not registered.
std::shared_ptr<Model> accelerate(const ModelCreator& model, const AccelerateOptions& options = {},
                                  const TaskContext& place = here());

/// The result of GroupSGD::step; identical on all ranks.
struct GroupStep {
  std::int64_t step = 0;                ///< number of steps made, including this step
  double loss = 0;                      ///< mean loss over the samples of all ranks
  std::int64_t samples = 0;             ///< number of samples of all ranks
  double learning_rate = 0;             ///< the learning rate of this step
  std::optional<double> accuracy = {};  ///< training accuracy before the update; see StepReport::accuracy
};

/// Options of GroupSGD.
struct GroupSgdOptions {
  double clip_norm = 0;  ///< maximum norm of the mean gradient; see GradientOptions::clip_norm
  /// Seed of the first weights, of the order of the data and of the random numbers in layers. Empty (default): the seed
  /// of the run (`here().seed()`).
  std::optional<std::uint64_t> seed = {};
};

/// Synchronous SGD by the ranks of a group. Each rank makes one object of this class from its replica of the model, the
/// group and an optimizer. The gradients of all ranks are added in a fixed tree over the ranks and divided by the
/// number of samples. Each rank updates one part of the weights, and stores the optimizer state of that part only. The
/// result is bitwise identical to a DistributedSGD with as many shards as there are ranks.
///
/// The constructor, `step`, `evaluate` and `state` are collectives: all ranks must call them, in the same order. Not
/// thread-safe. If `step` throws, weights and optimizer state have not changed.
class GroupSGD {
 public:
  /// Makes the first weights from the seed.
  /// @param model the result of `accelerate`, or a model that has not been started, which this constructor then starts.
  /// @param group the ranks.
  /// @param optimizer the update rule. Default: Sgd().
  /// @param options see GroupSgdOptions.
  /// @throws Error invalid_argument if `model` is null or the optimizer is invalid.
  /// @throws Error model_mismatch if the ranks have models with different sizes or layouts.
  GroupSGD(std::shared_ptr<Model> model, Group group, const Optimizer& optimizer = Sgd(),
           const GroupSgdOptions& options = {});
  ~GroupSGD();
  GroupSGD(GroupSGD&&) noexcept;
  GroupSGD& operator=(GroupSGD&&) noexcept;

  /// Performs one step on each rank's next batch.
  /// @throws Error non_finite_loss or non_finite_weights if the loss or the new weights are not finite.
  /// @throws Error bad_data if no rank has a sample in the batch.
  /// @throws Error the error of the model or of a collective.
  GroupStep step();
  /// Performs one step on the batch with the number `batch`, counted from 0 over all epochs. The batch number is passed
  /// to the model as ShardStep::step.
  GroupStep step(std::int64_t batch);
  /// Returns the number of steps made.
  std::int64_t steps_done() const;
  /// Returns the number of steps until every rank has used each of its samples once. Returns 0 if the model does not
  /// define this number.
  std::int64_t steps_per_epoch() const;

  /// Evaluates the model's test or validation set and returns loss and accuracy. Each rank evaluates its part of the
  /// set; the result is that of the whole set.
  /// @throws Error bad_data if the model has no such set.
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test);

  /// Returns all weights in canonical order (ModelInfo::tensors), on every rank.
  std::vector<float> weights() const;
  /// Replaces the weights. All ranks must pass the same values. The optimizer state restarts with zeros.
  /// @throws Error model_mismatch if the length is wrong.
  void set_weights(std::span<const float> canonical);

  /// Returns the weights, the optimizer state (such as "momentum/NAME") and the number of steps. Pass the result to
  /// TaskContext::save_checkpoint. A run with any number of ranks can resume from such a checkpoint, and Predictor can
  /// load it.
  NamedTensors state() const;
  /// Writes the weights to a safetensors file, like DistributedSGD::save. Only one of the ranks needs to call `save`.
  /// @throws Error bad_file if the file cannot be written.
  void save(const std::string& path) const;
  /// Replaces weights, optimizer state and number of steps by those in `tensors`, which is a result of `state`. All
  /// ranks must pass the same tensors.
  /// @throws Error model_mismatch if a tensor is missing or has another shape; the error names the tensor.
  void load_state(const NamedTensors& tensors);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
