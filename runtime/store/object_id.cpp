#include "runtime/store/object_id.hpp"

namespace troupe {
namespace {

const char* kind_name(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::gradient:
      return "gradient";
    case ObjectKind::mean_gradient:
      return "mean gradient";
    case ObjectKind::weights:
      return "weights";
    case ObjectKind::optimizer_state:
      return "optimizer state";
    case ObjectKind::transfer:
      return "transfer";
    case ObjectKind::partial:
      return "partial sums";
  }
  return "object";
}

}  // namespace

std::string to_string(const ObjectId& id) {
  return std::string(kind_name(id.kind)) + " " + std::to_string(id.shard) + "." + std::to_string(id.bucket) +
         " of step " + std::to_string(id.step) + ", generation " + std::to_string(id.generation);
}

}  // namespace troupe
