#include <algorithm>
#include <cmath>
#include <utility>

#include "models/dense.hpp"
#include "models/files/network_text.hpp"
#include "models/supervised.hpp"
#include "runtime/invalid.hpp"
#include "troupe/loss.hpp"
#include "troupe/models.hpp"

namespace troupe::models {
namespace {

/// Softmax regression. The flat vector contains `features_` weights for each class, one class after the other, and then
/// one bias for each class.
class SoftmaxRegression final : public SupervisedModel {
 public:
  SoftmaxRegression(TrainingData data, std::int64_t batch_size)
      : SupervisedModel(dataset_batches(std::move(data), batch_size)),
        features_(static_cast<std::size_t>(data_info().sample_size())),
        scores_(static_cast<std::size_t>(data_info().num_classes)) {
    if (scores_.empty()) throw_invalid("softmax regression needs classes, but the data has numbers as targets");
    if (data_info().labels_per_sample > 1)
      throw_invalid("softmax regression needs one class per sample, but the data has " +
                    std::to_string(data_info().labels_per_sample));
  }

 protected:
  ModelInfo prepare_weights(const ReplicaContext& /*context*/) override {
    const auto classes = std::ssize(scores_);
    return {.size = scores_.size() * (features_ + 1),
            .tensors = {{"weight", {classes, static_cast<std::int64_t>(features_)}}, {"bias", {classes}}},
            .network = to_json({.model = "softmax", .layers = {}, .data = data_info(), .loss = loss_->name()})};
  }

  double batch_gradient(const ShardStep& /*at*/, const Batch& batch, std::span<const float> weights,
                        std::span<float> gradient, std::int64_t& correct) override {
    std::ranges::fill(gradient, 0.0F);
    double loss = 0;
    correct = 0;
    for (std::int64_t i = 0; i < batch.size; ++i) {
      const float* values = sample(batch, i);
      const std::size_t label = label_of(batch, i);
      score(values, weights);
      if (is_hit(label)) ++correct;
      loss += softmax(label);
      scores_[label] -= 1;
      add_gradient(values, gradient);
    }
    return loss;
  }

  EvaluationResult batch_evaluate(const ShardStep& /*at*/, const Batch& batch, std::span<const float> weights,
                                  SampleMetrics* metrics) override {
    EvaluationResult result{0, 0, batch.size};
    for (std::int64_t i = 0; i < batch.size; ++i) {
      const std::size_t label = label_of(batch, i);
      score(sample(batch, i), weights);
      if (is_hit(label)) ++result.correct;
      if (metrics != nullptr) metrics->add(*loss_, scores_, {.label = static_cast<std::int32_t>(label)});
      result.loss_sum += softmax(label);
    }
    return result;
  }

 private:
  bool is_hit(std::size_t label) const {
    return std::ranges::max_element(scores_) - scores_.begin() == static_cast<std::ptrdiff_t>(label);
  }

  const float* sample(const Batch& batch, std::int64_t i) const {
    return batch.values.data() + static_cast<std::size_t>(i) * features_;
  }

  static std::size_t label_of(const Batch& batch, std::int64_t i) {
    return static_cast<std::size_t>(batch.labels[static_cast<std::size_t>(i)]);
  }

  void score(const float* values, std::span<const float> weights) {
    const float* bias = weights.data() + scores_.size() * features_;
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      scores_[c] = bias[c] + dot(values, weights.data() + c * features_, features_);
    }
  }

  /// Replaces the scores of one sample in `scores_` by the probabilities of the classes, and returns the cross-entropy
  /// for the true class `label`. Subtracts the largest score from all scores first, so that no exponential overflows.
  double softmax(std::size_t label) {
    const float largest = *std::ranges::max_element(scores_);
    const double wanted = static_cast<double>(scores_[label]) - static_cast<double>(largest);
    double sum = 0;
    for (float& value : scores_) {
      value = std::exp(value - largest);
      sum += static_cast<double>(value);
    }
    for (float& value : scores_) value = static_cast<float>(static_cast<double>(value) / sum);
    return std::log(sum) - wanted;
  }

  void add_gradient(const float* values, std::span<float> gradient) const {
    float* bias = gradient.data() + scores_.size() * features_;
    for (std::size_t c = 0; c < scores_.size(); ++c) {
      add_scaled(scores_[c], values, features_, gradient.data() + c * features_);
      bias[c] += scores_[c];
    }
  }

  std::shared_ptr<const Loss> loss_ = losses::softmax_cross_entropy();
  std::size_t features_;
  std::vector<float> scores_;  ///< one float for each class, for one sample at a time: first the score of the class,
                               ///< then its probability, then the derivative of the loss with respect to the score
};

}  // namespace

std::unique_ptr<Model> softmax_regression(TrainingData data, std::int64_t batch_size) {
  return std::make_unique<SoftmaxRegression>(std::move(data), batch_size);
}

}  // namespace troupe::models
