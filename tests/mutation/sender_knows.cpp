#include "mutation/sender_knows.hpp"

#include <map>
#include <string>

namespace troupe_test {
namespace {

using Reasons = std::map<std::string, std::string, std::less<>>;

/// Fields that a member may set freely, and why no other member can check them.
const Reasons& of_members() {
  static const Reasons reasons{
      {"Computed.loss_bits", "only the worker computes the loss of a shard"},
      {"Computed.samples", "only the worker knows the batch size of a shard"},
      {"MeanReduced.square_bits", "only the owner sums the gradient of a slice"},
      {"Computed.pass.correct", "only the worker counts the hits of its model"},
      {"Advanced.loss_bits", "only the worker computes the loss of a shard"},
      {"Advanced.samples", "only the worker knows the batch size of a shard"},
      {"StepsTaken.loss_bits", "only the worker computes the loss of a shard"},
      {"StepsTaken.samples", "only the worker knows the batch sizes of a shard"},
      {"StepsTaken.pass.correct", "only the worker counts the hits of its model"},
      {"PortionsComputed.loss_bits", "only the worker computes the loss of a portion"},
      {"PortionsComputed.samples", "only the worker knows the number of samples of a portion"},
      {"PortionsComputed.pass.correct", "only the worker counts the hits of its model"},
      {"GradientReduced.sum_bits", "only the owner computes the products of a slice"},
      {"GradientReduced.largest_bits", "only the owner finds the largest float of a slice"},
      {"Remembered.sum_bits", "only the owner computes the products of a slice"},
      {"Moved.finite", "only the owner checks whether a slice is finite"},
      {"Evaluated.loss_bits", "only the worker computes the loss of a shard"},
      {"Evaluated.correct", "only the worker counts the hits of its model"},
      {"Evaluated.samples", "only the worker knows the number of samples of a shard"},
      {"Called.text_bytes", "only the worker knows the size of a function's result"},
      {"Heard.bytes", "only the worker knows the reports and results of a function"},
  };
  return reasons;
}

/// Fields that the driver may set freely, because it leads the run.
const Reasons& of_driver() {
  static const Reasons reasons{
      {"Advance.goes_on", "the driver's algorithm decides the order of computation"},
      {"Advance.gradients", "the driver's algorithm decides the order of computation"},
      {"Advance.first", "the driver's algorithm decides the order of computation"},
      {"Advance.served", "the driver's algorithm decides the order of computation"},
      {"Advance.rate_bits", "the driver sets the learning rate"},
      {"Advance.step", "the driver counts steps"},
      {"Apply.samples", "only the driver knows the sum over all workers"},
      {"Apply.step", "the driver counts steps"},
      {"Apply.updates", "the driver counts updates"},
      {"Apply.from", "the driver decides which version is committed"},
      {"BeginGeneration.optimizer", "an option of the driver"},
      {"Build.config", "an option of the driver"},
      {"CallModel.argument_bytes", "only the driver knows the size of an argument"},
      {"CallModel.name", "the driver decides which function is called"},
      {"CallWorker.argument_bytes", "only the driver knows the size of an argument"},
      {"CallWorker.name", "the driver decides which function is called"},
      {"ComputePortions.buffer", "the driver decides which version is committed"},
      {"ComputePortions.step", "the driver counts steps"},
      {"Deliver.fetches", "the driver's algorithm decides the order of computation"},
      {"Evaluate.buffer", "the driver decides which version is committed"},
      {"Evaluate.set", "the driver decides which set is evaluated"},
      {"Evaluate.step", "the driver counts steps"},
      {"Evaluate.top_k", "the driver decides which measures are computed"},
      {"BeginCopy.buffer", "the driver decides which version is copied"},
      {"BeginCopy.number", "the driver numbers copies"},
      {"BeginCopy.run", "the driver names the run"},
      {"GatherSlices.buffer", "the driver decides which version it reads"},
      {"GatherSlices.vector", "the driver decides which vector it reads"},
      {"MakeSlabs.optimizer", "an option of the driver"},
      {"MakeSlabs.outer", "an option of the driver"},
      {"MoveAlong.coefficient_bits", "the driver chooses the direction"},
      {"MoveAlong.direction", "the driver chooses the direction"},
      {"MoveAlong.from", "the driver decides which version is committed"},
      {"MoveAlong.length_bits", "the driver chooses the length of a step"},
      {"MoveAlong.vectors", "the driver chooses the direction"},
      {"ProvideCheckpoint.bytes", "only the driver knows the checkpoint that a function resumes from"},
      {"ExpectPieces.buffer", "the driver decides which version is committed"},
      {"ExportVector.vector", "the driver decides which vector it reads"},
      {"Place.vector", "the driver decides which vector it writes"},
      {"Push.applies", "the driver's algorithm decides the order of computation"},
      {"TakeSteps.to", "the driver decides which version is written"},
      {"Push.rank", "the driver decides which worker is served"},
      {"Push.to", "the driver decides which version is written"},
      {"ReduceGradient.slabs", "only the driver knows the slab of a portion"},
      {"StartFunction.node", "the driver names the node of a worker"},
      {"Push.from", "the driver decides which version is committed"},
      {"Push.rate_bits", "the driver sets the learning rate"},
      {"Push.samples", "only the driver knows the sum over all workers"},
      {"Push.serves", "the driver's algorithm decides the order of computation"},
      {"Push.share_bits", "only the driver knows the sum over all workers"},
      {"Push.step", "the driver counts steps"},
      {"Push.updates", "the driver counts updates"},
      {"ReduceGradient.buffer", "the driver decides which version is committed"},
      {"ReduceGradient.direction", "the driver chooses the direction"},
      {"ReduceGradient.samples", "only the driver knows the sum over all workers"},
      {"ComputePortions.slabs", "only the driver knows the slab of a portion"},
      {"Remember.gradient", "the driver decides which vector stores the gradient"},
      {"Remember.takes", "the driver decides which gradients are kept"},
      {"Remember.columns", "the driver decides which products it needs"},
      {"Remember.length_bits", "the driver chooses the length of a step"},
      {"Remember.rows", "the driver decides which products it needs"},
      {"StartFunction.config", "the driver decides the configuration of a function"},
      {"StartFunction.seed", "an option of the driver"},
      {"StartFunction.awaits_reports", "an option of the driver"},
      {"TakeSteps.from", "the driver decides which version is committed"},
      {"TakeSteps.rate_bits", "the driver sets the learning rate"},
      {"TakeSteps.step", "the driver counts steps"},
      {"TakeSteps.steps", "the driver decides the number of steps"},
      {"TakeSteps.updates", "the driver counts updates"},
      {"Apply.clip_bits", "only the driver knows the norm of the whole gradient"},
      {"Apply.rate_bits", "the driver sets the learning rate"},
      {"Build.seed", "an option of the driver"},
      {"Compute.buffer", "the driver decides which version is committed"},
      {"Compute.step", "the driver counts steps"},
      {"ExportVector.buffer", "the driver decides which version is committed"},
      {"Place.buffer", "the driver decides which version is committed"},
      {"ReduceMean.samples", "only the driver knows the sum over all workers"},
  };
  return reasons;
}

}  // namespace

bool sender_knows(const Lie& lie) {
  // The elements of a list may be arbitrary, but not their number.
  const bool is_list =
      lie.what.find("element") != std::string::npos || lie.what == "empty" || lie.what == "as long as can be";
  if (is_list) return false;
  std::string field = lie.field();
  if (field.ends_with("[]")) field.resize(field.size() - 2);
  return (lie.spot.direction == Direction::to_driver ? of_members() : of_driver()).contains(field);
}

}  // namespace troupe_test
