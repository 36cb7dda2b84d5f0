#include "mutation/sender_knows.hpp"

#include <map>
#include <string>

namespace troupe_test {
namespace {

using Reasons = std::map<std::string, std::string, std::less<>>;

/// What a member may say as it likes, and why nobody else knows it.
const Reasons& of_members() {
  static const Reasons reasons{
      {"Computed.loss_bits", "a shard's loss is its worker's to compute"},
      {"Computed.samples", "how many samples a shard's batch has, its worker knows"},
      {"MeanReduced.square_bits", "the gradient of a slice is its owner's to sum"},
      {"Computed.pass.correct", "which samples the model got right, its worker knows"},
      {"Advanced.loss_bits", "a shard's loss is its worker's to compute"},
      {"Advanced.samples", "how many samples a shard's batch has, its worker knows"},
      {"StepsTaken.loss_bits", "a shard's loss is its worker's to compute"},
      {"StepsTaken.samples", "how many samples a shard's batches have, its worker knows"},
      {"StepsTaken.pass.correct", "which samples the model got right, its worker knows"},
      {"PortionsComputed.loss_bits", "a portion's loss is its worker's to compute"},
      {"PortionsComputed.samples", "how many samples a portion has, its worker knows"},
      {"PortionsComputed.pass.correct", "which samples the model got right, its worker knows"},
      {"GradientReduced.sum_bits", "products of a slice are its owner's to sum"},
      {"GradientReduced.largest_bits", "the largest float of a slice is its owner's to find"},
      {"Remembered.sum_bits", "products of a slice are its owner's to sum"},
      {"Moved.finite", "whether a slice is finite, its owner knows"},
      {"Evaluated.loss_bits", "a shard's loss is its worker's to compute"},
      {"Evaluated.correct", "which samples the model got right, its worker knows"},
      {"Evaluated.samples", "how many samples a shard has, its worker knows"},
      {"Called.text_bytes", "how much a function returns, its worker knows"},
      {"Heard.bytes", "what a function reports and returns, its worker knows"},
  };
  return reasons;
}

/// What the driver may say as it likes: it is the one that leads the run.
const Reasons& of_driver() {
  static const Reasons reasons{
      {"Advance.goes_on", "in which order its algorithm computes, the driver decides"},
      {"Advance.gradients", "in which order its algorithm computes, the driver decides"},
      {"Advance.first", "in which order its algorithm computes, the driver decides"},
      {"Advance.served", "in which order its algorithm computes, the driver decides"},
      {"Advance.rate_bits", "the learning rate is the driver's"},
      {"Advance.step", "the driver counts steps"},
      {"Apply.samples", "the sum over all workers is known to the driver alone"},
      {"Apply.step", "the driver counts steps"},
      {"Apply.updates", "the driver counts updates"},
      {"Apply.from", "which version is committed, the driver decides"},
      {"BeginGeneration.optimizer", "an option of the driver's"},
      {"Build.config", "an option of the driver's"},
      {"CallModel.argument_bytes", "how long an argument is, the driver knows"},
      {"CallModel.name", "which function is called, the driver decides"},
      {"CallWorker.argument_bytes", "how long an argument is, the driver knows"},
      {"CallWorker.name", "which function is called, the driver decides"},
      {"ComputePortions.buffer", "which version is committed, the driver decides"},
      {"ComputePortions.step", "the driver counts steps"},
      {"Deliver.fetches", "in which order its algorithm computes, the driver decides"},
      {"Evaluate.buffer", "which version is committed, the driver decides"},
      {"Evaluate.set", "which set is measured, the driver decides"},
      {"Evaluate.step", "the driver counts steps"},
      {"Evaluate.top_k", "what is measured, the driver decides"},
      {"GatherSlices.buffer", "which version it wants, the driver decides"},
      {"GatherSlices.vector", "which vector it wants, the driver decides"},
      {"MakeSlabs.optimizer", "an option of the driver's"},
      {"MakeSlabs.outer", "an option of the driver's"},
      {"MoveAlong.coefficient_bits", "the direction is the driver's to choose"},
      {"MoveAlong.direction", "the direction is the driver's to choose"},
      {"MoveAlong.from", "which version is committed, the driver decides"},
      {"MoveAlong.length_bits", "the length of a step is the driver's to choose"},
      {"MoveAlong.vectors", "the direction is the driver's to choose"},
      {"ProvideCheckpoint.bytes", "from what a function goes on, the driver knows"},
      {"ExportVector.vector", "which vector it wants, the driver decides"},
      {"Place.vector", "which vector it writes, the driver decides"},
      {"Push.applies", "in which order its algorithm computes, the driver decides"},
      {"TakeSteps.to", "which version is written, the driver decides"},
      {"Push.rank", "which worker is served, the driver decides"},
      {"Push.to", "which version is written, the driver decides"},
      {"ReduceGradient.slabs", "which of a store's slabs has a portion, the driver knows"},
      {"StartFunction.node", "how a worker's place is called, the driver decides"},
      {"Push.from", "which version is committed, the driver decides"},
      {"Push.rate_bits", "the learning rate is the driver's"},
      {"Push.samples", "the sum over all workers is known to the driver alone"},
      {"Push.serves", "in which order its algorithm computes, the driver decides"},
      {"Push.share_bits", "the sum over all workers is known to the driver alone"},
      {"Push.step", "the driver counts steps"},
      {"Push.updates", "the driver counts updates"},
      {"ReduceGradient.buffer", "which version is committed, the driver decides"},
      {"ReduceGradient.direction", "the direction is the driver's to choose"},
      {"ReduceGradient.samples", "the sum over all workers is known to the driver alone"},
      {"ComputePortions.slabs", "which of a store's slabs has a portion, the driver knows"},
      {"Remember.gradient", "which vector the gradient becomes, the driver decides"},
      {"Remember.takes", "which gradients are kept, the driver decides"},
      {"Remember.columns", "which products it needs, the driver decides"},
      {"Remember.length_bits", "the length of a step is the driver's to choose"},
      {"Remember.rows", "which products it needs, the driver decides"},
      {"StartFunction.config", "what a function is given, the driver decides"},
      {"StartFunction.seed", "an option of the driver's"},
      {"StartFunction.awaits_reports", "an option of the driver's"},
      {"TakeSteps.from", "which version is committed, the driver decides"},
      {"TakeSteps.rate_bits", "the learning rate is the driver's"},
      {"TakeSteps.step", "the driver counts steps"},
      {"TakeSteps.steps", "how many steps are taken, the driver decides"},
      {"TakeSteps.updates", "the driver counts updates"},
      {"Apply.clip_bits", "the length of the whole gradient is known to the driver alone"},
      {"Apply.rate_bits", "the learning rate is the driver's"},
      {"Build.seed", "an option of the driver's"},
      {"Compute.buffer", "which version is committed, the driver decides"},
      {"Compute.step", "the driver counts steps"},
      {"ExportVector.buffer", "which version is committed, the driver decides"},
      {"Place.buffer", "which version is committed, the driver decides"},
      {"ReduceMean.samples", "the sum over all workers is known to the driver alone"},
  };
  return reasons;
}

}  // namespace

bool sender_knows(const Lie& lie) {
  // Of a list the numbers may be others, but not how many there are.
  const bool is_list =
      lie.what.find("element") != std::string::npos || lie.what == "empty" || lie.what == "as long as can be";
  if (is_list) return false;
  std::string field = lie.field();
  if (field.ends_with("[]")) field.resize(field.size() - 2);
  return (lie.spot.direction == Direction::to_driver ? of_members() : of_driver()).contains(field);
}

}  // namespace troupe_test
