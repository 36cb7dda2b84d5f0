#pragma once

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

// Models of Troupe inside a loop of one's own.
namespace troupe {

struct AccelerateOptions {
  Precision precision = Precision::f32;
  bool precision_check =
      true;  ///< as ComputeOptions::precision_check: all ranks compute in the same, f32 where that is faster
  std::string config = {};  ///< ReplicaContext::config, for creators by name
  bool frozen = false;      ///< ReplicaContext::frozen
  /// Those of the optimizer, where some are frozen: layers of frozen tensors then compute no
  /// gradient for them, and batch-norm goes by the statistics that it has.
  std::vector<ParameterGroup> groups = {};
};

/// Makes a model ready for this rank: it works on the rank's shard of as many shards as there are ranks. All ranks call
/// it. @throws Error as a creator does, or model_mismatch where ranks have models that cannot work together
std::shared_ptr<Model> accelerate(const ModelCreator& model, const AccelerateOptions& options = {},
                                  const TaskContext& place = here());

/// What a step came to, the same on all ranks.
struct GroupStep {
  std::int64_t step = 0;  ///< steps made, with this one
  double loss = 0;        ///< mean over the samples of all ranks
  std::int64_t samples = 0;
  double learning_rate = 0;
  std::optional<double> accuracy = {};  ///< before the update; see StepReport::accuracy
};

struct GroupSgdOptions {
  double clip_norm = 0;                    ///< GradientOptions::clip_norm
  std::optional<std::uint64_t> seed = {};  ///< of first weights, the order of the data and chance in layers; without it
                                           ///< that of the run (`here().seed()`)
};

/// Synchronous SGD by the ranks of a group, each with a replica: model, group and optimizer in one. Gradients are added
/// in the fixed tree over ranks, averaged exactly over samples and applied part by part, each rank keeping the
/// optimizer's state of its part alone. The bits are those of a DistributedSGD with as many shards as there are ranks.
///
/// All ranks call the same, in the same order. A step that throws changes nothing.
class GroupSGD {
 public:
  /// @param model as `accelerate` made it, or one that has not been started, which then is, for this rank
  GroupSGD(std::shared_ptr<Model> model, Group group, const Optimizer& optimizer = Sgd(),
           const GroupSgdOptions& options = {});
  ~GroupSGD();
  GroupSGD(GroupSGD&&) noexcept;
  GroupSGD& operator=(GroupSGD&&) noexcept;

  /// A step on each rank's next batch. @throws Error non_finite_loss, non_finite_weights, what the model throws, or
  /// what a collective throws
  GroupStep step();
  /// On the batch of this number, counted from 0 over all epochs (ShardStep::step).
  GroupStep step(std::int64_t batch);
  std::int64_t steps_done() const;
  /// Steps until every rank has seen its samples once; 0 where the model does not say.
  std::int64_t steps_per_epoch() const;

  /// Loss and accuracy over the model's test or validation set, of which each rank looks at its part.
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test);

  /// In canonical order (ModelInfo::tensors); of this rank, which has all of them.
  std::vector<float> weights() const;
  /// All ranks give the same. The optimizer's state begins anew.
  void set_weights(std::span<const float> canonical);

  /// Weights, the optimizer's state (such as "momentum/NAME") and the number of steps, for
  /// TaskContext::save_checkpoint: from a checkpoint of these a run with any number of ranks goes on, and a Predictor
  /// takes its folder. A collective.
  NamedTensors state() const;
  /// Writes the weights of this rank, which are those of all, as DistributedSGD::save does. @throws Error bad_file
  void save(const std::string& path) const;
  /// @throws Error model_mismatch naming a tensor that is missing or of another shape
  void load_state(const NamedTensors& tensors);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
