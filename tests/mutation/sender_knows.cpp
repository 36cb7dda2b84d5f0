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
  };
  return reasons;
}

/// What the driver may say as it likes: it is the one that leads the run.
const Reasons& of_driver() {
  static const Reasons reasons{
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
  const bool is_list = lie.what.find("element") != std::string::npos || lie.what == "empty" ||
                       lie.what == "as long as can be";
  if (is_list) return false;
  std::string field = lie.field();
  if (field.ends_with("[]")) field.resize(field.size() - 2);
  return (lie.spot.direction == Direction::to_driver ? of_members() : of_driver()).contains(field);
}

}  // namespace troupe_test
