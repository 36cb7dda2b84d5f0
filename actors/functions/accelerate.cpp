#include "actors/functions/rank_context.hpp"
#include "models/optimizers/groups.hpp"
#include "models/registry.hpp"
#include "troupe/loop.hpp"

namespace troupe {
namespace {

ReplicaContext context_of(const TaskContext& place, const AccelerateOptions& options) {
  ReplicaContext context = context_of_rank(place.rank(), place.world_size(), place.seed());
  context.precision = options.precision;
  context.precision_check = options.precision_check;
  context.config = options.config;
  context.frozen = options.frozen;
  if (place.device() >= 0) {
    context.device = Device::cuda;
    context.device_number = place.device();
  }
  context.keeps = frozen_tensors(options.groups);
  return context;
}

std::shared_ptr<Model> make(const ModelCreator& creator, const ReplicaContext& context) {
  const CreateModel& create = creator.name().empty() ? creator.function() : find_model(creator.name());
  std::shared_ptr<Model> model = create(context);
  if (!model) throw Error(ErrorCode::model_failed, "the creator returned no model");
  model->start(context);
  return model;
}

/// Returns the precision that all ranks use. If a rank uses f32 and has not measured both precisions, returns f32,
/// because that rank may lack bf16. Otherwise compares the measured time of the slowest rank in f32 with the time of
/// the slowest rank in bf16, and returns the faster precision. If no rank has measured both precisions, returns bf16,
/// which all ranks then use.
Precision precision_of_all(const Model& model, const TaskContext& place) {
  const ModelInfo& info = model.info();
  const bool lacks_bf16 = info.precision == Precision::f32 && !info.measured.known();
  if (place.all_reduce<std::int64_t>(lacks_bf16 ? 1 : 0) > 0) return Precision::f32;
  PrecisionSeconds slowest = info.measured;
  slowest.f32 = place.all_reduce(slowest.f32, ReduceOp::max);
  slowest.bf16 = place.all_reduce(slowest.bf16, ReduceOp::max);
  return slowest.known() ? slowest.faster() : Precision::bf16;
}

}  // namespace

std::shared_ptr<Model> accelerate(const ModelCreator& creator, const AccelerateOptions& options,
                                  const TaskContext& place) {
  ReplicaContext context = context_of(place, options);
  std::shared_ptr<Model> model = make(creator, context);
  if (options.precision == Precision::f32) return model;
  const Precision agreed = precision_of_all(*model, place);
  if (agreed != model->info().precision) {
    context.precision = agreed;
    context.precision_check = false;
    model = make(creator, context);
  }
  return model;
}

}  // namespace troupe
