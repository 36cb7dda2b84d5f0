#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <utility>

#include "models/files/network_text.hpp"
#include "models/supervised.hpp"
#include "runtime/invalid.hpp"
#include "troupe/loss.hpp"
#include "troupe/models.hpp"

namespace troupe::models {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Matrix, Eigen::Aligned64>;
using Vector = Eigen::Map<const Eigen::VectorXf>;

class LinearRegression final : public SupervisedModel {
 public:
  LinearRegression(TrainingData data, std::int64_t batch_size)
      : SupervisedModel(dataset_batches(std::move(data), batch_size)) {
    if (data_info().num_classes != 0)
      throw_invalid("linear regression needs numbers as targets, but the data has classes");
    if (data_info().num_targets != 1)
      throw_invalid("linear regression needs one target per sample, but the data has " +
                    std::to_string(data_info().num_targets));
    weights_.resize(data_info().sample_size());
    gradient_.resize(data_info().sample_size());
  }

 protected:
  ModelInfo prepare_weights(const ReplicaContext& /*context*/) override {
    // The model is lightweight if all samples together have at most 65,536 floats: a core processes these in about 50
    // microseconds, so a thread for each replica would cost more time than it saves.
    const bool lightweight = data_info().num_samples <= 65536 / data_info().sample_size();
    return {.size = static_cast<std::size_t>(weights_.size()),
            .lightweight = lightweight,
            .network = to_json({.model = "linear", .layers = {}, .data = data_info(), .loss = loss_->name()})};
  }

  double batch_gradient(const ShardStep& /*at*/, const Batch& batch, std::span<const float> weights,
                        std::span<float> gradient, std::int64_t& /*correct*/) override {
    const double loss = residual(batch, weights);
    gradient_.noalias() = rows(batch).transpose() * residual_;
    gradient_ *= 2;
    std::ranges::copy(gradient_, gradient.begin());
    return loss;
  }

  EvaluationResult batch_evaluate(const ShardStep& /*at*/, const Batch& batch, std::span<const float> weights,
                                  SampleMetrics* metrics) override {
    EvaluationResult result{residual(batch, weights), 0, batch.size};
    if (metrics == nullptr) return result;
    residual_.noalias() = rows(batch) * weights_;
    for (std::int64_t i = 0; i < batch.size; ++i)
      metrics->add(*loss_, {&residual_[i], 1}, {.values = batch.targets.subspan(static_cast<std::size_t>(i), 1)});
    return result;
  }

 private:
  static Rows rows(const Batch& batch) {
    return {batch.values.data(), batch.size, std::ssize(batch.values) / batch.size};
  }

  /// Sets `residual_[i]` to the prediction minus the target of sample i, and returns the sum of the squares of all
  /// these differences.
  double residual(const Batch& batch, std::span<const float> weights) {
    // Copies the weights into a vector of Eigen, because vectors of Eigen have the same alignment on every machine, but
    // the caller's vector may not. A different alignment could change the order of additions, and thus the rounding of
    // a sum.
    weights_ = Vector(weights.data(), std::ssize(weights));
    residual_.resize(batch.size);
    residual_.noalias() = rows(batch) * weights_;
    residual_ -= Vector(batch.targets.data(), batch.size);
    return residual_.cast<double>().squaredNorm();
  }

  std::shared_ptr<const Loss> loss_ = losses::mean_squared_error();
  Eigen::VectorXf weights_;
  Eigen::VectorXf gradient_;
  Eigen::VectorXf residual_;
};

}  // namespace

std::unique_ptr<Model> linear_regression(TrainingData data, std::int64_t batch_size) {
  return std::make_unique<LinearRegression>(std::move(data), batch_size);
}

}  // namespace troupe::models
