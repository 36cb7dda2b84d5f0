#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/data/batches/batch_source.hpp"
#include "models/metrics/sample_metrics.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A model that learns from samples with classes or targets: hands the batches of its source to the derived class.
class SupervisedModel : public Model {
 public:
  /// @throws Error invalid_argument for a metric that comes twice or has no function.
  explicit SupervisedModel(std::unique_ptr<BatchSource> source, std::vector<Metric> metrics = {});

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) final;
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) final;

 protected:
  /// Adds what is known of the data.
  ModelInfo prepare(const ReplicaContext& context) final;

  const DataInfo& data_info() const { return source_->info(); }

  /// As Model::prepare.
  virtual ModelInfo prepare_weights(const ReplicaContext& context) = 0;

  /// Writes the gradient of the sum of the batch's losses, all `info().size` floats of it, and returns that sum.
  /// Never called with an empty batch. The batch's size may differ from call to call.
  /// @param correct where to write BatchResult::correct, unless it is not counted
  virtual double batch_gradient(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                std::span<float> gradient, std::int64_t& correct) = 0;

  /// That calls so far have copied between the host and an accelerator.
  virtual std::int64_t bytes_over_bus() const { return 0; }

  /// Loss sum, hits and sample count of a batch of the test set.
  /// @param metrics null, or to which its samples are added
  virtual EvaluationResult batch_evaluate(const ShardStep& at, const Batch& batch, std::span<const float> weights,
                                          SampleMetrics* metrics) = 0;

 private:
  std::unique_ptr<BatchSource> source_;
  std::vector<Metric> metrics_;
};

}  // namespace troupe
