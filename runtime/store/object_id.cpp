#include "runtime/store/object_id.hpp"

namespace troupe {
namespace {

std::string name(const ObjectId& id) {
  const std::string number = std::to_string(id.number);
  switch (id.kind) {
    case ObjectKind::gradient:
      return "gradient of shard " + number;
    case ObjectKind::mean_gradient:
      return "mean gradient";
    case ObjectKind::vector:
      return (id.number == 0 ? "weights" : "vector " + number + " of the optimizer's state") + ", buffer " +
             std::to_string(id.buffer);
    case ObjectKind::transfer:
      return "transfer " + number;
    case ObjectKind::partial:
      return "partial sums of lane " + number;
    case ObjectKind::served:
      return "weights served to worker " + number;
    case ObjectKind::data:
      return "part " + std::to_string(id.buffer) + " of data " + number;
    case ObjectKind::group:
      return "part " + std::to_string(id.buffer) + " of a group's barrier";
  }
  return "object " + number;
}

}  // namespace

std::string to_string(const ObjectId& id) { return name(id) + " (generation " + std::to_string(id.generation) + ")"; }

}  // namespace troupe
