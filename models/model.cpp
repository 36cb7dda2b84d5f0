#include "troupe/model.hpp"

#include <algorithm>
#include <atomic>

#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::int64_t kMostFloats = std::int64_t{1} << 48;

void copy_plain(std::span<const float> from, std::span<float> to) {
  if (from.size() != to.size())
    throw Error(ErrorCode::model_mismatch,
                "a model whose tensors have another size than the model itself must override "
                "to_canonical and from_canonical");
  std::ranges::copy(from, to.begin());
}

}  // namespace

std::size_t TensorInfo::size() const {
  std::int64_t floats = 1;
  for (const std::int64_t length : shape) {
    if (length < 0 || (length > 0 && floats > kMostFloats / length))
      throw Error(ErrorCode::invalid_argument, "a length of " + std::to_string(length) + " is out of range",
                  {.object = "tensor '" + name + "'"});
    floats *= length;
  }
  return static_cast<std::size_t>(floats);
}

ModelInfo info_of(std::vector<TensorInfo> tensors) {
  ModelInfo info;
  info.size = total_size(tensors);
  info.tensors = std::move(tensors);
  return info;
}

std::size_t total_size(std::span<const TensorInfo> tensors) {
  std::size_t total = 0;
  for (const TensorInfo& tensor : tensors) total += tensor.size();
  return total;
}

const ModelInfo& Model::start(const ReplicaContext& context) {
  info_ = prepare(context);
  if (context.device != Device::cpu && info_.device == Device::cpu)
    throw Error(ErrorCode::unsupported, "this model supports CPUs only: set device to cpu");
  if (info_.learned_size == 0) info_.learned_size = info_.size;
  if (info_.tensors.empty()) info_.tensors = {{"weights", {static_cast<std::int64_t>(info_.size)}}};
  return info_;
}

const ModelInfo& Model::info() const {
  if (info_.tensors.empty()) throw Error(ErrorCode::invalid_argument, "info() is available only after start()");
  return info_;
}

void Model::initialize(std::span<float> weights, std::uint64_t /*seed*/) { std::ranges::fill(weights, 0.0F); }

void Model::update_statistics(std::size_t /*begin*/, std::span<const float> /*mean*/, std::int64_t /*samples*/,
                              std::span<const float> /*statistics*/, std::span<float> /*updated*/) const {
  throw Error(ErrorCode::model_failed, "a model with statistics must override update_statistics");
}

BatchResult& BatchResult::operator+=(const BatchResult& other) {
  if (samples == 0)
    correct = other.correct;
  else if (other.samples > 0)
    correct = correct < 0 || other.correct < 0 ? kNotCounted : correct + other.correct;
  loss_sum += other.loss_sum;
  samples += other.samples;
  data_seconds += other.data_seconds;
  left_out += other.left_out;
  bytes_over_bus += other.bytes_over_bus;
  bytes_copied += other.bytes_copied;
  return *this;
}

WeightsVersion WeightsVersion::begin(std::span<const float> weights) {
  static std::atomic<std::uint64_t> last{0};
  return {weights.data(), ++last};
}

EvaluationResult Model::evaluate(const ShardStep& /*at*/, std::span<const float> /*weights*/) { return {}; }

void Model::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  copy_plain(weights, canonical);
}

void Model::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  copy_plain(canonical, weights);
}

}  // namespace troupe
