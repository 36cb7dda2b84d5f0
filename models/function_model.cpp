#include <utility>

#include "troupe/error.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

FunctionModel::FunctionModel(std::size_t size, Loss loss, Gradient gradient)
    : size_(size), loss_(std::move(loss)), gradient_(std::move(gradient)) {
  if (size_ == 0) throw Error(ErrorCode::invalid_argument, "a FunctionModel needs at least one parameter");
  if (!loss_ || !gradient_) throw Error(ErrorCode::invalid_argument, "a FunctionModel needs a loss and a gradient");
}

ModelInfo FunctionModel::prepare(const ReplicaContext& /*context*/) { return {.size = size_}; }

BatchResult FunctionModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const BatchResult result = loss_(at, weights);
  gradient_(at, weights, gradient);
  return result;
}

}  // namespace troupe::models
