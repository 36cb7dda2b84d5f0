#include <cmath>

#include "models/device_network.hpp"
#include "models/network_plan.hpp"
#include "models/supervised.hpp"
#include "runtime/random.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

namespace {

std::size_t volume(const TensorInfo& tensor) {
  std::size_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
  return count;
}

class Network final : public SupervisedModel {
 public:
  Network(std::span<const Layer> layers, TrainingData data, std::int64_t batch_size)
      : SupervisedModel(std::move(data), batch_size) {
    NetworkPlan plan = plan_network(layers, train_set().shape(), train_set().num_classes());
    tensors_ = plan.tensors;
    device_ = make_cpu_network(std::move(plan), batch_size);
  }

  std::size_t size() const override { return device_->size(); }
  std::string fingerprint() const override { return device_->fingerprint(); }
  bool lightweight() const override { return false; }

  void initialize(std::span<float> weights, std::uint64_t seed) override {
    std::vector<float> canonical;
    for (std::size_t i = 0; i < tensors_.size(); ++i) append_uniform(canonical, i, seed);
    from_canonical(canonical, weights);
  }

  std::vector<TensorInfo> tensors() const override {
    std::vector<TensorInfo> infos;
    for (const PlannedTensor& tensor : tensors_) infos.push_back(tensor.info);
    return infos;
  }

  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override {
    device_->to_canonical(weights, canonical);
  }
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override {
    device_->from_canonical(canonical, weights);
  }

 protected:
  double batch_gradient(const Batch& batch, std::span<const float> weights, std::span<float> gradient) override {
    return device_->gradient({batch.values, batch.labels}, weights, gradient);
  }
  EvaluationResult batch_evaluate(const Batch& batch, std::span<const float> weights) override {
    return device_->evaluate({batch.values, batch.labels}, weights);
  }

 private:
  /// PyTorch's start values: uniform in +-1/sqrt(fan in), for weights and biases.
  void append_uniform(std::vector<float>& canonical, std::size_t index, std::uint64_t seed) const {
    Random random(seed, index);
    const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(tensors_[index].fan_in)));
    for (std::size_t i = volume(tensors_[index].info); i > 0; --i)
      canonical.push_back((2 * random.uniform() - 1) * bound);
  }

  std::vector<PlannedTensor> tensors_;
  std::unique_ptr<DeviceNetwork> device_;
};

}  // namespace

std::unique_ptr<Model> network(std::vector<Layer> layers, TrainingData data, std::int64_t batch_size) {
  return std::make_unique<Network>(layers, std::move(data), batch_size);
}

}  // namespace troupe::models
