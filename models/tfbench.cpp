#include <utility>

#include "models/network/network.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

TFBenchModel::TFBenchModel(std::int64_t batch, bool use_cpus) {
  constexpr int kClasses = 1001;
  if (!use_cpus)
    throw Error(ErrorCode::unsupported, "this build of Troupe has no accelerators; TFBenchModel needs use_cpus");
  network_ = network(resnet(101, kClasses), mock_image_batches(224, kClasses, batch), batch);
}

TFBenchModel::~TFBenchModel() = default;

void TFBenchModel::start(const ReplicaContext& context) { network_->start(context); }

std::size_t TFBenchModel::size() const { return network_->size(); }

std::size_t TFBenchModel::learned_size() const { return network_->learned_size(); }

BatchResult TFBenchModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  return network_->gradient(at, weights, gradient);
}

void TFBenchModel::update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                     std::span<const float> statistics, std::span<float> updated) const {
  network_->update_statistics(begin, mean, samples, statistics, updated);
}

void TFBenchModel::initialize(std::span<float> weights, std::uint64_t seed) { network_->initialize(weights, seed); }

std::vector<TensorInfo> TFBenchModel::tensors() const { return network_->tensors(); }

void TFBenchModel::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  network_->to_canonical(weights, canonical);
}

void TFBenchModel::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  network_->from_canonical(canonical, weights);
}

std::string TFBenchModel::fingerprint() const { return network_->fingerprint(); }

Precision TFBenchModel::precision() const { return network_->precision(); }

std::vector<LayerTime> TFBenchModel::profile() const { return network_->profile(); }

}  // namespace troupe::models
