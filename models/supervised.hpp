#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/data/batches/batch_source.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A model that learns from samples with classes or targets. It passes the batches of its source to the derived class.
class SupervisedModel : public Model {
 public:
  /// @throws Error invalid_argument for a metric that is given twice or has no function.
  explicit SupervisedModel(std::unique_ptr<BatchSource> source, std::vector<Metric> metrics = {});

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) final;
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) final;

 protected:
  /// Adds information about the data.
  ModelInfo prepare(const ReplicaContext& context) final;

  const DataInfo& data_info() const { return source_->info(); }

  /// Like Model::prepare.
  virtual ModelInfo prepare_weights(const ReplicaContext& context) = 0;

  /// Writes the gradient of the sum of the batch's losses (all `info().size` floats) and returns that sum.
  /// Is never called with an empty batch. The batch size may differ from call to call.
  /// @param correct receives BatchResult::correct, if hits are counted
  virtual double batch_gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                std::span<float> gradient, std::int64_t& correct) = 0;

  /// Returns the number of bytes copied so far between the host and an accelerator.
  virtual std::int64_t bytes_over_bus() const { return 0; }

  /// Returns the loss sum, the hits and the sample count of a batch of the test set.
  /// @param metrics receives the samples; may be null
  virtual EvaluationResult batch_evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                          SampleMetrics* metrics) = 0;

 private:
  std::unique_ptr<BatchSource> source_;
  std::vector<Metric> metrics_;
};

}  // namespace troupe
